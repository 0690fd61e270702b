// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/error.hpp"

#include <system_error>

namespace corbel::base {

std::string_view to_string(Code code) noexcept {  // NOLINT(readability-function-size): a line for each
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
      return "nested deeper than -ORBMaxDepth allows, or deeper than is sent (1000)";
    case Code::too_expanded:
      return "more memory for the values than -ORBMaxExpansion allows";
    case Code::too_many_profiles:
      return "more profiles than -ORBMaxProfiles allows";
    case Code::too_many_components:
      return "more components than -ORBMaxComponents allows";
    case Code::key_too_long:
      return "an object key longer than -ORBMaxObjectKey allows";
    case Code::certificate_expired:
      return "the peer's certificate has expired";
    case Code::certificate_not_yet_valid:
      return "the peer's certificate is not valid yet";
    case Code::certificate_name:
      return "the peer's certificate is made out to another name";
    case Code::certificate_authority:
      return "the peer's certificate is of an unknown authority";
    case Code::certificate_revoked:
      return "the peer's certificate is revoked";
    case Code::certificate_purpose:
      return "the peer's certificate is for another purpose";
    case Code::certificate_weak:
      return "the key or a signature of the peer's certificate is too weak";
    case Code::certificate_invalid:
      return "the peer's certificate is not valid";
    case Code::certificate_missing:
      return "the peer has shown no certificate";
    case Code::certificate_refused:
      return "the peer refuses the certificate of this side or misses one";
    case Code::revocation_unknown:
      return "no current list says whether the peer's certificate is revoked";
    case Code::no_common_security:
      return "no version or cipher of TLS in common";
    case Code::not_secure:
      return "the peer does not speak TLS";
    case Code::bad_security_settings:
      return "certificate, key or authorities of this side cannot be used";
    case Code::no_value_memory:
      return "more memory for the values than -ORBMaxInputMemory leaves";
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
