// SPDX-License-Identifier: Apache-2.0
// A TypeCode, then an Any, in the byte order that the first octet chooses; what is accepted must be equal to itself
// when it is sent on.
#include <cstdlib>

#include "corbel/dynamic/any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  if (size < 4) return 0;
  const cdr::Format format{.little_endian = (data[0] & 1) != 0};
  {
    cdr::Decoder decoder({data + 4, size - 4}, format);
    const CORBA::typecode_reference type = dynamic::decode_type(decoder);
    if ((type != nullptr) != decoder.ok()) std::abort();
    if (type != nullptr && !type->equivalent(type->get_compact_typecode())) std::abort();
  }
  cdr::Decoder decoder({data + 4, size - 4}, format);
  CORBA::Any any;
  mapping::Codec<CORBA::Any>::decode(decoder, any);
  if (!decoder.ok()) return 0;
  cdr::Encoder encoder({.little_endian = !format.little_endian});
  mapping::Codec<CORBA::Any>::encode(encoder, any);
  if (!encoder.ok()) std::abort();
  return 0;
}
