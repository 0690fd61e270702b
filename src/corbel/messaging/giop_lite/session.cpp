// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/session.hpp"

#include <utility>

#include "corbel/base/log.hpp"

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
    CORBEL_CHECK(take_request(incoming.octets, incoming));
  } else if (frame->type == kIndexedRequest) {
    CORBEL_CHECK(take_indexed(incoming.octets, incoming));
  } else if (frame->type == MessageType::reply) {
    CORBEL_CHECK(take_reply(incoming.octets, incoming));
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
  incoming.octets = begun;
  incoming.joints = {};
  if (frame.type == MessageType::request) {
    CORBEL_CHECK(take_request(begun, incoming));
  } else if (frame.type == kIndexedRequest) {
    CORBEL_CHECK(take_indexed(begun, incoming));
  } else if (frame.type == MessageType::reply) {
    CORBEL_CHECK(take_reply(begun, incoming));
  } else {
    return {};
  }
  incoming.size = frame.message_size;
  incoming.body_at = begun.size() - incoming.body.remaining();
  return {};
}

base::Status GiopLiteSession::take_request(base::ConstByteSpan message, Incoming& incoming) {
  if (const base::Status read = codec_.decode_request(message, limits_, incoming.request, incoming.body); !read)
      [[unlikely]]
    return take_odd_request(read.error(), message, incoming);
  if (const std::uint16_t index = GiopLite::index_in(message); offers() && index != 0) [[unlikely]]
    CORBEL_CHECK(take_names(index, incoming.request));
  incoming.kind = Kind::request;
  return {};
}

/// One that is only beyond a limit is answered: the conversation has others, and their callers would not know what
/// became of theirs. `incoming.size` is 0 if what is missing may still come.
[[gnu::cold]] base::Status GiopLiteSession::take_odd_request(base::Error why, base::ConstByteSpan message,
                                                             Incoming& incoming) {
  IncomingRequest& request = incoming.request;
  cdr::Limits wide = limits_;
  wide.max_object_key = wide.max_operation = ~0U;
  const bool beyond = why.code == Code::too_large && incoming.size != 0;
  if (!beyond || !codec_.decode_request(message, wide, request, incoming.body)) return malformed();
  const bool key = request.object_key.size() > limits_.max_object_key;
  CORBEL_LOG(log_, messaging, warning, "the header of a message is beyond a limit", {"peer", peer_},
             {"message", "request"}, {"limit", key ? "-ORBMaxObjectKey" : "-ORBMaxOperation"});
  if (offers()) taken_.note_beyond(GiopLite::index_in(message));
  incoming.kind = request.response == Response::none ? Kind::nothing : Kind::answer;
  return {};
}

base::Status GiopLiteSession::take_indexed(base::ConstByteSpan message, Incoming& incoming) {
  if (!codec_.decode_indexed(message, limits_, incoming.request, incoming.body)) [[unlikely]]
    return malformed();
  const std::uint16_t index = GiopLite::index_in(message);
  const Name* const name = taken_.find(index);
  if (name == nullptr) [[unlikely]]
    return take_odd_index(index, incoming);
  incoming.request.object_key = name->key();
  incoming.request.operation = name->operation();
  incoming.kind = Kind::request;
  return {};
}

base::Status GiopLiteSession::take_reply(base::ConstByteSpan message, Incoming& incoming) {
  if (!codec_.decode_reply(message, limits_, incoming.reply, incoming.body)) [[unlikely]]
    return malformed();
  if (indexing_.load(std::memory_order_relaxed) == Indexing::unknown) [[unlikely]]
    indexing_.store(GiopLite::announces_indexing(message) ? Indexing::understood : Indexing::refused,
                    std::memory_order_relaxed);
  incoming.kind = Kind::reply;
  return {};
}

/// For the reader, with each request that carries its names: the first one settles it, before it is answered.
bool GiopLiteSession::offers() noexcept {
  if (offers_.load(std::memory_order_relaxed) == Indexing::unknown) [[unlikely]]
    offers_.store(!lossy_ && taken_.reserve() ? Indexing::understood : Indexing::refused, std::memory_order_relaxed);
  return offers_.load(std::memory_order_relaxed) == Indexing::understood;
}

[[gnu::noinline]] base::Status GiopLiteSession::take_names(std::uint16_t index, const IncomingRequest& request) {
  auto taken = taken_.take(index, request.object_key, request.operation);
  if (!taken && !std::exchange(told_, true)) {
    CORBEL_LOG(log_, messaging, warning, "an index is refused that a request gives to its names", {"index", index},
               {"operation", request.operation}, {"key", request.object_key}, {"peer", peer_},
               {"error", taken.error()});
  }
  return taken;
}

[[gnu::cold]] base::Status GiopLiteSession::take_odd_index(std::uint16_t index, Incoming& incoming) {
  if (taken_.is_beyond(index)) {
    if (incoming.size == 0) return malformed();  // begun: it is answered when it is whole
    incoming.kind = incoming.request.response == Response::none ? Kind::nothing : Kind::answer;
    return {};
  }
  if (!std::exchange(told_, true)) {
    CORBEL_LOG(log_, messaging, warning, "a request names its target by an index that was never given",
               {"index", index}, {"peer", peer_});
  }
  return malformed();
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
  if (indexing_.load(std::memory_order_relaxed) == Indexing::understood && encoder.host() != nullptr) [[likely]] {
    const std::uint16_t index = given_.find_recent(request.object_key, request.operation);
    if (index != 0) [[likely]]
      return codec_.encode_indexed(encoder, token, request.response, index, body);
  }
  put_other(encoder, token, request, body);
}

/// A request whose names were not asked for lately, or go along.
[[gnu::noinline]] void GiopLiteSession::put_other(cdr::Encoder& encoder, Token token, const OutgoingRequest& request,
                                                  BodyWriter body) {
  const Indexing indexing = indexing_.load(std::memory_order_relaxed);
  // Without a host another thread is the writer: no index is given.
  if (indexing == Indexing::refused || encoder.host() == nullptr) {
    return codec_.encode_request(encoder, token, request, body);
  }
  const GivenIndices::Given given = given_.give(request.object_key, request.operation);
  if (given.told && indexing == Indexing::understood) {
    return codec_.encode_indexed(encoder, token, request.response, given.index, body);
  }
  const std::uint16_t index = given.told ? std::uint16_t{0} : given.index;
  codec_.encode_request(encoder, token, request, body, index);
  if (index != 0 && encoder.ok() && encoder.host() != nullptr) given_.told(index);
}

[[gnu::flatten]] void GiopLiteSession::put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                                                 std::span<const ServiceContext>, BodyWriter body) {
  encoder.reset({});
  const bool offered = offers_.load(std::memory_order_relaxed) == Indexing::understood;
  codec_.encode_reply(encoder, origin.id, status, body, offered);
}

/// The header is beyond a limit.
void GiopLiteSession::put_answer(cdr::Encoder& encoder, const Incoming& incoming) {
  put_reply(encoder, incoming.request.origin, ReplyStatus::system_exception, {},
            [](cdr::Encoder& out) { put_header_too_large(out); });
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
