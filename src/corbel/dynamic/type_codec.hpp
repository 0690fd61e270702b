// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/type_code.hpp"
#include "corbel/mapping/codec.hpp"

namespace corbel::dynamic {

/// Writes a TypeCode (CORBA 3.3 part 2, 9.3.5.1); what it contains twice is written once and then pointed to.
CORBEL_API void encode_type(cdr::Encoder& encoder, const CORBA::TypeCode& type);
/// Reads one. Depth and memory are limited by the decoder's limits; null, with the decoder failed, if it is no
/// TypeCode.
CORBEL_API CORBA::typecode_reference decode_type(cdr::Decoder& decoder);

}  // namespace corbel::dynamic

namespace corbel::mapping {

template <>
struct Codec<CORBA::typecode_reference> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::typecode_reference& value) {
    // There is no nil on the wire.
    if (value == nullptr) return encoder.fail(base::Code::bad_argument);
    dynamic::encode_type(encoder, *value);
  }
  static void decode(cdr::Decoder& decoder, CORBA::typecode_reference& value) { value = dynamic::decode_type(decoder); }
};

}  // namespace corbel::mapping
