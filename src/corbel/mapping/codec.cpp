// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/codec.hpp"

#include "corbel/corba/references.hpp"

namespace corbel::mapping {

void encode_object(cdr::Encoder& encoder, const CORBA::Object* object) {
  corba::encode_reference(encoder, object);
}

CORBA::object_reference<CORBA::Object> decode_object(cdr::Decoder& decoder) {
  return corba::decode_reference(decoder);
}

}  // namespace corbel::mapping
