// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/corba_types.hpp"
#include "corbel/dynamic/iop.hpp"
#include "corbel/dynamic/library_types.hpp"

/// Modules IOP and CONV_FRAME as IDL uses them: what is no local interface travels, and goes into Anys.
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::InvalidTypeForEncoding, "InvalidTypeForEncoding")
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::FormatMismatch, "FormatMismatch")
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::TypeMismatch, "TypeMismatch")
CORBEL_LIBRARY_EXCEPTION(IOP::CodecFactory::UnknownEncoding, "UnknownEncoding")

CORBEL_LIBRARY_LOCAL(IOP::Codec, "IDL:omg.org/IOP/Codec:1.0", "Codec")
CORBEL_LIBRARY_LOCAL(IOP::CodecFactory, "IDL:omg.org/IOP/CodecFactory:1.0", "CodecFactory")

CORBEL_LIBRARY_ALIAS(IOP, EncodingFormat, IOP::EncodingFormat, "IOP/EncodingFormat", "EncodingFormat")
CORBEL_LIBRARY_ALIAS(CONV_FRAME, CodeSetId, CONV_FRAME::CodeSetId, "CONV_FRAME/CodeSetId", "CodeSetId")
CORBEL_LIBRARY_ALIAS(IOP, ProfileId, IOP::ProfileId, "IOP/ProfileId", "ProfileId")
CORBEL_LIBRARY_ALIAS(IOP, ComponentId, IOP::ComponentId, "IOP/ComponentId", "ComponentId")
CORBEL_LIBRARY_ALIAS(IOP, ServiceId, IOP::ServiceId, "IOP/ServiceId", "ServiceId")

/// Of typedefs of what is a typedef itself, and of what has members of such.
#define CORBEL_IOP_ALIAS(MODULE, ALIAS, CONTENT)                                                                       \
  namespace MODULE::detail {                                                                                           \
  inline constexpr CORBA::TypeCode k_##ALIAS{corbel::dynamic::TypeNode{.kind = CORBA::TCKind::tk_alias,                \
                                                                       .id = "IDL:omg.org/" #MODULE "/" #ALIAS ":1.0", \
                                                                       .name = #ALIAS,                                 \
                                                                       .content = &CONTENT}};                          \
  }                                                                                                                    \
  namespace MODULE {                                                                                                   \
  inline constexpr CORBA::typecode_reference _tc_##ALIAS = CORBA::TypeCode::_constant(detail::k_##ALIAS);              \
  }
#define CORBEL_IOP_MEMBERS(MODULE, NAME, FIRST, FIRST_TYPE, SECOND, SECOND_TYPE)                                   \
  namespace corbel::dynamic::detail {                                                                              \
  inline constexpr TypeMember k##NAME[] = {{#FIRST, &FIRST_TYPE}, {#SECOND, &SECOND_TYPE}};                        \
  }                                                                                                                \
  CORBEL_LIBRARY_MEMBERS(MODULE::NAME, tk_struct, "IDL:omg.org/" #MODULE "/" #NAME ":1.0", #NAME, detail::k##NAME) \
  namespace MODULE {                                                                                               \
  inline constexpr CORBA::typecode_reference _tc_##NAME =                                                          \
      CORBA::TypeCode::_constant(corbel::dynamic::TypeOf<NAME>::code);                                             \
  }
namespace CONV_FRAME::detail {
inline constexpr CORBA::TypeCode k_CodeSetIds{
    corbel::dynamic::TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &k_CodeSetId}};
}
CORBEL_IOP_ALIAS(CONV_FRAME, CodeSetIdSeq, CONV_FRAME::detail::k_CodeSetIds)
CORBEL_IOP_MEMBERS(CONV_FRAME, CodeSetComponent, native_code_set, CONV_FRAME::detail::k_CodeSetId, conversion_code_sets,
                   CONV_FRAME::detail::k_CodeSetIdSeq)
CORBEL_IOP_MEMBERS(CONV_FRAME, CodeSetComponentInfo, ForCharData, TypeOf<CONV_FRAME::CodeSetComponent>::code,
                   ForWcharData, TypeOf<CONV_FRAME::CodeSetComponent>::code)
CORBEL_IOP_MEMBERS(CONV_FRAME, CodeSetContext, char_data, CONV_FRAME::detail::k_CodeSetId, wchar_data,
                   CONV_FRAME::detail::k_CodeSetId)
CORBEL_IOP_ALIAS(IOP, ProfileData, CORBA::detail::k_OctetSeq)
CORBEL_IOP_ALIAS(IOP, ComponentData, CORBA::detail::k_OctetSeq)
CORBEL_IOP_ALIAS(IOP, ObjectKey, CORBA::detail::k_OctetSeq)
CORBEL_IOP_MEMBERS(IOP, TaggedProfile, tag, IOP::detail::k_ProfileId, profile_data, IOP::detail::k_ProfileData)
CORBEL_IOP_ALIAS(IOP, TaggedProfileSeq, corbel::dynamic::TypeOf<IOP::TaggedProfileSeq>::code)
CORBEL_IOP_MEMBERS(IOP, IOR, type_id, CORBA::detail::k_string, profiles, IOP::detail::k_TaggedProfileSeq)
CORBEL_IOP_MEMBERS(IOP, TaggedComponent, tag, IOP::detail::k_ComponentId, component_data, IOP::detail::k_ComponentData)
CORBEL_IOP_ALIAS(IOP, TaggedComponentSeq, corbel::dynamic::TypeOf<IOP::TaggedComponentSeq>::code)
CORBEL_IOP_ALIAS(IOP, MultipleComponentProfile, corbel::dynamic::TypeOf<IOP::TaggedComponentSeq>::code)
CORBEL_IOP_MEMBERS(IOP, ServiceContext, context_id, IOP::detail::k_ServiceId, context_data,
                   TypeOf<CORBA::OctetSeq>::code)
