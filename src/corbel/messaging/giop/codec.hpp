// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/giop/traits.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::messaging::giop {

/// GIOP behind the message port. Immutable, hence thread-safe. Its members are defined by message kind: frame.cpp,
/// request.cpp, reply.cpp, locate.cpp, control.cpp.
class Giop final : public Protocol {
 public:
  explicit Giop(Version max) noexcept : max_minor_(max.minor < kHighestMinor ? max.minor : kHighestMinor) {}

  std::string_view name() const noexcept override { return "giop"; }
  Requirements requirements() const noexcept override { return {}; }
  Version version() const noexcept override { return {1, max_minor_}; }
  bool has_service_contexts() const noexcept override { return max_minor_ > 0; }

  std::size_t frame_header_size() const noexcept override { return kHeaderSize; }
  base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const override;
  base::Result<Fragment> decode_fragment(const FrameHeader& frame, base::ConstByteSpan message) const override;
  base::Result<std::uint32_t> peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const override;

  void encode_request(cdr::Encoder& encoder, const OutgoingRequest& request, BodyWriter body) const override;
  void encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                    std::span<const ServiceContext> contexts, BodyWriter body) const override;
  void encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                             base::ConstByteSpan object_key) const override;
  void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                           BodyWriter body) const override;
  void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const override;
  void encode_control(cdr::Encoder& encoder, MessageType type) const override;

  base::Result<IncomingRequest> decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                               const cdr::Limits& limits, cdr::Decoder& body) const override;
  base::Result<IncomingReply> decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                           const cdr::Limits& limits, cdr::Decoder& body) const override;
  base::Result<IncomingLocateRequest> decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                            const cdr::Limits& limits) const override;
  base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                        const cdr::Limits& limits, cdr::Decoder& body) const override;
  base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame,
                                                    base::ConstByteSpan message) const override;

 private:
  std::uint8_t max_minor_;
};

}  // namespace corbel::messaging::giop
