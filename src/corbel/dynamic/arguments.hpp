// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/dynamic/nv_list.hpp"

namespace corbel::dynamic {

/// Writes the result (unless it is void) and the arguments that go in the direction `way`.
void encode_values(cdr::Encoder& encoder, const CORBA::NamedValue& result, const CORBA::NVList& arguments,
                   CORBA::Flags way);
/// Reads them, by the types that they have.
void decode_values(cdr::Decoder& decoder, CORBA::NamedValue& result, CORBA::NVList& arguments, CORBA::Flags way);
/// Throws BAD_PARAM naming the first argument that goes in the direction `way` and has no value, or no type at all.
void check_values(std::string_view operation, const CORBA::NVList& arguments, CORBA::Flags way);
/// Throws BAD_PARAM if a result has a type and no value.
void check_result(std::string_view operation, const CORBA::Any& result);
/// Reads the members of an exception whose repository id has been read.
CORBA::Any decode_exception(cdr::Decoder& decoder, const CORBA::TypeCode& type);

}  // namespace corbel::dynamic
