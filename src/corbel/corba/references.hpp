// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace corbel::cdr {
class Decoder;
class Encoder;
}  // namespace corbel::cdr

namespace CORBA {
class Object;
template <class T>
class object_reference;
}  // namespace CORBA

namespace corbel::corba {

/// Writes a reference as an IOR (CORBA 3.3 part 2, 9.3.6). A local object fails with bad_argument, which the error map
/// turns into MARSHAL minor OMG 4.
void encode_reference(cdr::Encoder& encoder, const CORBA::Object* object);

/// Reads one; the decoder's context must be an OrbContext unless the reference is nil.
CORBA::object_reference<CORBA::Object> decode_reference(cdr::Decoder& decoder);

}  // namespace corbel::corba
