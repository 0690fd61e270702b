// SPDX-License-Identifier: Apache-2.0
// Comments of IDL files. The compiler does not see them: its preprocessor takes them out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/idl/model/model.hpp"

namespace corbel::tool {

/// What comments say of declarations and members: those that stand directly above, and one behind on the same line.
/// Where a line declares several, they are the first one's.
class Comments {
 public:
  /// Reads the files of the model, which have to be there still. The model has to live as long as this.
  void read(const idl::model::Model& model);
  /// Lines without the marks of comments, joined by '\n', fit for a terminal; empty if there are none. `about` is the
  /// address of a Declaration, Member, Bitfield or BitFlag of a model that was read.
  const std::string& of(const void* about) const;

 private:
  std::map<const void*, std::string> all_;
};

/// For tests: what comments say of `name`, which is declared in this line, counted from 1. `listed` for what a comma
/// ends: enumerators and flags.
std::string comment_on(const std::vector<std::string>& lines, std::size_t line, std::string_view name, bool listed);

}  // namespace corbel::tool
