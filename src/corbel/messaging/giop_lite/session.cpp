// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/session.hpp"

namespace corbel::messaging::giop_lite {

using base::Code;
using base::Stage;

namespace {

base::Error malformed() noexcept {
  return base::error(Stage::receive, Code::malformed);
}

}  // namespace

// Every message comes through here: it is one function with all that usual ones need.
[[gnu::flatten]] base::Status GiopLiteSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = incoming.wanted = 0;
  if (octets.size() < kHeaderSize) return {};
  const auto frame = codec_.decode_frame(octets, limits_);
  if (!frame) [[unlikely]]
    return base::error(Stage::receive, frame.error().code);
  if (octets.size() < frame->message_size) {
    incoming.wanted = frame->message_size;
    return {};
  }
  incoming.size = frame->message_size;
  incoming.octets = octets.first(frame->message_size);
  incoming.joints = {};
  if (frame->type == MessageType::request) {
    if (!codec_.decode_request(incoming.octets, limits_, incoming.request, incoming.body)) [[unlikely]]
      return malformed();
    incoming.kind = Kind::request;
  } else if (frame->type == MessageType::reply) {
    if (!codec_.decode_reply(incoming.octets, limits_, incoming.reply, incoming.body)) [[unlikely]]
      return malformed();
    incoming.kind = Kind::reply;
  } else {
    return look(*frame, incoming);
  }
  incoming.body_at = incoming.body.position();
  return {};
}

base::Status GiopLiteSession::take_begun(base::ConstByteSpan begun, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = 0;
  CORBEL_TRY(const FrameHeader frame, codec_.decode_frame(begun, limits_));
  const bool is_request = frame.type == MessageType::request;
  if (!is_request && frame.type != MessageType::reply) return {};
  incoming.octets = begun;
  incoming.joints = {};
  const base::Status status = is_request ? codec_.decode_request(begun, limits_, incoming.request, incoming.body)
                                         : codec_.decode_reply(begun, limits_, incoming.reply, incoming.body);
  if (!status) return malformed();
  incoming.size = frame.message_size;
  incoming.kind = is_request ? Kind::request : Kind::reply;
  incoming.body_at = begun.size() - incoming.body.remaining();
  return {};
}

/// At what is neither a request nor a reply.
[[gnu::noinline]] base::Status GiopLiteSession::look(const FrameHeader& frame, Incoming& incoming) const {
  switch (frame.type) {
    case MessageType::locate_request: {
      const auto request = codec_.decode_locate_request(frame, incoming.octets, limits_);
      if (!request) return malformed();
      incoming.kind = Kind::locate_request;
      incoming.locate = *request;
      return {};
    }
    case MessageType::cancel_request: {
      const auto id = codec_.decode_cancel_request(frame, incoming.octets);
      if (!id) return malformed();
      incoming.request.origin.id = *id;
      incoming.kind = Kind::cancel;
      return {};
    }
    case MessageType::close_connection:
      incoming.kind = Kind::close;
      return {};
    case MessageType::message_error:
      incoming.kind = Kind::error;
      return {};
    default:
      return malformed();
  }
}

[[gnu::flatten]] void GiopLiteSession::put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request,
                                                   BodyWriter body) {
  encoder.reset({});
  codec_.encode_request(encoder, token, request, body);
}

[[gnu::flatten]] void GiopLiteSession::put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                                                 std::span<const ServiceContext>, BodyWriter body) {
  encoder.reset({});
  codec_.encode_reply(encoder, origin.id, status, body);
}

void GiopLiteSession::put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status,
                                       BodyWriter body) {
  encoder.reset({});
  // There is no word for what went wrong. The request itself will get the answer: the object may well be here.
  if (status == LocateStatus::system_exception) {
    return codec_.encode_locate_reply(encoder, origin.id, LocateStatus::object_here, [](cdr::Encoder&) {});
  }
  codec_.encode_locate_reply(encoder, origin.id, status, body);
}

bool GiopLiteSession::put_cancel(cdr::Encoder& encoder, Token token) {
  encoder.reset({});
  codec_.encode_cancel_request(encoder, token);
  return true;
}

bool GiopLiteSession::put_close(cdr::Encoder& encoder) {
  encoder.reset({});
  codec_.encode_control(encoder, MessageType::close_connection);
  return true;
}

bool GiopLiteSession::put_error(cdr::Encoder& encoder) {
  encoder.reset({});
  codec_.encode_control(encoder, MessageType::message_error);
  return true;
}

}  // namespace corbel::messaging::giop_lite
