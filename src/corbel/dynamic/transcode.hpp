// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/function_ref.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Whether the octets that are read have been checked before; those that have not are charged to the decoder's budget.
enum class Origin { foreign, own };

/// Copies a value of `type` from one coder to the other, each in its own byte order, alignment and code sets. Failures
/// stick to either. Octets are copied unless they lie in storage of ours and are large.
void transcode(const CORBA::TypeCode& type, cdr::Decoder& in, cdr::Encoder& out, Origin origin);

/// Reads a reference from the one and writes the same or another to the other.
using CopyReference = base::FunctionRef<void(cdr::Decoder& in, cdr::Encoder& out)>;
/// The same for a value that is on its way from one peer to another: text goes from the one code set to the other, and
/// references, also those inside Anys and valuetypes, as `references` copies them.
CORBEL_API void pass_on(const CORBA::TypeCode& type, cdr::Decoder& in, cdr::Encoder& out, CopyReference references);

}  // namespace corbel::dynamic
