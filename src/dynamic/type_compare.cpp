// SPDX-License-Identifier: Apache-2.0
// TypeCode::equal and equivalent (CORBA 3.3 part 1, 8.11.1): graphs that may have cycles, compared pair by pair; a pair
// that is being compared, or was, counts as the same.
#include <set>
#include <utility>

#include "dynamic/type_arena.hpp"

namespace CORBA {
namespace {

using corbel::dynamic::KindTraits;
using corbel::dynamic::traits_of;

class Comparison {
 public:
  explicit Comparison(bool strict) noexcept : strict_(strict) {}

  /// True unless a difference is found in anything that can be reached.
  bool run(const TypeCode* a, const TypeCode* b) {
    if (!add(a, b)) return false;
    while (!waiting_.empty()) {
      const auto [left, right] = waiting_.back();
      waiting_.pop_back();
      if (!compare(*left, *right)) return false;
    }
    return true;
  }

 private:
  using Pair = std::pair<const TypeCode*, const TypeCode*>;

  bool add(const TypeCode* a, const TypeCode* b) {
    if (a == nullptr || b == nullptr) return a == b;
    if (!strict_) {
      a = &a->_resolved();
      b = &b->_resolved();
    }
    if (a != b && seen_.insert({a, b}).second) waiting_.emplace_back(a, b);
    return true;
  }

  bool compare(const TypeCode& left, const TypeCode& right) {
    const auto& a = left._node();
    const auto& b = right._node();
    if (a.kind != b.kind) return false;
    const KindTraits traits = traits_of(a.kind);
    if (traits.id_and_name) {
      if (strict_ && (a.id != b.id || a.name != b.name)) return false;
      if (!strict_ && !a.id.empty() && !b.id.empty()) return a.id == b.id;
    }
    if (a.length != b.length || a.digits != b.digits || a.scale != b.scale || a.default_index != b.default_index ||
        a.members.size() != b.members.size()) {
      return false;
    }
    if (strict_ && a.modifier != b.modifier) return false;
    if (!add(a.content, b.content)) return false;
    for (std::size_t i = 0; i < a.members.size(); ++i) {
      const auto& x = a.members[i];
      const auto& y = b.members[i];
      if (strict_ && (x.name != y.name || x.visibility != y.visibility)) return false;
      if (a.kind == TCKind::tk_union && static_cast<std::int32_t>(i) != a.default_index && x.label != y.label) {
        return false;
      }
      if (!add(x.type, y.type)) return false;
    }
    return true;
  }

  const bool strict_;
  std::set<Pair> seen_;
  std::vector<Pair> waiting_;
};

}  // namespace

bool TypeCode::equal(const typecode_reference& other) const {
  return other != nullptr && Comparison(true).run(this, &*other);
}

bool TypeCode::equivalent(const typecode_reference& other) const {
  return other != nullptr && _equivalent(*other);
}

bool TypeCode::_equivalent(const TypeCode& other) const {
  return this == &other || Comparison(false).run(this, &other);
}

}  // namespace CORBA
