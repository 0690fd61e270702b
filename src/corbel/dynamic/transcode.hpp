// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Whether the octets that are read have been checked before; those that have not are charged to the decoder's budget.
enum class Origin { foreign, own };

/// Copies a value of `type` from one coder to the other, each in its own byte order, alignment and code sets. Failures
/// stick to either. Octets are copied unless they lie in storage of ours and are large.
void transcode(const CORBA::TypeCode& type, cdr::Decoder& in, cdr::Encoder& out, Origin origin);

}  // namespace corbel::dynamic
