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

namespace corbel::dynamic::detail {
inline constexpr TypeMember kEncoding[] = {{"format", &IOP::detail::k_EncodingFormat},
                                           {"major_version", &CORBA::detail::k_octet},
                                           {"minor_version", &CORBA::detail::k_octet}};
}  // namespace corbel::dynamic::detail
CORBEL_LIBRARY_MEMBERS(IOP::Encoding, tk_struct, "IDL:omg.org/IOP/Encoding:1.0", "Encoding", detail::kEncoding)

namespace IOP {
/// `IOP::Encoding{format=0,major_version=1,minor_version=2}`
CORBEL_API std::ostream& operator<<(std::ostream& stream, const Encoding& encoding);
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
