// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/library_types.hpp"

/// What IDL uses of module IOP's Codecs: an Encoding and the exceptions travel, the local interfaces cannot.
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::InvalidTypeForEncoding, "InvalidTypeForEncoding")
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::FormatMismatch, "FormatMismatch")
CORBEL_LIBRARY_EXCEPTION(IOP::Codec::TypeMismatch, "TypeMismatch")
CORBEL_LIBRARY_EXCEPTION(IOP::CodecFactory::UnknownEncoding, "UnknownEncoding")

CORBEL_LIBRARY_LOCAL(IOP::Codec, "IDL:omg.org/IOP/Codec:1.0", "Codec")
CORBEL_LIBRARY_LOCAL(IOP::CodecFactory, "IDL:omg.org/IOP/CodecFactory:1.0", "CodecFactory")

CORBEL_LIBRARY_ALIAS(IOP, EncodingFormat, IOP::EncodingFormat, "IOP/EncodingFormat", "EncodingFormat")
CORBEL_LIBRARY_ALIAS(CONV_FRAME, CodeSetId, CONV_FRAME::CodeSetId, "CONV_FRAME/CodeSetId", "CodeSetId")

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
