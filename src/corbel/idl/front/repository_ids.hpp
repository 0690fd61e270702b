// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/idl/front/source.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

/// Gives declarations their repository ids and remembers which ones a pragma has fixed.
class RepositoryIds {
 public:
  /// `IDL:[prefix/]A/B:1.0` under the prefix in force.
  std::string make(const model::Declaration& declaration) const;

  const std::string& prefix() const noexcept { return prefix_; }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// An #include starts without prefix and gives the includer's back at its end.
  void enter_file();
  void leave_file();

  /// Where a pragma set this declaration's id or version; null if none did.
  const Span* fixed_at(const model::Declaration& declaration) const;
  void fix(const model::Declaration& declaration, Span where) { fixed_[&declaration] = where; }

 private:
  std::string prefix_;
  std::vector<std::string> outer_prefixes_;
  std::map<const model::Declaration*, Span> fixed_;
};

/// Whether a text may be a prefix: letters, digits and `. - _ /`, no slash at either end.
bool is_valid_prefix(std::string_view prefix) noexcept;

}  // namespace corbel::idl::front
