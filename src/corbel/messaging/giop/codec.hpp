// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/codec_types.hpp"
#include "corbel/messaging/giop/traits.hpp"

namespace corbel::messaging::giop {

/// Writes and reads GIOP messages; what is particular to a conversation is passed in. Encoding functions write one
/// whole message (header, body, patched size) in the encoder's format; whether it worked is the encoder's ok().
/// Decoding functions take a whole message, fragments joined, and leave `body` at the first octet of the body.
/// Immutable, hence thread-safe. The members are defined by message kind: frame.cpp, request.cpp, reply.cpp,
/// locate.cpp, control.cpp.
class Giop final {
 public:
  explicit Giop(Version max) noexcept : max_minor_(max.minor < kHighestMinor ? max.minor : kHighestMinor) {}

  /// The highest version read.
  Version version() const noexcept { return {1, max_minor_}; }

  /// Reads the header of a message, kHeaderSize octets. Fails with malformed (magic, type, flags), unsupported
  /// (version) or too_large (limit).
  base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const;
  /// The size of a message that begins, with kHeaderSize octets, as nearly every one does: a request or a reply of 1.2,
  /// in one piece, in this machine's byte order. It is within no limit yet. 0: one that decode_frame() has to look at.
  std::uint64_t usual_size(base::ConstByteSpan octets) const noexcept;
  /// For a fragment: the request id it continues and where its data begin.
  struct Fragment {
    std::uint32_t request_id = 0;
    bool has_request_id = false;  ///< GIOP 1.1 fragments carry none: they continue the open message
    std::size_t data_offset = 0;
  };
  base::Result<Fragment> decode_fragment(const FrameHeader& frame, base::ConstByteSpan message) const;
  /// The request id of any message that has one.
  base::Result<std::uint32_t> peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const;

  void encode_request(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request,
                      BodyWriter body) const;
  void encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                    std::span<const ServiceContext> contexts, BodyWriter body) const;
  void encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id, base::ConstByteSpan object_key) const;
  void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status, BodyWriter body) const;
  void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const;
  /// close_connection or message_error.
  void encode_control(cdr::Encoder& encoder, MessageType type) const;

  /// Into `request`, where it is to be: a message that is received is not copied about. After a failure it is
  /// undefined.
  base::Status decode_request(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                              IncomingRequest& request, bool& needs_key_addressing, cdr::Decoder& body) const;
  base::Result<DecodedRequest> decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                              const cdr::Limits& limits, cdr::Decoder& body) const {
    DecodedRequest request;
    CORBEL_CHECK(decode_request(frame, message, limits, request, request.needs_key_addressing, body));
    return request;
  }
  /// The same of replies.
  base::Status decode_reply(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                            IncomingReply& reply, cdr::Decoder& body) const;
  base::Result<IncomingReply> decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                           const cdr::Limits& limits, cdr::Decoder& body) const {
    IncomingReply reply;
    CORBEL_CHECK(decode_reply(frame, message, limits, reply, body));
    return reply;
  }
  base::Result<DecodedLocateRequest> decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                           const cdr::Limits& limits) const;
  base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                        const cdr::Limits& limits, cdr::Decoder& body) const;
  /// The id that a CancelRequest names.
  base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame, base::ConstByteSpan message) const;

 private:
  std::uint8_t max_minor_;
};

}  // namespace corbel::messaging::giop