CORBEL_IOP_ALIAS(IOP, ServiceContextList, corbel::dynamic::TypeOf<IOP::ServiceContextList>::code)
#undef CORBEL_IOP_ALIAS
#undef CORBEL_IOP_MEMBERS

#define CORBEL_IOP_CODEC(MODULE, NAME, A, FIRST, B, SECOND)                          \
  namespace MODULE {                                                                 \
  CORBEL_API std::ostream& operator<<(std::ostream& stream, const NAME& value);      \
  }                                                                                  \
  template <>                                                                        \
  struct corbel::mapping::Codec<MODULE::NAME> {                                      \
    static constexpr std::size_t kMinSize = Codec<A>::kMinSize + Codec<B>::kMinSize; \
    static void encode(cdr::Encoder& encoder, const MODULE::NAME& value) {           \
      Codec<A>::encode(encoder, value.FIRST());                                      \
      Codec<B>::encode(encoder, value.SECOND());                                     \
    }                                                                                \
    static void decode(cdr::Decoder& decoder, MODULE::NAME& value) {                 \
      Codec<A>::decode(decoder, value.FIRST());                                      \
      Codec<B>::decode(decoder, value.SECOND());                                     \
    }                                                                                \
  };
CORBEL_IOP_STRUCTS(CORBEL_IOP_CODEC)
#undef CORBEL_IOP_CODEC

namespace corbel::dynamic::detail {
inline constexpr TypeMember kEncoding[] = {{"format", &IOP::detail::k_EncodingFormat},
                                           {"major_version", &CORBA::detail::k_octet},
                                           {"minor_version", &CORBA::detail::k_octet}};
inline constexpr TypeMember kEncoding12[] = {{"format", &IOP::detail::k_EncodingFormat},
                                             {"major_version", &CORBA::detail::k_octet},
                                             {"minor_version", &CORBA::detail::k_octet},
                                             {"char_codeset", &CONV_FRAME::detail::k_CodeSetId},
                                             {"wchar_codeset", &CONV_FRAME::detail::k_CodeSetId}};
inline constexpr TypeMember kUnsupportedCodeset[] = {{"codeset", &CONV_FRAME::detail::k_CodeSetId}};
}  // namespace corbel::dynamic::detail
CORBEL_LIBRARY_MEMBERS(IOP::Encoding, tk_struct, "IDL:omg.org/IOP/Encoding:1.0", "Encoding", detail::kEncoding)
CORBEL_LIBRARY_MEMBERS(IOP::Encoding_1_2, tk_struct, "IDL:omg.org/IOP/Encoding_1_2:1.0", "Encoding_1_2",
                       detail::kEncoding12)
CORBEL_LIBRARY_MEMBERS(IOP::CodecFactory::UnsupportedCodeset, tk_except, IOP::CodecFactory::UnsupportedCodeset::_id,
                       "UnsupportedCodeset", detail::kUnsupportedCodeset)

namespace IOP {
/// `IOP::Encoding{format=0,major_version=1,minor_version=2}`
CORBEL_API std::ostream& operator<<(std::ostream& stream, const Encoding& encoding);
/// The same, with `char_codeset` and `wchar_codeset`.
CORBEL_API std::ostream& operator<<(std::ostream& stream, const Encoding_1_2& encoding);
}  // namespace IOP

template <>
struct corbel::mapping::Codec<IOP::Encoding> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const IOP::Encoding& value) {
    encoder.put(value.format());
    encoder.put(value.major_version());
    encoder.put(value.minor_version());
  }
  static void decode(cdr::Decoder& decoder, IOP::Encoding& value) {
    value.format() = decoder.get<std::int16_t>();
    value.major_version() = decoder.get<std::uint8_t>();
    value.minor_version() = decoder.get<std::uint8_t>();
  }
};

template <>
struct corbel::mapping::Codec<IOP::Encoding_1_2> {
  static constexpr std::size_t kMinSize = 12;
  static void encode(cdr::Encoder& encoder, const IOP::Encoding_1_2& value) {
    encoder.put(value.format());
    encoder.put(value.major_version());
    encoder.put(value.minor_version());
    encoder.put(value.char_codeset());
    encoder.put(value.wchar_codeset());
  }
  static void decode(cdr::Decoder& decoder, IOP::Encoding_1_2& value) {
    value.format() = decoder.get<std::int16_t>();
    value.major_version() = decoder.get<std::uint8_t>();
    value.minor_version() = decoder.get<std::uint8_t>();
    value.char_codeset() = decoder.get<std::uint32_t>();
    value.wchar_codeset() = decoder.get<std::uint32_t>();
  }
};

template <>
struct corbel::mapping::Codec<IOP::CodecFactory::UnsupportedCodeset> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const IOP::CodecFactory::UnsupportedCodeset& value) {
    encoder.put(value.codeset());
  }
  static void decode(cdr::Decoder& decoder, IOP::CodecFactory::UnsupportedCodeset& value) {
    value.codeset() = decoder.get<std::uint32_t>();
  }
};
