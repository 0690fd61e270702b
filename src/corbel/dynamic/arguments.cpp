// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/arguments.hpp"

#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/transcode.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;

bool is_void(const CORBA::Any& value) {
  return value._type().kind() == TCKind::tk_void || value._type().kind() == TCKind::tk_null;
}

}  // namespace

void encode_values(cdr::Encoder& encoder, const CORBA::NamedValue& result, const CORBA::NVList& arguments,
                   CORBA::Flags way) {
  if ((result.flags & way) != 0) result.value._encode_value(encoder);
  for (const auto& argument : arguments) {
    if ((argument.flags & way) != 0) argument.value._encode_value(encoder);
  }
}

void decode_values(cdr::Decoder& decoder, CORBA::NamedValue& result, CORBA::NVList& arguments, CORBA::Flags way) {
  const auto decode = [&](CORBA::NamedValue& named) {
    if ((named.flags & way) != 0) named.value = decode_value(decoder, named.value.type());
  };
  if (!is_void(result.value)) decode(result);
  for (auto& argument : arguments) decode(argument);
}

void check_values(std::string_view operation, const CORBA::NVList& arguments, CORBA::Flags way) {
  // A servant whose results are asked for has run.
  using enum CORBA::CompletionStatus;
  const auto done = way == CORBA::ARG_OUT ? COMPLETED_YES : COMPLETED_NO;
  std::size_t position = 0;
  for (const auto& argument : arguments) {
    ++position;
    const bool missing = (argument.flags & way) != 0 && argument.value._value() == nullptr;
    if (!missing && !is_void(argument.value)) continue;
    throw CORBA::BAD_PARAM(0, done,
                           "argument " + std::to_string(position) + " ('" + argument.name + "') of operation '" +
                               std::string(operation) + "' has no " + (missing ? "value" : "type"));
  }
}

void check_result(std::string_view operation, const CORBA::Any& result) {
  if (is_void(result) || result._value() != nullptr) return;
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_YES,
                         "the result of operation '" + std::string(operation) + "' has no value");
}

CORBA::Any decode_exception(cdr::Decoder& decoder, const CORBA::TypeCode& type) {
  const TypeNode& node = type._resolved()._node();
  return keep_value(type._reference(), decoder.context(), [&](cdr::Encoder& out) {
    out.put_plain_string(node.id);
    for (const TypeMember& member : node.members) transcode(*member.type, decoder, out, Origin::foreign);
  });
}

}  // namespace corbel::dynamic
