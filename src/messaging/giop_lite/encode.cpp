// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop_lite/codec.hpp"

namespace corbel::messaging::giop_lite {
namespace {

constexpr std::uint8_t kTwoWay = 1;
constexpr std::uint8_t kSyncWithServer = 129;

void begin_message(cdr::Encoder& encoder, MessageType type) {
  if (encoder.format().swapped()) encoder.fail(base::Code::unsupported);
  encoder.reserve(64);
  encoder.put(std::uint32_t{0});
  encoder.put(static_cast<std::uint8_t>(type));
}

void finish_message(cdr::Encoder& encoder) noexcept {
  const std::size_t size = encoder.position() - kHeaderSize;
  if (size > 0xffffffffU) encoder.fail(base::Code::too_large);
  encoder.patch_u32(0, static_cast<std::uint32_t>(size));
}

void put_key(cdr::Encoder& encoder, base::ConstByteSpan key) {
  encoder.put_count(key.size());
  encoder.copy_octets(key.data(), key.size());
}

std::uint8_t response_octet(Response response) noexcept {
  switch (response) {
    case Response::none:
      return 0;
    case Response::with_server:
      return kSyncWithServer;
    case Response::with_target:
      break;
  }
  return kTwoWay;
}

}  // namespace

void GiopLite::encode_request(cdr::Encoder& encoder, const OutgoingRequest& request, BodyWriter body) const {
  begin_message(encoder, MessageType::request);
  encoder.put(request.request_id);
  encoder.put(response_octet(request.response));
  put_key(encoder, request.object_key);
  encoder.put_plain_string(request.operation);
  body(encoder);
  finish_message(encoder);
}

void GiopLite::encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                            std::span<const ServiceContext>, BodyWriter body) const {
  // There is no permanent forward here, and no other addressing mode to ask for.
  if (status == ReplyStatus::location_forward_perm) status = ReplyStatus::location_forward;
  if (status > ReplyStatus::location_forward) encoder.fail(base::Code::unsupported);
  begin_message(encoder, MessageType::reply);
  encoder.put(request_id);
  encoder.put(static_cast<std::uint32_t>(status));
  body(encoder);
  finish_message(encoder);
}

void GiopLite::encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                                     base::ConstByteSpan object_key) const {
  begin_message(encoder, MessageType::locate_request);
  encoder.put(request_id);
  put_key(encoder, object_key);
  finish_message(encoder);
}

void GiopLite::encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                                   BodyWriter body) const {
  if (status == LocateStatus::object_forward_perm) status = LocateStatus::object_forward;
  if (status > LocateStatus::object_forward) encoder.fail(base::Code::unsupported);
  begin_message(encoder, MessageType::locate_reply);
  encoder.put(request_id);
  encoder.put(static_cast<std::uint32_t>(status));
  body(encoder);
  finish_message(encoder);
}

void GiopLite::encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const {
  begin_message(encoder, MessageType::cancel_request);
  encoder.put(request_id);
  finish_message(encoder);
}

void GiopLite::encode_control(cdr::Encoder& encoder, MessageType type) const {
  begin_message(encoder, type);
}

}  // namespace corbel::messaging::giop_lite
