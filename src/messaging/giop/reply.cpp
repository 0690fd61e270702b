// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop/codec.hpp"
#include "messaging/giop/header_reader.hpp"
#include "messaging/giop/header_writer.hpp"

// Reply messages (CORBA 3.3 part 2, 9.4.3).
namespace corbel::messaging::giop {

void Giop::encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                        std::span<const ServiceContext> contexts, BodyWriter body) const {
  const Traits& traits = traits_of(encoder.format().giop_minor);
  HeaderWriter header(encoder, MessageType::reply, 12);
  if (traits.contexts_first) header.put_contexts(contexts);
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  if (!traits.contexts_first) header.put_contexts(contexts);
  header.finish();
  write_body(encoder, traits, body);
  finish_message(encoder);
}

base::Result<IncomingReply> Giop::decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                               const cdr::Limits& limits, cdr::Decoder& body) const {
  const Traits& traits = traits_of(frame.version.minor);
  IncomingReply reply;
  cdr::Decoder decoder = after_frame(frame, message, limits);
  if (traits.contexts_first) reply.contexts = take_contexts(decoder, message, limits);
  reply.request_id = decoder.get<std::uint32_t>();
  reply.status = static_cast<ReplyStatus>(decoder.get<std::uint32_t>());
  if (reply.status > traits.last_reply_status) decoder.fail(base::Code::malformed);
  if (!traits.contexts_first) reply.contexts = take_contexts(decoder, message, limits);
  if (!decoder.ok()) return decoder.error();
  if (traits.body_aligned) decoder.align_if_more(8);
  body = decoder;
  return reply;
}

}  // namespace corbel::messaging::giop
