// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

// Reply messages (CORBA 3.3 part 2, 9.4.3).
namespace corbel::messaging::giop {
namespace {

template <class Minor, class Swapped>
void encode(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
            std::span<const ServiceContext> contexts, BodyWriter body, Swapped swapped) {
  constexpr Traits kTraits = Minor::kTraits;
  HeaderWriter header(encoder, MessageType::reply, 12, swapped);
  if constexpr (kTraits.contexts_first) {
    header.put_contexts(contexts);
    header.align();
  }
  header.put(request_id);
  header.put(static_cast<std::uint32_t>(status));
  if constexpr (!kTraits.contexts_first) header.put_contexts(contexts);
  header.finish(kTraits, body);
}

template <class Minor, class Swapped>
base::Status reply_of(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                      IncomingReply& reply, cdr::Decoder& body, Swapped swapped) {
  constexpr Traits kTraits = Minor::kTraits;
  ServiceContextView contexts;
  HeaderReader reader(message, swapped);
  if constexpr (kTraits.contexts_first) contexts = reader.get_contexts(reader.get(), limits);
  const std::uint8_t* group = reader.take_group < kTraits.contexts_first ? 8 : 12 > ();
  const std::uint32_t request_id = reader.load(group);
  const auto status = static_cast<ReplyStatus>(reader.load(group + 4));
  if (status > kTraits.last_reply_status) [[unlikely]]
    reader.fail(base::Code::malformed);
  if constexpr (!kTraits.contexts_first) contexts = reader.get_contexts(reader.load(group + 8), limits);
  if (!reader.ok()) [[unlikely]]
    return reader.error();
  begin_body(body, frame, message, limits, reader.position(), kTraits.body_aligned);
  reply.token = request_id;
  reply.status = status;
  reply.contexts = contexts;
  return {};
}

[[gnu::noinline]] void encode_uncommon(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                                       std::span<const ServiceContext> contexts, BodyWriter body) {
  const cdr::Format& format = encoder.format();
  with_version(format.giop_minor,
               [&]<class Minor>() { encode<Minor>(encoder, request_id, status, contexts, body, format.swapped()); });
}

[[gnu::noinline]] base::Status uncommon_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                              const cdr::Limits& limits, IncomingReply& reply, cdr::Decoder& body) {
  return with_version(frame.version.minor, [&]<class Minor>() {
    return reply_of<Minor>(frame, message, limits, reply, body, is_swapped(frame));
  });
}

}  // namespace

void Giop::encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                        std::span<const ServiceContext> contexts, BodyWriter body) const {
  const cdr::Format& format = encoder.format();
  if (!is_common(format.giop_minor, format.swapped())) {
    return encode_uncommon(encoder, request_id, status, contexts, body);
  }
  encode<MinorVersion<2>>(encoder, request_id, status, contexts, body, std::false_type());
}

base::Status Giop::decode_reply(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                                IncomingReply& reply, cdr::Decoder& body) const {
  if (!is_common(frame.version.minor, is_swapped(frame))) return uncommon_reply(frame, message, limits, reply, body);
  return reply_of<MinorVersion<2>>(frame, message, limits, reply, body, std::false_type());
}

}  // namespace corbel::messaging::giop
