// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/cdr/value_stream.hpp"

/// Values with custom marshalling inside others that are copied by their TypeCodes: only their own code knows what they
/// are made of.
namespace corbel::dynamic {

/// Copies a value whose header has been read by making it: it is read by its own unmarshal() and written by its own
/// marshal(), which may throw. `in` fails with not_found if no factory is registered for `id`.
void copy_custom_value(const cdr::ValueHeader& header, std::string_view id, cdr::Decoder& in, cdr::Encoder& out);

/// If the value at this position was made for a custom one, and is in the message that is written, writes an
/// indirection to it; else false.
bool put_known_object(cdr::Decoder& in, cdr::Encoder& out, std::size_t position);

}  // namespace corbel::dynamic
