// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "corbel/cdr/encoder.hpp"
#include "corbel/messaging/message.hpp"

/// What GIOP and protocols cut from it share.
namespace corbel::messaging {

/// Message kinds (GIOP's numbers, CORBA 3.3 part 2, 9.4.1).
enum class MessageType : std::uint8_t {
  request = 0,
  reply = 1,
  cancel_request = 2,
  locate_request = 3,
  locate_reply = 4,
  close_connection = 5,
  message_error = 6,
  fragment = 7,
};

/// What the first octets of a message say about it.
struct FrameHeader {
  MessageType type = MessageType::message_error;
  Version version;
  bool little_endian = true;
  bool more_fragments = false;
  std::uint8_t header_size = 0;    ///< octets before the body; a joined message keeps its first header
  std::uint32_t message_size = 0;  ///< octets in all, header included
};

/// A request as its header says it.
struct DecodedRequest : IncomingRequest {
  /// The target came as a profile or reference of a kind that we cannot take a key from: answer NEEDS_ADDRESSING_MODE.
  bool needs_key_addressing = false;
};

/// A LocateRequest as its header says it.
struct DecodedLocateRequest : IncomingLocateRequest {
  bool needs_key_addressing = false;
};

struct IncomingLocateReply {
  Token token = 0;
  LocateStatus status = LocateStatus::unknown_object;
};

/// The body of a reply with a system exception, COMPLETED_NO.
inline void put_not_executed(cdr::Encoder& out, std::string_view id, std::uint32_t minor) {
  constexpr std::uint32_t kCompletedNo = 1;
  out.put_plain_string(id);
  out.put(minor);
  out.put(kCompletedNo);
}
/// That of the reply to a request whose header is beyond a limit.
inline void put_header_too_large(cdr::Encoder& out) {
  constexpr std::uint32_t kHeaderTooLarge = 0x43420000 | 8 << 7 | 8;  // Corbel's: Stage::receive, Code::too_large
  put_not_executed(out, "IDL:omg.org/CORBA/IMP_LIMIT:1.0", kHeaderTooLarge);
}

}  // namespace corbel::messaging
