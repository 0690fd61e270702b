// SPDX-License-Identifier: Apache-2.0
// TypeCode::equal and equivalent (CORBA 3.3 part 1, 8.11.1): graphs that may have cycles, compared pair by pair. What
// was taken for the same is put into one class, so that there are no more pairs than types, whatever the graphs (the
// algorithm of Hopcroft and Karp).
#include <unordered_map>
#include <utility>
#include <vector>

#include "corbel/dynamic/type_arena.hpp"

namespace CORBA {
namespace {

using corbel::dynamic::traits_of;

enum class Sameness {
  equivalent,  ///< equal ids decide
  fitting,     ///< and the structure behind them
  equal,       ///< every detail
};

class Comparison {
 public:
  explicit Comparison(Sameness wanted) noexcept : wanted_(wanted), strict_(wanted == Sameness::equal) {}

  /// True unless a difference is found in anything that can be reached.
  bool run(const TypeCode* a, const TypeCode* b) {
    if (!add(a, b)) return false;
    while (!waiting_.empty()) {
      const auto [left, right] = waiting_.back();
      waiting_.pop_back();
      if (!compare(left->_node(), right->_node())) return false;
    }
    return true;
  }

 private:
  using Node = corbel::dynamic::TypeNode;

  bool add(const TypeCode* a, const TypeCode* b) {
    if (a == nullptr || b == nullptr) return a == b;
    if (!strict_) {
      a = &a->_resolved();
      b = &b->_resolved();
    }
    if (a == b) return true;
    const Node& x = a->_node();
    const Node& y = b->_node();
    if (x.kind != y.kind) return false;
    // Types that are told apart by ids are not put into a class: their structure may differ.
    if (wanted_ == Sameness::equivalent && !x.id.empty() && !y.id.empty()) return x.id == y.id;
    const TypeCode* class_of_a = find(a);
    const TypeCode* class_of_b = find(b);
    if (class_of_a == class_of_b) return true;
    classes_[class_of_a] = class_of_b;
    waiting_.emplace_back(a, b);
    return true;
  }

  /// The type that stands for the class of a type; the way there is shortened.
  const TypeCode* find(const TypeCode* code) {
    for (auto at = classes_.find(code); at != classes_.end(); at = classes_.find(code)) {
      const auto next = classes_.find(at->second);
      if (next == classes_.end()) return at->second;
      code = at->second = next->second;
    }
    return code;
  }

  bool compare(const Node& a, const Node& b) {
    if (traits_of(a.kind).id_and_name) {
      if (strict_ && (a.id != b.id || a.name != b.name)) return false;
      if (!a.id.empty() && !b.id.empty() && a.id != b.id) return false;
    }
    if (a.length != b.length || a.digits != b.digits || a.scale != b.scale || a.default_index != b.default_index ||
        a.members.size() != b.members.size()) {
      return false;
    }
    if (strict_ && a.modifier != b.modifier) return false;
    return add(a.content, b.content) && compare_members(a, b);
  }

  bool compare_members(const Node& a, const Node& b) {
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

  const Sameness wanted_;
  const bool strict_;
  std::unordered_map<const TypeCode*, const TypeCode*> classes_;  // towards what stands for the class
  std::vector<std::pair<const TypeCode*, const TypeCode*>> waiting_;
};

}  // namespace

bool TypeCode::equal(const typecode_reference& other) const {
  (void)kind();  // stands for a type?
  return other != nullptr && Comparison(Sameness::equal).run(this, &*other);
}

bool TypeCode::equivalent(const typecode_reference& other) const {
  (void)kind();
  return other != nullptr && Comparison(Sameness::equivalent).run(this, &*other);
}

bool TypeCode::_fits(const TypeCode& other) const {
  return this == &other || Comparison(Sameness::fitting).run(this, &other);
}

}  // namespace CORBA
