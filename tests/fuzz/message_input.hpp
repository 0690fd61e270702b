// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/protocol.hpp"

namespace corbel::fuzz {

/// Reads one message as a connection would: the frame, then the header its type asks for, then some values of the body.
inline void read_message(const messaging::Protocol& protocol, base::ConstByteSpan octets) {
  const cdr::Limits limits;
  if (octets.size() < protocol.frame_header_size()) return;
  auto frame = protocol.decode_frame(octets.first(protocol.frame_header_size()), limits);
  if (!frame) return;
  // A connection hands over whole messages only; here the input decides how long they are.
  frame->message_size = static_cast<std::uint32_t>(octets.size());
  (void)protocol.peek_request_id(*frame, octets);
  cdr::Decoder body;
  bool has_body = false;
  switch (frame->type) {
    case messaging::MessageType::request: {
      const auto request = protocol.decode_request(*frame, octets, limits, body);
      if (request) request->contexts.for_each([](const messaging::ServiceContext&) {});
      has_body = request.ok();
      break;
    }
    case messaging::MessageType::reply: {
      const auto reply = protocol.decode_reply(*frame, octets, limits, body);
      if (reply) reply->contexts.for_each([](const messaging::ServiceContext&) {});
      has_body = reply.ok();
      break;
    }
    case messaging::MessageType::locate_request:
      (void)protocol.decode_locate_request(*frame, octets, limits);
      break;
    case messaging::MessageType::locate_reply:
      has_body = protocol.decode_locate_reply(*frame, octets, limits, body).ok();
      break;
    case messaging::MessageType::cancel_request:
      (void)protocol.decode_cancel_request(*frame, octets);
      break;
    case messaging::MessageType::fragment:
      (void)protocol.decode_fragment(*frame, octets);
      break;
    default:
      break;
  }
  if (has_body) {
    ior::Ior reference;
    ior::decode(body, reference, limits);
  }
}

}  // namespace corbel::fuzz
