// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/any.hpp"

namespace corbel::dynamic {

/// An Any of `type` with the octets that `write` writes; `context` is what references in them become objects of. Throws
/// MARSHAL if the encoder fails.
CORBA::Any keep_value(CORBA::typecode_reference type, cdr::Context* context,
                      base::FunctionRef<void(cdr::Encoder&)> write);
[[noreturn]] void throw_bad_value(const base::Error& error);

}  // namespace corbel::dynamic
