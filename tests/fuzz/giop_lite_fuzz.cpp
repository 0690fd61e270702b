// SPDX-License-Identifier: Apache-2.0
// Messages of giop_lite: frame, headers, service contexts, bodies. The input decides how long a message is.
#include "corbel/messaging/giop_lite/codec.hpp"

#include "corbel/ior/ior.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  using messaging::MessageType;
  static const messaging::giop_lite::GiopLite kCodec{};
  const cdr::Limits limits;
  const base::ConstByteSpan octets(data, size);
  if (size < messaging::giop_lite::kHeaderSize) return 0;
  auto frame = kCodec.decode_frame(octets, limits);
  if (!frame) return 0;
  frame->message_size = static_cast<std::uint32_t>(size);
  cdr::Decoder body;
  bool has_body = false;
  if (frame->type == messaging::giop_lite::kIndexedRequest) {
    messaging::IncomingRequest request;
    has_body = kCodec.decode_indexed(octets, limits, request, body).ok();
  }
  switch (frame->type) {
    case MessageType::request:
      if (const auto request = kCodec.decode_request(*frame, octets, limits, body)) {
        request->contexts.for_each([](const messaging::ServiceContext&) {});
        has_body = true;
      }
      break;
    case MessageType::reply:
      if (const auto reply = kCodec.decode_reply(*frame, octets, limits, body)) {
        reply->contexts.for_each([](const messaging::ServiceContext&) {});
        has_body = true;
      }
      break;
    case MessageType::locate_request:
      (void)kCodec.decode_locate_request(*frame, octets, limits);
      break;
    case MessageType::locate_reply:
      has_body = kCodec.decode_locate_reply(*frame, octets, limits, body).ok();
      break;
    case MessageType::cancel_request:
      (void)kCodec.decode_cancel_request(*frame, octets);
      break;
    default:
      break;
  }
  ior::Ior reference;
  if (has_body) ior::decode(body, reference, limits);
  return 0;
}
