// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Owns TypeCodes that refer to each other, and the texts and lists they refer to. Filled by one thread, then
/// immutable.
class TypeArena : public base::SharedFromThis {
 public:
  /// An empty TypeCode to be filled in by set(); the address stays.
  const CORBA::TypeCode* reserve() { return &codes_.emplace_back(TypeNode{}); }
  /// Gives a reserved TypeCode its content.
  void set(const CORBA::TypeCode* code, TypeNode node) {
    node.arena = this;
    const_cast<TypeNode&>(code->_node()) = node;  // not yet seen by anybody else
  }
  const CORBA::TypeCode* add(TypeNode node) {
    const CORBA::TypeCode* code = reserve();
    set(code, node);
    return code;
  }
  std::string_view keep(std::string_view text) {
    return text.empty() ? std::string_view() : std::string_view(texts_.emplace_back(text));
  }
  std::span<const TypeMember> keep(std::vector<TypeMember> members) {
    return members_.emplace_back(std::move(members));
  }
  /// What TypeCodes in here point into.
  void keep_alive(CORBA::typecode_reference other) { others_.push_back(std::move(other)); }

 private:
  std::deque<CORBA::TypeCode> codes_;
  std::deque<std::string> texts_;
  std::deque<std::vector<TypeMember>> members_;
  std::vector<CORBA::typecode_reference> others_;
};

/// A reference to a code of the arena.
inline CORBA::typecode_reference reference_to(const base::SharedPtr<TypeArena>& arena, const CORBA::TypeCode* code) {
  return CORBA::typecode_reference(base::SharedPtr<CORBA::TypeCode>(arena, const_cast<CORBA::TypeCode*>(code)));
}

/// Which parameters a kind has.
struct KindTraits {
  bool id_and_name = false;
  bool members = false;
  bool content = false;
  bool length = false;
};
KindTraits traits_of(CORBA::TCKind kind) noexcept;
/// The kind may stand on the wire.
inline bool is_known(CORBA::TCKind kind) noexcept {
  return kind <= CORBA::TCKind::tk_event;
}

}  // namespace corbel::dynamic
