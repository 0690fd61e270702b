// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "messaging/giop_lite/codec.hpp"

namespace corbel::messaging::giop_lite {
namespace {

base::Error refuse(base::Code code) noexcept {
  return base::error(base::Stage::decode, code);
}

cdr::Decoder after_frame(base::ConstByteSpan message, const cdr::Limits& limits = {}) noexcept {
  cdr::Decoder decoder(message, {}, limits);
  decoder.take_octets(kHeaderSize);
  return decoder;
}

base::ConstByteSpan take_key(cdr::Decoder& decoder, const cdr::Limits& limits) noexcept {
  const base::ConstByteSpan key = decoder.get_octet_sequence();
  if (key.size() > limits.max_object_key) decoder.fail(base::Code::too_large);
  return key;
}

Response response_from(cdr::Decoder& decoder) noexcept {
  switch (decoder.get<std::uint8_t>()) {
    case 0:
      return Response::none;
    case 129:
      return Response::with_server;
    case 1:
    case 3:
      return Response::with_target;
    default:
      decoder.fail(base::Code::malformed);
      return Response::none;
  }
}

}  // namespace

base::Result<FrameHeader> GiopLite::decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const {
  if (octets.size() < kHeaderSize) return refuse(base::Code::truncated);
  std::uint32_t size = 0;
  std::memcpy(&size, octets.data(), sizeof size);
  const auto type = static_cast<MessageType>(octets[4]);
  if (type > MessageType::message_error) return refuse(base::Code::malformed);
  if (limits.max_message_size < kHeaderSize || size > limits.max_message_size - kHeaderSize) {
    return refuse(base::Code::too_large);
  }
  // Without a magic number the size is the only other thing that can show that the peer speaks something else.
  const bool is_control = type == MessageType::close_connection || type == MessageType::message_error;
  constexpr std::uint32_t kGapAndId = 3 + 4;
  if (is_control ? size != 0 : size < kGapAndId) return refuse(base::Code::malformed);
  return FrameHeader{.type = type,
                     .version = version(),
                     .little_endian = std::endian::native == std::endian::little,
                     .more_fragments = false,
                     .header_size = kHeaderSize,
                     .message_size = static_cast<std::uint32_t>(size + kHeaderSize)};
}

base::Result<Protocol::Fragment> GiopLite::decode_fragment(const FrameHeader&, base::ConstByteSpan) const {
  return refuse(base::Code::unsupported);
}

base::Result<std::uint32_t> GiopLite::peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const {
  if (frame.type > MessageType::locate_reply) return refuse(base::Code::bad_argument);
  return decode_cancel_request(frame, message);
}

base::Result<IncomingRequest> GiopLite::decode_request(const FrameHeader&, base::ConstByteSpan message,
                                                       const cdr::Limits& limits, cdr::Decoder& body) const {
  IncomingRequest request;
  cdr::Decoder decoder = after_frame(message, limits);
  request.request_id = decoder.get<std::uint32_t>();
  request.response = response_from(decoder);
  request.object_key = take_key(decoder, limits);
  request.operation = decoder.get_plain_string();
  if (request.operation.size() >= limits.max_operation) decoder.fail(base::Code::too_large);
  if (!decoder.ok()) return decoder.error();
  body = decoder;
  return request;
}

base::Result<IncomingReply> GiopLite::decode_reply(const FrameHeader&, base::ConstByteSpan message,
                                                   const cdr::Limits& limits, cdr::Decoder& body) const {
  IncomingReply reply;
  cdr::Decoder decoder = after_frame(message, limits);
  reply.request_id = decoder.get<std::uint32_t>();
  reply.status = static_cast<ReplyStatus>(decoder.get<std::uint32_t>());
  if (reply.status > ReplyStatus::location_forward) decoder.fail(base::Code::malformed);
  if (!decoder.ok()) return decoder.error();
  body = decoder;
  return reply;
}

base::Result<IncomingLocateRequest> GiopLite::decode_locate_request(const FrameHeader&, base::ConstByteSpan message,
                                                                    const cdr::Limits& limits) const {
  IncomingLocateRequest request;
  cdr::Decoder decoder = after_frame(message, limits);
  request.request_id = decoder.get<std::uint32_t>();
  request.object_key = take_key(decoder, limits);
  if (!decoder.ok()) return decoder.error();
  return request;
}

base::Result<IncomingLocateReply> GiopLite::decode_locate_reply(const FrameHeader&, base::ConstByteSpan message,
                                                                const cdr::Limits& limits, cdr::Decoder& body) const {
  IncomingLocateReply reply;
  cdr::Decoder decoder = after_frame(message, limits);
  reply.request_id = decoder.get<std::uint32_t>();
  reply.status = static_cast<LocateStatus>(decoder.get<std::uint32_t>());
  if (reply.status > LocateStatus::object_forward) decoder.fail(base::Code::malformed);
  if (!decoder.ok()) return decoder.error();
  body = decoder;
  return reply;
}

base::Result<std::uint32_t> GiopLite::decode_cancel_request(const FrameHeader&, base::ConstByteSpan message) const {
  cdr::Decoder decoder = after_frame(message);
  const auto id = decoder.get<std::uint32_t>();
  if (!decoder.ok()) return decoder.error();
  return id;
}

}  // namespace corbel::messaging::giop_lite
