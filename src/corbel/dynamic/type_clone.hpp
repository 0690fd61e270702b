// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "corbel/dynamic/type_arena.hpp"

namespace corbel::dynamic {

/// True for what create_recursive_tc made: a stand-in for the type with its id.
inline bool is_stand_in(const TypeNode& node) noexcept {
  return node.kind == CORBA::TCKind::tk_null && !node.id.empty();
}

/// Copies TypeCodes into an arena, with changes.
class TypeCloner {
 public:
  /// `stood_for` takes the place of stand-ins for `id`, unless that is empty; without `names` the copies have none.
  TypeCloner(TypeArena& arena, std::string_view id, const CORBA::TypeCode* stood_for, bool names) noexcept
      : arena_(&arena), id_(id), stood_for_(stood_for), names_(names) {}
  const CORBA::TypeCode* clone(const CORBA::TypeCode* code);

 private:
  const CORBA::TypeCode* copy_of(const CORBA::TypeCode* code);
  void fill(const CORBA::TypeCode& original, const CORBA::TypeCode* copy);

  TypeArena* arena_;
  std::string_view id_;
  const CORBA::TypeCode* stood_for_;
  bool names_;
  std::unordered_map<const CORBA::TypeCode*, const CORBA::TypeCode*> copies_;
  std::vector<std::pair<const CORBA::TypeCode*, const CORBA::TypeCode*>> waiting_;  // to be filled in
};

/// True if a stand-in for `id` (for any, if that is empty) can be reached.
bool has_stand_in(const CORBA::TypeCode& code, std::string_view id);

}  // namespace corbel::dynamic
