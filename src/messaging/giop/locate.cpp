// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop/codec.hpp"
#include "messaging/giop/header_reader.hpp"
#include "messaging/giop/header_writer.hpp"

// LocateRequest and LocateReply messages (CORBA 3.3 part 2, 9.4.5 and 9.4.6). Their bodies are not aligned to 8.
namespace corbel::messaging::giop {

void Giop::encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                                 base::ConstByteSpan object_key) const {
  HeaderWriter header(encoder, MessageType::locate_request, 16 + object_key.size());
  header.put(request_id);
  if (traits_of(encoder.format().giop_minor).target_address) header.put_zero();  // KeyAddr and two octets of gap
  header.put_unpadded(object_key);
  header.finish();
  finish_message(encoder);
}

void Giop::encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                               BodyWriter body) const {
  HeaderWriter header(encoder, MessageType::locate_reply, 8);
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  header.finish();
  body(encoder);
  finish_message(encoder);
}

base::Result<IncomingLocateRequest> Giop::decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                                const cdr::Limits& limits) const {
  IncomingLocateRequest request;
  cdr::Decoder decoder = after_frame(frame, message, limits);
  request.request_id = decoder.get<std::uint32_t>();
  request.object_key =
      take_target(decoder, traits_of(frame.version.minor), limits, request.needs_key_addressing);
  if (!decoder.ok()) return decoder.error();
  return request;
}

base::Result<IncomingLocateReply> Giop::decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                            const cdr::Limits& limits, cdr::Decoder& body) const {
  IncomingLocateReply reply;
  cdr::Decoder decoder = after_frame(frame, message, limits);
  reply.request_id = decoder.get<std::uint32_t>();
  reply.status = static_cast<LocateStatus>(decoder.get<std::uint32_t>());
  if (reply.status > traits_of(frame.version.minor).last_locate_status) decoder.fail(base::Code::malformed);
  if (!decoder.ok()) return decoder.error();
  body = decoder;
  return reply;
}

}  // namespace corbel::messaging::giop
