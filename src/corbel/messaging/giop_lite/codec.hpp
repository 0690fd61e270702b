// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "corbel/messaging/codec_types.hpp"

namespace corbel::messaging::giop_lite {

/// Message header: ulong size of what follows it, octet type; host byte order. Alignment counts from its first octet.
/// The three octets up to the next ulong are zero in what was written before there were indices, and not looked at by
/// who knows none:
///
///   request  octet 0, ushort the index that object key and operation have from now on, or 0
///   reply    octet how indices are understood here (kIndexing), ushort 0
///
/// A request to a peer that has said so, for a name that has an index, is instead
///
///   ulong size, octet kIndexedRequest, octet response, ushort index, ulong request id; the body at a multiple of 8
inline constexpr std::size_t kHeaderSize = 5;

inline constexpr auto kIndexedRequest = static_cast<MessageType>(8);
inline constexpr std::uint8_t kIndexing = 1;

/// Writes and reads GIOP_Lite messages, as giop::Giop does GIOP's. Stateless, hence thread-safe.
class GiopLite final {
 public:
  /// The version whose rules bodies follow.
  static constexpr Version version() noexcept { return {1, 2}; }

  base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const;

  /// `index`: what the names are to have from now on; 0: none.
  void encode_request(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request, BodyWriter body,
                      std::uint16_t index = 0) const;
  /// The names are left out.
  void encode_indexed(cdr::Encoder& encoder, std::uint32_t request_id, Response response, std::uint16_t index,
                      BodyWriter body) const;
  /// `indexing`: the sender understands indices.
  void encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status, BodyWriter body,
                    bool indexing = false) const;
  void encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id, base::ConstByteSpan object_key) const;
  void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status, BodyWriter body) const;
  void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const;
  void encode_control(cdr::Encoder& encoder, MessageType type) const;

  /// The index that a request gives to its names, or stands for them; 0: none. Of a message of 8 octets or more.
  static std::uint16_t index_in(base::ConstByteSpan message) noexcept {
    std::uint16_t index = 0;
    std::memcpy(&index, message.data() + kHeaderSize + 1, sizeof index);
    return index;
  }
  /// True if who wrote this reply understands indices. Of a message of 8 octets or more.
  static bool announces_indexing(base::ConstByteSpan reply) noexcept { return reply[kHeaderSize] == kIndexing; }

  /// Into `request`, where it is to be, which must not have been of another protocol. After a failure it is undefined.
  base::Status decode_request(base::ConstByteSpan message, const cdr::Limits& limits, IncomingRequest& request,
                              cdr::Decoder& body) const;
  base::Result<IncomingRequest> decode_request(const FrameHeader&, base::ConstByteSpan message,
                                               const cdr::Limits& limits, cdr::Decoder& body) const {
    IncomingRequest request;
    CORBEL_CHECK(decode_request(message, limits, request, body));
    return request;
  }
  /// The same of a request without names, which stay what they were.
  base::Status decode_indexed(base::ConstByteSpan message, const cdr::Limits& limits, IncomingRequest& request,
                              cdr::Decoder& body) const;
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
