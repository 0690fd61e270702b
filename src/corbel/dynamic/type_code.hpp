// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/corba/object.hpp"

namespace corbel::dynamic {
class TypeArena;
}

namespace CORBA {

class Any;
class TypeCode;

/// The kinds of IDL types, as on the wire (CORBA 3.3 part 2, 9.3.5.1).
enum class TCKind : std::uint32_t {
  tk_null,
  tk_void,
  tk_short,
  tk_long,
  tk_ushort,
  tk_ulong,
  tk_float,
  tk_double,
  tk_boolean,
  tk_char,
  tk_octet,
  tk_any,
  tk_TypeCode,
  tk_Principal,
  tk_objref,
  tk_struct,
  tk_union,
  tk_enum,
  tk_string,
  tk_sequence,
  tk_array,
  tk_alias,
  tk_except,
  tk_longlong,
  tk_ulonglong,
  tk_longdouble,
  tk_wchar,
  tk_wstring,
  tk_fixed,
  tk_value,
  tk_value_box,
  tk_native,
  tk_abstract_interface,
  tk_local_interface,
  tk_component,
  tk_home,
  tk_event,
};

using ValueModifier = std::int16_t;
inline constexpr ValueModifier VM_NONE = 0;
inline constexpr ValueModifier VM_CUSTOM = 1;
inline constexpr ValueModifier VM_ABSTRACT = 2;
inline constexpr ValueModifier VM_TRUNCATABLE = 3;

using Visibility = std::int16_t;
inline constexpr Visibility PRIVATE_MEMBER = 0;
inline constexpr Visibility PUBLIC_MEMBER = 1;

/// References to TypeCodes; those of generated types own nothing and cost nothing to copy.
using typecode_reference = object_reference<TypeCode>;

}  // namespace CORBA

namespace corbel::dynamic {

/// A member of a struct, exception, union or value, or an enumerator (without type). `label` is the discriminator's
/// value, as the integer it is on the wire.
struct TypeMember {
  std::string_view name;
  const CORBA::TypeCode* type = nullptr;
  std::int64_t label = 0;
  CORBA::Visibility visibility = CORBA::PUBLIC_MEMBER;
};

/// Which member of a union a label selects.
struct LabelIndex {
  std::int64_t label = 0;
  std::uint32_t member = 0;
};

/// What a TypeCode says. Which fields count depends on `kind`. Generated code defines constants of it, whose pointers
/// may form cycles; those that come from elsewhere live in an arena, which is kept alive as a whole.
struct TypeNode {
  CORBA::TCKind kind = CORBA::TCKind::tk_null;
  std::string_view id = {};
  std::string_view name = {};
  std::span<const TypeMember> members = {};
  /// sequence, array: element; alias, value box: what it stands for; union: discriminator; value: concrete base.
  const CORBA::TypeCode* content = nullptr;
  std::uint32_t length = 0;         ///< string, wstring, sequence: bound, 0 for none; array: length
  std::int32_t default_index = -1;  ///< union
  std::uint16_t digits = 0;         ///< fixed
  std::int16_t scale = 0;           ///< fixed
  CORBA::ValueModifier modifier = CORBA::VM_NONE;
  const TypeArena* arena = nullptr;  ///< null for constants
  /// The labels of a union in an arena in ascending order, without the default member's; each once, for the first
  /// member that has it. Empty if there are few.
  std::span<const LabelIndex> labels = {};
};

}  // namespace corbel::dynamic

namespace CORBA {

/// The description of an IDL type (CORBA 3.3 part 1, 8.11). Immutable and thread-safe.
class CORBEL_API TypeCode {
 public:
  /// Raised when an accessor does not fit the kind.
  class CORBEL_API BadKind final : public corbel::corba::MemberlessException<BadKind> {
   public:
    static constexpr const char* _id = "IDL:omg.org/CORBA/TypeCode/BadKind:1.0";
    static constexpr const char* _label = "BadKind";
  };
  /// Raised when an index is not less than member_count().
  class CORBEL_API Bounds final : public corbel::corba::MemberlessException<Bounds> {
   public:
    static constexpr const char* _id = "IDL:omg.org/CORBA/TypeCode/Bounds:1.0";
    static constexpr const char* _label = "Bounds";
  };

  constexpr explicit TypeCode(const corbel::dynamic::TypeNode& node) noexcept : node_(node) {}
  TypeCode(const TypeCode&) = delete;
  TypeCode& operator=(const TypeCode&) = delete;

