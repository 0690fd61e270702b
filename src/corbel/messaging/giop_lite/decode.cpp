// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "corbel/messaging/giop_lite/codec.hpp"
#include "corbel/messaging/header_input.hpp"

namespace corbel::messaging::giop_lite {
namespace {

base::Error refuse(base::Code code) noexcept {
  return base::error(base::Stage::decode, code);
}

HeaderInput after_frame(base::ConstByteSpan message) noexcept {
  return {message, kHeaderSize, false};
}

/// Makes `body` the decoder of the body, which begins at a multiple of 8 as in GIOP 1.2, so that it may be passed on as
/// it is.
void begin_body(cdr::Decoder& body, const HeaderInput& header, base::ConstByteSpan message,
                const cdr::Limits& limits) noexcept {
  const std::size_t position = (header.position() + 7) & ~std::size_t{7};
  body.begin(message, {}, limits, position < message.size() ? position : message.size());
}

/// False if the octet says nothing.
bool read_response(std::uint8_t octet, Response& response) noexcept {
  switch (octet) {
    case 0:
      response = Response::none;
      return true;
    case 129:
      response = Response::with_server;
      return true;
    case 1:
    case 3:
      response = Response::with_target;
      return true;
    default:
      return false;
  }
}

}  // namespace

base::Result<FrameHeader> GiopLite::decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const {
  if (octets.size() < kHeaderSize) return refuse(base::Code::truncated);
  std::uint32_t size = 0;
  std::memcpy(&size, octets.data(), sizeof size);
  const auto type = static_cast<MessageType>(octets[4]);
  if (type > MessageType::message_error && type != kIndexedRequest) return refuse(base::Code::malformed);
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

base::Status GiopLite::decode_request(base::ConstByteSpan message, const cdr::Limits& limits, IncomingRequest& request,
                                      cdr::Decoder& body) const {
  HeaderInput header = after_frame(message);
  request.origin.id = header.get();
  const base::ConstByteSpan response = header.take(1);
  if (!response.empty() && !read_response(response.front(), request.response)) [[unlikely]]
    header.fail(base::Code::malformed);
  request.object_key = header.get_key(header.get(), limits);
  request.operation = header.get_string(limits.max_operation);
  if (!header.ok()) [[unlikely]]
    return header.error();
  begin_body(body, header, message, limits);
  return {};
}

base::Status GiopLite::decode_indexed(base::ConstByteSpan message, const cdr::Limits& limits, IncomingRequest& request,
                                      cdr::Decoder& body) const {
  constexpr std::size_t kIdAt = 8;
  constexpr std::size_t kBodyAt = 16;
  if (message.size() < kIdAt + sizeof request.origin.id) [[unlikely]]
    return refuse(base::Code::truncated);
  if (!read_response(message[kHeaderSize], request.response)) [[unlikely]]
    return refuse(base::Code::malformed);
  std::memcpy(&request.origin.id, message.data() + kIdAt, sizeof request.origin.id);
  body = cdr::Decoder(message, {}, limits, std::min(kBodyAt, message.size()));
  return {};
}

base::Status GiopLite::decode_reply(base::ConstByteSpan message, const cdr::Limits& limits, IncomingReply& reply,
                                    cdr::Decoder& body) const {
  HeaderInput header = after_frame(message);
  reply.token = header.get();
  reply.status = static_cast<ReplyStatus>(header.get());
  if (reply.status > ReplyStatus::location_forward) [[unlikely]]
    header.fail(base::Code::malformed);
  if (!header.ok()) [[unlikely]]
    return header.error();
  begin_body(body, header, message, limits);
  return {};
}

base::Result<IncomingLocateRequest> GiopLite::decode_locate_request(const FrameHeader&, base::ConstByteSpan message,
                                                                    const cdr::Limits& limits) const {
  IncomingLocateRequest request;
  HeaderInput header = after_frame(message);
  request.origin.id = header.get();
  request.object_key = header.get_key(header.get(), limits);
  if (!header.ok()) return header.error();
  return request;
}

base::Result<IncomingLocateReply> GiopLite::decode_locate_reply(const FrameHeader&, base::ConstByteSpan message,
                                                                const cdr::Limits& limits, cdr::Decoder& body) const {
  IncomingLocateReply reply;
  HeaderInput header = after_frame(message);
  reply.token = header.get();
  reply.status = static_cast<LocateStatus>(header.get());
  if (reply.status > LocateStatus::object_forward) header.fail(base::Code::malformed);
  if (!header.ok()) return header.error();
  begin_body(body, header, message, limits);
  return reply;
}

base::Result<std::uint32_t> GiopLite::decode_cancel_request(const FrameHeader&, base::ConstByteSpan message) const {
  HeaderInput header = after_frame(message);
  const auto id = header.get();
  if (!header.ok()) return header.error();
  return id;
}

}  // namespace corbel::messaging::giop_lite
