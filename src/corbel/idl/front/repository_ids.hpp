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
  /// What ids begin with. It stands for the names of the scopes around it: ids go on with the names below `scope`
  /// alone, with all if that is null. The standard (CORBA 3.3, part 1, 14.7.5.2) leaves this open; omniORB, JacORB and
  /// GlassFish agree.
  struct Prefix {
    std::string text;
    const model::Declaration* scope = nullptr;
  };

  /// `IDL:[prefix/]A/B:1.0` under the prefix in force.
  std::string make(const model::Declaration& declaration) const;

  const Prefix& prefix() const noexcept { return prefix_; }
  void set_prefix(Prefix prefix) { prefix_ = std::move(prefix); }
  /// An #include, which stands in that scope, starts without prefix and gives the includer's back at its end.
  void enter_file(const model::Declaration* scope);
  void leave_file();

  /// Where a pragma set this declaration's id or version; null if none did.
  const Span* fixed_at(const model::Declaration& declaration) const;
  void fix(const model::Declaration& declaration, Span where) { fixed_[&declaration] = where; }

 private:
  Prefix prefix_;
  std::vector<Prefix> outer_prefixes_;
  std::map<const model::Declaration*, Span> fixed_;
};

/// Whether a text may be a prefix: letters, digits and `. - _ /`, no slash at either end.
bool is_valid_prefix(std::string_view prefix) noexcept;

}  // namespace corbel::idl::front
