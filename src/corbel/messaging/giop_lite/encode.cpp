// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/codec.hpp"
#include "corbel/messaging/header_output.hpp"

namespace corbel::messaging::giop_lite {
namespace {

constexpr std::uint8_t kTwoWay = 1;
constexpr std::uint8_t kSyncWithServer = 129;

/// Size, type, and the gap before the ulong that follows.
class HeaderWriter : public HeaderOutput {
 public:
  /// `room`: for what follows.
  HeaderWriter(cdr::Encoder& encoder, MessageType type, std::size_t room)
      : HeaderOutput(encoder, kHeaderSize + 3 + room + 4, false) {
    if (encoder.format().swapped()) encoder.fail(base::Code::unsupported);
    put_zero();
    put(static_cast<std::uint8_t>(type));
  }
  /// The three octets of the gap.
  void put_gap(std::uint8_t octet, std::uint16_t number) noexcept {
    put(octet);
    store(number);
  }
  void finish(BodyWriter body = [](cdr::Encoder&) {}) {
    commit();
    body(encoder());
    patch_size(0, kHeaderSize, encoder().position());
  }
  void finish_aligned(BodyWriter body) { patch_size(0, kHeaderSize, put_aligned(body)); }
};

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

void GiopLite::encode_request(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request,
                              BodyWriter body, std::uint16_t index) const {
  HeaderWriter header(encoder, MessageType::request, 28 + request.object_key.size() + request.operation.size());
  header.put_gap(0, index);
  header.put(request_id);
  header.put(response_octet(request.response));
  header.align();
  header.put_octets(request.object_key);
  header.align();
  header.put_string(request.operation);
  header.finish_aligned(body);
}

void GiopLite::encode_indexed(cdr::Encoder& encoder, std::uint32_t request_id, Response response, std::uint16_t index,
                              BodyWriter body) const {
  HeaderWriter header(encoder, kIndexedRequest, 8);
  header.put_gap(response_octet(response), index);
  header.put(request_id);
  header.finish_aligned(body);
}

void GiopLite::encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status, BodyWriter body,
                            bool indexing) const {
  // There is no permanent forward here, and no other addressing mode to ask for.
  if (status == ReplyStatus::location_forward_perm) status = ReplyStatus::location_forward;
  if (status > ReplyStatus::location_forward) encoder.fail(base::Code::unsupported);
  HeaderWriter header(encoder, MessageType::reply, 8);
  header.put_gap(indexing ? kIndexing : 0, 0);
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  header.finish(body);
}

void GiopLite::encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                                     base::ConstByteSpan object_key) const {
  HeaderWriter header(encoder, MessageType::locate_request, 8 + object_key.size());
  header.align();
  header.put(request_id);
  header.put_octets(object_key);
  header.finish();
}

void GiopLite::encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                                   BodyWriter body) const {
  if (status == LocateStatus::object_forward_perm) status = LocateStatus::object_forward;
  if (status > LocateStatus::object_forward) encoder.fail(base::Code::unsupported);
  HeaderWriter header(encoder, MessageType::locate_reply, 8);
  header.align();
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  header.finish(body);
}

void GiopLite::encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const {
  HeaderWriter header(encoder, MessageType::cancel_request, 4);
  header.align();
  header.put(request_id);
  header.finish();
}

void GiopLite::encode_control(cdr::Encoder& encoder, MessageType type) const {
  HeaderWriter(encoder, type, 0).finish();
}

}  // namespace corbel::messaging::giop_lite
