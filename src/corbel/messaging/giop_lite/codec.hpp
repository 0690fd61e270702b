// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/codec_types.hpp"

namespace corbel::messaging::giop_lite {

/// Message header: ulong size of what follows it, octet type; host byte order. Alignment counts from its first octet.
inline constexpr std::size_t kHeaderSize = 5;

/// Writes and reads GIOP_Lite messages, as giop::Giop does GIOP's. Stateless, hence thread-safe.
class GiopLite final {
 public:
  /// The version whose rules bodies follow.
  static constexpr Version version() noexcept { return {1, 2}; }

  base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const;

  void encode_request(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request,
                      BodyWriter body) const;
  void encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status, BodyWriter body) const;
  void encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id, base::ConstByteSpan object_key) const;
  void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status, BodyWriter body) const;
  void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const;
  void encode_control(cdr::Encoder& encoder, MessageType type) const;

  /// Into `request`, where it is to be, which must not have been of another protocol. After a failure it is undefined.
  base::Status decode_request(base::ConstByteSpan message, const cdr::Limits& limits, IncomingRequest& request,
                              cdr::Decoder& body) const;
  base::Result<IncomingRequest> decode_request(const FrameHeader&, base::ConstByteSpan message,
                                               const cdr::Limits& limits, cdr::Decoder& body) const {
    IncomingRequest request;
    CORBEL_CHECK(decode_request(message, limits, request, body));
    return request;
  }
  /// The same of replies.
  base::Status decode_reply(base::ConstByteSpan message, const cdr::Limits& limits, IncomingReply& reply,
                            cdr::Decoder& body) const;
  base::Result<IncomingReply> decode_reply(const FrameHeader&, base::ConstByteSpan message, const cdr::Limits& limits,
                                           cdr::Decoder& body) const {
    IncomingReply reply;
    CORBEL_CHECK(decode_reply(message, limits, reply, body));
    return reply;
  }
  base::Result<IncomingLocateRequest> decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                            const cdr::Limits& limits) const;
  base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                        const cdr::Limits& limits, cdr::Decoder& body) const;
  base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame, base::ConstByteSpan message) const;
};

}  // namespace corbel::messaging::giop_lite
