// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

// LocateRequest and LocateReply messages (CORBA 3.3 part 2, 9.4.5 and 9.4.6). Their bodies are not aligned to 8.
namespace corbel::messaging::giop {

void Giop::encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                                 base::ConstByteSpan object_key) const {
  HeaderWriter header(encoder, MessageType::locate_request, 16 + object_key.size(), encoder.format().swapped());
  header.put(request_id);
  if (traits_of(encoder.format().giop_minor).target_address) header.put_zero();  // KeyAddr and two octets of gap
  header.put_octets(object_key);
  header.finish();
}

void Giop::encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                               BodyWriter body) const {
  HeaderWriter header(encoder, MessageType::locate_reply, 8, encoder.format().swapped());
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  header.finish(body);
}

base::Result<DecodedLocateRequest> Giop::decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                               const cdr::Limits& limits) const {
  HeaderReader reader(message, is_swapped(frame));
  const std::uint32_t request_id = reader.get();
  const HeaderReader::Target target = reader.get_target(traits_of(frame.version.minor), limits);
  if (!reader.ok()) return reader.error();
  return DecodedLocateRequest{{{request_id, frame.version.minor}, target.key}, target.needs_key};
}

base::Result<IncomingLocateReply> Giop::decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                            const cdr::Limits& limits, cdr::Decoder& body) const {
  HeaderReader reader(message, is_swapped(frame));
  const std::uint32_t request_id = reader.get();
  const auto status = static_cast<LocateStatus>(reader.get());
  if (status > traits_of(frame.version.minor).last_locate_status) reader.fail(base::Code::malformed);
  if (!reader.ok()) return reader.error();
  begin_body(body, frame, message, limits, reader.position(), false);
  return IncomingLocateReply{request_id, status};
}

}  // namespace corbel::messaging::giop
