// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/error.hpp"

#include <system_error>

namespace corbel::base {

std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::none:
      return "no error";
    case Code::refused:
      return "refused";
    case Code::unreachable:
      return "unreachable";
    case Code::timed_out:
      return "timed out";
    case Code::would_block:
      return "would block";
    case Code::closed:
      return "closed by the peer";
    case Code::lost:
      return "connection lost";
    case Code::malformed:
      return "malformed data";
    case Code::too_large:
      return "too large";
    case Code::truncated:
      return "data ends too early";
    case Code::unsupported:
      return "not supported";
    case Code::bad_argument:
      return "bad argument";
    case Code::out_of_resources:
      return "out of resources";
    case Code::address_in_use:
      return "address in use";
    case Code::not_found:
      return "not found";
    case Code::cancelled:
      return "cancelled";
    case Code::bad_string:
      return "bad string";
    case Code::bad_boolean:
      return "bad boolean";
    case Code::bad_enum:
      return "enumerator out of range";
    case Code::bad_character:
      return "character not in the code set";
    case Code::bad_bound:
      return "bound exceeded";
    case Code::bad_discriminator:
      return "bad union discriminator";
    case Code::protocol_error:
      return "the peer reported a protocol error";
    case Code::unknown_reply:
      return "reply to an unknown request";
    case Code::no_profile:
      return "no usable profile";
    case Code::forward_loop:
      return "too many location forwards";
    case Code::wide_data:
      return "wide characters not negotiated";
    case Code::other:
      return "other failure";
    case Code::too_deep:
      return "nested deeper than -ORBMaxDepth allows";
    case Code::too_expanded:
      return "more memory for the values than -ORBMaxExpansion allows";
    case Code::too_many_profiles:
      return "more profiles than -ORBMaxProfiles allows";
    case Code::too_many_components:
      return "more components than -ORBMaxComponents allows";
    case Code::key_too_long:
      return "an object key longer than -ORBMaxObjectKey allows";
  }
  return "unknown failure";
}

std::string_view to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::none:
      return "none";
    case Stage::resolve:
      return "resolve";
    case Stage::connect:
      return "connect";
    case Stage::listen:
      return "listen";
    case Stage::accept:
      return "accept";
    case Stage::encode:
      return "encode";
    case Stage::send:
      return "send";
    case Stage::wait:
      return "wait for the reply";
    case Stage::receive:
      return "receive";
    case Stage::decode:
      return "decode";
    case Stage::dispatch:
      return "dispatch";
    case Stage::upcall:
      return "upcall";
    case Stage::configure:
      return "configure";
  }
  return "unknown stage";
}

std::string to_string(const Error& error) {
  std::string text(to_string(error.stage));
  text += ": ";
  text += to_string(error.code);
  if (error.os_error > 0) text += " (" + std::generic_category().message(error.os_error) + ")";
  return text;
}

}  // namespace corbel::base