  /// True if both say the same in every detail.
  bool equal(const typecode_reference& other) const;
  /// True if either type may be taken for the other: aliases, names and, where both have them, all but ids are ignored
  /// (CORBA 3.3 part 1, 8.11.1). Code that reads values by it compares the structure as well: _fits().
  bool equivalent(const typecode_reference& other) const;
  /// The same type without names.
  typecode_reference get_compact_typecode() const;
  /// Throws BAD_TYPECODE (OMG 1), as all do, if create_recursive_tc() made this and it is not part of its type yet.
  TCKind kind() const;
  std::string id() const;
  std::string name() const;
  std::uint32_t member_count() const;
  std::string member_name(std::uint32_t index) const;
  typecode_reference member_type(std::uint32_t index) const;
  /// The label as an Any of the discriminator's type; the octet 0 for the default member.
  Any member_label(std::uint32_t index) const;
  typecode_reference discriminator_type() const;
  std::int32_t default_index() const;
  std::uint32_t length() const;
  typecode_reference content_type() const;
  std::uint16_t fixed_digits() const;
  std::int16_t fixed_scale() const;
  Visibility member_visibility(std::uint32_t index) const;
  ValueModifier type_modifier() const;
  /// Nil if there is none.
  typecode_reference concrete_base_type() const;

  /// For generated code and the room `dynamic`.
  constexpr const corbel::dynamic::TypeNode& _node() const noexcept { return node_; }
  /// A reference to this, which keeps alive what must be.
  typecode_reference _reference() const;
  /// A reference to a constant; one itself, made at compile time.
  static constexpr typecode_reference _constant(const TypeCode& code) noexcept;
  /// Behind any number of aliases.
  const TypeCode& _resolved() const noexcept;
  bool _is_reference() const noexcept;  ///< to an object, component or home, behind aliases, too
  bool _is_value() const noexcept;      ///< a valuetype, box or eventtype, behind aliases, too
  /// True if values of one are values of the other: equivalent, and of the same structure behind equal ids, which
  /// strangers may lie about.
  bool _fits(const TypeCode& other) const;

 private:
  const corbel::dynamic::TypeMember& member(std::uint32_t index) const;

  corbel::dynamic::TypeNode node_;
};

constexpr typecode_reference TypeCode::_constant(const TypeCode& code) noexcept {
  auto* self = const_cast<TypeCode*>(&code);  // no member function modifies
  return typecode_reference(corbel::base::SharedPtr<TypeCode>(self, nullptr));
}

/// TypeCodes of the types without parameters.
#define CORBEL_BASIC_TYPE_CODE(NAME)                                                        \
  namespace detail {                                                                        \
  inline constexpr TypeCode k_##NAME{corbel::dynamic::TypeNode{.kind = TCKind::tk_##NAME}}; \
  }                                                                                         \
  inline constexpr typecode_reference _tc_##NAME = TypeCode::_constant(detail::k_##NAME);
CORBEL_BASIC_TYPE_CODE(null)
CORBEL_BASIC_TYPE_CODE(void)
CORBEL_BASIC_TYPE_CODE(short)
CORBEL_BASIC_TYPE_CODE(long)
CORBEL_BASIC_TYPE_CODE(ushort)
CORBEL_BASIC_TYPE_CODE(ulong)
CORBEL_BASIC_TYPE_CODE(float)
CORBEL_BASIC_TYPE_CODE(double)
CORBEL_BASIC_TYPE_CODE(boolean)
CORBEL_BASIC_TYPE_CODE(char)
CORBEL_BASIC_TYPE_CODE(octet)
CORBEL_BASIC_TYPE_CODE(any)
CORBEL_BASIC_TYPE_CODE(TypeCode)
CORBEL_BASIC_TYPE_CODE(longlong)
CORBEL_BASIC_TYPE_CODE(ulonglong)
CORBEL_BASIC_TYPE_CODE(longdouble)
CORBEL_BASIC_TYPE_CODE(wchar)
CORBEL_BASIC_TYPE_CODE(string)
CORBEL_BASIC_TYPE_CODE(wstring)
#undef CORBEL_BASIC_TYPE_CODE

namespace detail {
inline constexpr TypeCode k_Object{
    corbel::dynamic::TypeNode{.kind = TCKind::tk_objref, .id = "IDL:omg.org/CORBA/Object:1.0", .name = "Object"}};
inline constexpr TypeCode k_ValueBase{
    corbel::dynamic::TypeNode{.kind = TCKind::tk_value, .id = "IDL:omg.org/CORBA/ValueBase:1.0", .name = "ValueBase"}};
}  // namespace detail
inline constexpr typecode_reference _tc_Object = TypeCode::_constant(detail::k_Object);
inline constexpr typecode_reference _tc_ValueBase = TypeCode::_constant(detail::k_ValueBase);

}  // namespace CORBA

namespace IDL {
template <>
struct traits<CORBA::TypeCode> : formatted_traits<CORBA::typecode_reference> {
  using value_type = CORBA::typecode_reference;
  using ref_type = CORBA::typecode_reference;
  using weak_ref_type = CORBA::weak_object_reference<CORBA::TypeCode>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
};
}  // namespace IDL
