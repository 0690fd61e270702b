// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"

namespace corbel::base {

/// Where in the life of a call or connection a failure happened. With Code it decides the CORBA system exception, its
/// minor code and its completion status (orb/error_map). The numbers are part of minor codes: never renumber.
enum class Stage : std::uint8_t {
  none = 0,
  resolve = 1,     ///< turning a name, URL or profile into an address
  connect = 2,     ///< establishing a connection
  listen = 3,      ///< opening a listening endpoint
  accept = 4,      ///< accepting a connection
  encode = 5,      ///< marshalling, before any octet was sent
  send = 6,        ///< sending, before the whole message left
  wait = 7,        ///< the message has left; waiting for the reply
  receive = 8,     ///< receiving a message that has begun to arrive
  decode = 9,      ///< unmarshalling a received message
  dispatch = 10,   ///< finding the target of a request on the server
  upcall = 11,     ///< inside the servant
  configure = 12,  ///< reading options or plugging components together
};

/// What went wrong. The numbers are part of minor codes, which have seven bits for them: never renumber.
enum class Code : std::uint8_t {
  none = 0,
  refused = 1,             ///< the peer or the system refuses (no listener, no permission)
  unreachable = 2,         ///< no route, unknown host, no such path
  timed_out = 3,           ///< the deadline passed
  would_block = 4,         ///< not ready; only from non-blocking forms
  closed = 5,              ///< the peer closed in an orderly way (CloseConnection, or end of stream between messages)
  lost = 6,                ///< the connection broke (reset, or end of stream inside a message)
  malformed = 7,           ///< octets that break the protocol or encoding rules
  too_large = 8,           ///< a limit (message size, count, depth) would be exceeded
  truncated = 9,           ///< data ends before the value does
  unsupported = 10,        ///< legal, but not provided by this side (version, scheme, tag)
  bad_argument = 11,       ///< the caller passed something unusable
  out_of_resources = 12,   ///< descriptors, memory or threads ran out
  address_in_use = 13,     ///< the endpoint belongs to another socket or process
  not_found = 14,          ///< no such object, adapter, operation or name
  cancelled = 15,          ///< shut down while the work was under way
  bad_string = 16,         ///< string without terminator, with embedded NUL, or of length zero
  bad_boolean = 17,        ///< boolean neither 0 nor 1
  bad_enum = 18,           ///< enumerator out of range
  bad_character = 19,      ///< character that the code set cannot express
  bad_bound = 20,          ///< bounded string or sequence longer than its bound
  bad_discriminator = 21,  ///< union discriminator that selects nothing legal
  protocol_error = 22,     ///< the peer answered MessageError
  unknown_reply = 23,      ///< reply to a request that was never made
  no_profile = 24,         ///< a reference without a usable profile
  forward_loop = 25,       ///< too many location forwards in a row
  wide_data = 26,          ///< wide characters where the protocol version or code set negotiation has none
  other = 27,
  too_deep = 28,             ///< values or types nested deeper than -ORBMaxDepth
  too_expanded = 29,         ///< values that take more memory than -ORBMaxExpansion allows for the message
  too_many_profiles = 30,    ///< a reference with more than -ORBMaxProfiles
  too_many_components = 31,  ///< a profile with more than -ORBMaxComponents
  key_too_long = 32,         ///< an object key of more than -ORBMaxObjectKey octets
  // For carriers that check certificates (docs/tls.md). The certificate is the peer's unless the name says otherwise.
  certificate_expired = 33,
  certificate_not_yet_valid = 34,
  certificate_name = 35,       ///< made out to another name
  certificate_authority = 36,  ///< issued by no authority that this side knows
  certificate_revoked = 37,
  certificate_purpose = 38,    ///< not for what it is used for
  certificate_weak = 39,       ///< key or signature too weak
  certificate_invalid = 40,    ///< wrong in another way
  certificate_missing = 41,    ///< the peer has shown none
  certificate_refused = 42,    ///< the peer refuses this side's, or misses one
  revocation_unknown = 43,     ///< no current list says whether it is revoked
  no_common_security = 44,     ///< the sides share no version or cipher
  not_secure = 45,             ///< the peer does not speak TLS
  bad_security_settings = 46,  ///< this side's certificate, key or authorities cannot be used
  no_value_memory = 47,        ///< what is decoded takes more memory than -ORBMaxInputMemory leaves
};

/// The last of them.
inline constexpr Code kLastCode = Code::no_value_memory;

/// A failure as a value: 8 octets, trivially copyable. Below the ORB core nothing throws; the ORB core turns an Error
/// into a CORBA system exception in one table. `os_error` is the errno read right after the failing call, or 0.
struct Error {
  Code code = Code::none;
  Stage stage = Stage::none;
  std::uint16_t reserved = 0;
  std::int32_t os_error = 0;

  friend bool operator==(const Error&, const Error&) = default;
};

/// Makes an Error.
constexpr Error error(Stage stage, Code code, int os_error = 0) noexcept {
  return Error{code, stage, 0, os_error};
}

/// The enumerator's name in words, for messages ("timed out", "connect"). Never empty.
CORBEL_API std::string_view to_string(Code code) noexcept;
CORBEL_API std::string_view to_string(Stage stage) noexcept;
/// One line such as "connect: refused (Connection refused)".
CORBEL_API std::string to_string(const Error& error);

}  // namespace corbel::base
