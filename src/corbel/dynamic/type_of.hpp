// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <vector>

#include "corbel/dynamic/type_code.hpp"
#include "corbel/mapping/types.hpp"

namespace corbel::dynamic {

/// The TypeCode of a mapped C++ type: `code`, a reference to a constant. Generated code (`*_any.hpp`) specialises it
/// for the types it defines. Aliases share the type and therefore this; their own TypeCodes are the `_tc_` constants.
template <class T>
struct TypeOf;

template <class T>
concept HasType = requires {
  { TypeOf<T>::code } -> std::convertible_to<const CORBA::TypeCode&>;  // missing? #include the IDL file's NAME_any.hpp
};

#define CORBEL_TYPE_OF(TYPE, NAME)                                          \
  template <>                                                               \
  struct TypeOf<TYPE> {                                                     \
    static constexpr const CORBA::TypeCode& code = CORBA::detail::k_##NAME; \
  };
CORBEL_TYPE_OF(bool, boolean)
CORBEL_TYPE_OF(char, char)
CORBEL_TYPE_OF(wchar_t, wchar)
CORBEL_TYPE_OF(std::uint8_t, octet)
CORBEL_TYPE_OF(std::int16_t, short)
CORBEL_TYPE_OF(std::uint16_t, ushort)
CORBEL_TYPE_OF(std::int32_t, long)
CORBEL_TYPE_OF(std::uint32_t, ulong)
CORBEL_TYPE_OF(std::int64_t, longlong)
CORBEL_TYPE_OF(std::uint64_t, ulonglong)
CORBEL_TYPE_OF(float, float)
CORBEL_TYPE_OF(double, double)
CORBEL_TYPE_OF(long double, longdouble)
CORBEL_TYPE_OF(std::string, string)
CORBEL_TYPE_OF(std::wstring, wstring)
CORBEL_TYPE_OF(CORBA::Any, any)
CORBEL_TYPE_OF(CORBA::typecode_reference, TypeCode)
CORBEL_TYPE_OF(CORBA::object_reference<CORBA::Object>, Object)
CORBEL_TYPE_OF(CORBA::object_reference<CORBA::ValueBase>, ValueBase)
#undef CORBEL_TYPE_OF

template <std::uint32_t N>
struct TypeOf<IDL::bounded_string<N>> {
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_string, .length = N}};
};
template <std::uint32_t N>
struct TypeOf<IDL::bounded_wstring<N>> {
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_wstring, .length = N}};
};
template <HasType T>
struct TypeOf<std::vector<T>> {
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &TypeOf<T>::code}};
};
template <HasType T, std::uint32_t N>
struct TypeOf<IDL::bounded_vector<T, N>> {
  static constexpr CORBA::TypeCode code{
      TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &TypeOf<T>::code, .length = N}};
};
template <HasType T, std::size_t N>
struct TypeOf<std::array<T, N>> {
  static constexpr CORBA::TypeCode code{
      TypeNode{.kind = CORBA::TCKind::tk_array, .content = &TypeOf<T>::code, .length = static_cast<std::uint32_t>(N)}};
};

namespace detail {
inline constexpr TypeMember kCompletionNames[] = {{"COMPLETED_YES"}, {"COMPLETED_NO"}, {"COMPLETED_MAYBE"}};
inline constexpr CORBA::TypeCode kCompletion{TypeNode{.kind = CORBA::TCKind::tk_enum,
                                                      .id = "IDL:omg.org/CORBA/completion_status:1.0",
                                                      .name = "completion_status",
                                                      .members = kCompletionNames}};
inline constexpr TypeMember kSystemMembers[] = {{"minor", &CORBA::detail::k_ulong}, {"completed", &kCompletion}};
}  // namespace detail

/// System exceptions in an Any: their common members.
#define CORBEL_TYPE_OF_SYSTEM_EXCEPTION(NAME)                                               \
  template <>                                                                               \
  struct TypeOf<CORBA::NAME> {                                                              \
    static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_except,        \
                                                   .id = "IDL:omg.org/CORBA/" #NAME ":1.0", \
                                                   .name = #NAME,                           \
                                                   .members = detail::kSystemMembers}};     \
  };
CORBEL_SYSTEM_EXCEPTIONS(CORBEL_TYPE_OF_SYSTEM_EXCEPTION)
#undef CORBEL_TYPE_OF_SYSTEM_EXCEPTION

}  // namespace corbel::dynamic
