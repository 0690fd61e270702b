// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/library_types.hpp"

/// Module DynamicAny as IDL uses it: NameValuePair, its sequences and the exceptions travel, DynAnys cannot.
CORBEL_LIBRARY_EXCEPTION(DynamicAny::MustTruncate, "MustTruncate")
CORBEL_LIBRARY_EXCEPTION(DynamicAny::DynAny::TypeMismatch, "TypeMismatch")
CORBEL_LIBRARY_EXCEPTION(DynamicAny::DynAny::InvalidValue, "InvalidValue")
CORBEL_LIBRARY_EXCEPTION(DynamicAny::DynAnyFactory::InconsistentTypeCode, "InconsistentTypeCode")

#define CORBEL_DYN_ANY_LOCAL(NAME) CORBEL_LIBRARY_LOCAL(DynamicAny::NAME, "IDL:omg.org/DynamicAny/" #NAME ":1.0", #NAME)
CORBEL_DYN_ANY_INTERFACES(CORBEL_DYN_ANY_LOCAL)
#undef CORBEL_DYN_ANY_LOCAL

CORBEL_LIBRARY_ALIAS(DynamicAny, FieldName, DynamicAny::FieldName, "DynamicAny/FieldName", "FieldName")

namespace corbel::dynamic::detail {
inline constexpr TypeMember kNameValuePair[] = {{"id", &DynamicAny::detail::k_FieldName},
                                                {"value", &CORBA::detail::k_any}};
inline constexpr TypeMember kNameDynAnyPair[] = {{"id", &DynamicAny::detail::k_FieldName},
                                                 {"value", &TypeOf<CORBA::object_reference<DynamicAny::DynAny>>::code}};
}  // namespace corbel::dynamic::detail

#define CORBEL_DYN_ANY_PAIR(NAME)                                                                                     \
  CORBEL_LIBRARY_MEMBERS(DynamicAny::NAME, tk_struct, "IDL:omg.org/DynamicAny/" #NAME ":1.0", #NAME, detail::k##NAME) \
  template <>                                                                                                         \
  struct corbel::mapping::Codec<DynamicAny::NAME> {                                                                   \
    using Value = std::remove_cvref_t<decltype(std::declval<DynamicAny::NAME&>().value())>;                           \
    static constexpr std::size_t kMinSize = 5 + Codec<Value>::kMinSize;                                               \
    static void encode(cdr::Encoder& encoder, const DynamicAny::NAME& pair) {                                         \
      Codec<std::string>::encode(encoder, pair.id());                                                                 \
      Codec<Value>::encode(encoder, pair.value());                                                                    \
    }                                                                                                                 \
    static void decode(cdr::Decoder& decoder, DynamicAny::NAME& pair) {                                               \
      Codec<std::string>::decode(decoder, pair.id());                                                                 \
      Codec<Value>::decode(decoder, pair.value());                                                                    \
    }                                                                                                                 \
  };
CORBEL_DYN_ANY_PAIR(NameValuePair)
CORBEL_DYN_ANY_PAIR(NameDynAnyPair)
#undef CORBEL_DYN_ANY_PAIR

CORBEL_LIBRARY_ALIAS(DynamicAny, NameValuePairSeq, DynamicAny::NameValuePairSeq, "DynamicAny/NameValuePairSeq",
                     "NameValuePairSeq")
CORBEL_LIBRARY_ALIAS(DynamicAny, NameDynAnyPairSeq, DynamicAny::NameDynAnyPairSeq, "DynamicAny/NameDynAnyPairSeq",
                     "NameDynAnyPairSeq")
CORBEL_LIBRARY_ALIAS(DynamicAny, AnySeq, DynamicAny::AnySeq, "DynamicAny/AnySeq", "AnySeq")
CORBEL_LIBRARY_ALIAS(DynamicAny, DynAnySeq, DynamicAny::DynAnySeq, "DynamicAny/DynAnySeq", "DynAnySeq")

namespace DynamicAny {
/// `DynamicAny::NameValuePair{id="...",value=...}`
CORBEL_API std::ostream& operator<<(std::ostream& stream, const NameValuePair& pair);
CORBEL_API std::ostream& operator<<(std::ostream& stream, const NameDynAnyPair& pair);
}  // namespace DynamicAny
