// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "corbel/dynamic/type_of.hpp"
#include "corbel/mapping/codec.hpp"
#include "corbel/mapping/local.hpp"

/// Makes types that the library defines by hand usable in IDL as if they had been generated: traits, octets, TypeCodes.
namespace corbel::dynamic {

/// Rows of a TypeCode from enumerators' names.
template <std::size_t N>
constexpr std::array<TypeMember, N> members_of(const std::string_view (&names)[N]) {
  std::array<TypeMember, N> members;
  for (std::size_t i = 0; i < N; ++i) members[i].name = names[i];
  return members;
}

/// `members`: the enumerators of an enum of the library.
template <class E>
struct EnumMembers;

/// `Module::Enum::enumerator` of the enum with the TypeCode.
CORBEL_API std::ostream& print_enumerator(std::ostream& stream, const CORBA::TypeCode& type, std::uint32_t value);

}  // namespace corbel::dynamic

/// An enum of `MODULE`; ID is between "IDL:omg.org/" and ":1.0", the rest are its enumerators' names, numbered from 0.
#define CORBEL_LIBRARY_ENUM(MODULE, ENUM, ID, NAME, ...)                                                         \
  template <>                                                                                                    \
  struct corbel::dynamic::EnumMembers<MODULE::ENUM> {                                                            \
    static constexpr auto members = corbel::dynamic::members_of({__VA_ARGS__});                                  \
  };                                                                                                             \
  template <>                                                                                                    \
  struct corbel::dynamic::TypeOf<MODULE::ENUM> {                                                                 \
    static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_enum,                               \
                                                   .id = "IDL:omg.org/" ID ":1.0",                               \
                                                   .name = NAME,                                                 \
                                                   .members = EnumMembers<MODULE::ENUM>::members}};              \
  };                                                                                                             \
  template <>                                                                                                    \
  struct corbel::mapping::Codec<MODULE::ENUM>                                                                    \
      : corbel::mapping::EnumCodec<MODULE::ENUM, corbel::dynamic::EnumMembers<MODULE::ENUM>::members.size()> {}; \
  template <>                                                                                                    \
  struct IDL::traits<MODULE::ENUM> : IDL::common_byval_traits<MODULE::ENUM> {                                    \
    using underlying_type = std::uint32_t;                                                                       \
    using bit_bound = std::integral_constant<std::uint8_t, 32>;                                                  \
  };                                                                                                             \
  namespace MODULE {                                                                                             \
  inline std::ostream& operator<<(std::ostream& stream, ENUM value) {                                            \
    return corbel::dynamic::print_enumerator(stream, corbel::dynamic::TypeOf<ENUM>::code,                        \
                                             static_cast<std::uint32_t>(value));                                 \
  }                                                                                                              \
  }

/// Traits and TypeCode of a struct or exception whose members are in the constant array MEMBERS.
#define CORBEL_LIBRARY_MEMBERS(TYPE, KIND, ID, NAME, MEMBERS)                               \
  template <>                                                                               \
  struct IDL::traits<TYPE> : IDL::common_traits<TYPE> {};                                   \
  template <>                                                                               \
  struct corbel::dynamic::TypeOf<TYPE> {                                                    \
    static constexpr CORBA::TypeCode code{                                                  \
        TypeNode{.kind = CORBA::TCKind::KIND, .id = ID, .name = NAME, .members = MEMBERS}}; \
  };

/// An exception without members.
#define CORBEL_LIBRARY_EXCEPTION(TYPE, NAME)                                              \
  CORBEL_LIBRARY_MEMBERS(TYPE, tk_except, TYPE::_id, NAME, std::span<const TypeMember>()) \
  template <>                                                                             \
  struct corbel::mapping::Codec<TYPE> {                                                   \
    static constexpr std::size_t kMinSize = 0;                                            \
    static void encode(cdr::Encoder&, const TYPE&) {}                                     \
    static void decode(cdr::Decoder&, TYPE&) {}                                           \
  };

/// The TypeCode of a local interface.
#define CORBEL_LIBRARY_LOCAL_TYPE(TYPE, ID, NAME)                                     \
  template <>                                                                         \
  struct corbel::dynamic::TypeOf<CORBA::object_reference<TYPE>> {                     \
    static constexpr CORBA::TypeCode code{                                            \
        TypeNode{.kind = CORBA::TCKind::tk_local_interface, .id = ID, .name = NAME}}; \
  };

/// A local interface: structs and sequences may have references to it, which cannot be sent.
#define CORBEL_LIBRARY_LOCAL(TYPE, ID, NAME) \
  CORBEL_LIBRARY_LOCAL_TYPE(TYPE, ID, NAME)  \
  template <>                                \
  struct corbel::mapping::Codec<CORBA::object_reference<TYPE>> : corbel::mapping::LocalCodec<TYPE> {};

/// `_tc_ALIAS` of a typedef in MODULE. ID is between "IDL:omg.org/" and ":1.0".
#define CORBEL_LIBRARY_ALIAS(MODULE, ALIAS, TYPE, ID, NAME)                                               \
  namespace MODULE::detail {                                                                              \
  inline constexpr CORBA::TypeCode k_##ALIAS{                                                             \
      corbel::dynamic::TypeNode{.kind = CORBA::TCKind::tk_alias,                                          \
                                .id = "IDL:omg.org/" ID ":1.0",                                           \
                                .name = NAME,                                                             \
                                .content = &corbel::dynamic::TypeOf<TYPE>::code}};                        \
  }                                                                                                       \
  namespace MODULE {                                                                                      \
  inline constexpr CORBA::typecode_reference _tc_##ALIAS = CORBA::TypeCode::_constant(detail::k_##ALIAS); \
  }
