// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/session.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

namespace corbel::messaging::giop {

using base::Code;
using base::Stage;

namespace {

base::Error malformed() noexcept {
  return base::error(Stage::receive, Code::malformed);
}

/// Permanent forwards came with GIOP 1.2.
ReplyStatus known_to(const Origin& origin, ReplyStatus status) noexcept {
  return status == ReplyStatus::location_forward_perm && origin.version < 2 ? ReplyStatus::location_forward : status;
}

}  // namespace

GiopSession::GiopSession(const Giop& codec, const SessionSettings& settings) noexcept
    : Session(settings),
      codec_(codec),
      side_(settings.side),
      minor_(std::min(settings.version, codec.version()).minor),
      limits_(settings.limits),
      code_sets_(settings.code_sets),
      lossy_(settings.lossy),
      log_(*settings.log),
      peer_(settings.peer),
      introduced_(settings.side == Side::initiator && (!settings.code_sets.negotiated || settings.version.minor == 0)),
      asked_(settings.code_sets),
      served_(settings.code_sets),
      memory_(settings.memory) {}

// --- reading ---

/// True if the message is whole, and then where it is.
bool GiopSession::is_whole(std::size_t message_size, base::ConstByteSpan octets, Incoming& incoming) noexcept {
  incoming.size = 0;
  incoming.wanted = message_size;
  if (octets.size() < message_size) return false;
  incoming.size = message_size;
  incoming.octets = octets.first(message_size);
  incoming.joints = {};
  return true;
}

// Every message comes through here: it is one function with all that usual ones need, and compiled for these.
[[gnu::flatten]] base::Status GiopSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  if (octets.size() < kHeaderSize) {
    incoming.size = incoming.wanted = 0;
    return {};
  }
  const std::uint64_t size = codec_.usual_size(octets);
  if (size == 0 || size > limits_.max_message_size) [[unlikely]]
    return take_unusual(octets, incoming);
  if (!is_whole(size, octets, incoming)) return {};
  FrameHeader frame{.version = {1, 2},
                    .little_endian = std::endian::native == std::endian::little,
                    .header_size = kHeaderSize,
                    .message_size = static_cast<std::uint32_t>(size)};
  if (octets[kTypeAt] == static_cast<base::Octet>(MessageType::reply)) {
    frame.type = MessageType::reply;
    return look_at_reply(frame, incoming);
  }
  frame.type = MessageType::request;
  return look_at_request(frame, incoming);
}

[[gnu::noinline]] base::Status GiopSession::take_unusual(base::ConstByteSpan octets, Incoming& incoming) {
  const auto frame = codec_.decode_frame(octets, limits_);
  if (!frame) return base::error(Stage::receive, frame.error().code);
  if (!is_whole(frame->message_size, octets, incoming)) return {};
  if (frame->more_fragments || frame->type == MessageType::fragment) return take_piece(*frame, incoming);
  return look(*frame, incoming);
}

base::Status GiopSession::take_begun(base::ConstByteSpan begun, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = 0;
  CORBEL_TRY(const FrameHeader frame, codec_.decode_frame(begun, limits_));
  const bool has_body = frame.type == MessageType::request || frame.type == MessageType::reply;
  if (!has_body || frame.more_fragments) return {};
  incoming.size = frame.message_size;
  incoming.octets = begun;
  incoming.joints = {};
  return look(frame, incoming);
}

[[gnu::noinline]] base::Status GiopSession::take_piece(const FrameHeader& frame, Incoming& incoming) try {
  if (lossy_)
    return malformed();  // a piece does not say where it belongs: one that overtook another made another message
  if (joining_ == nullptr) joining_ = std::make_unique<Joining>(limits_, memory_);
  if (frame.type != MessageType::fragment) {
    auto begun = joining_->begin(codec_, frame, incoming.octets);
    note_parts();
    return begun;
  }
  FrameHeader whole = frame;
  CORBEL_TRY(const bool joined, joining_->add(codec_, whole, incoming.octets, *incoming.joined));
  note_parts();
  if (!joined) return {};
  incoming.joints = incoming.joined->joints;
  CORBEL_CHECK(look(whole, incoming));
  incoming.body.set_joints(incoming.joints);
  return {};
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources, ENOMEM);
}

[[gnu::noinline]] base::Status GiopSession::look(const FrameHeader& frame, Incoming& incoming) {
  switch (frame.type) {
    case MessageType::request:
      return look_at_request(frame, incoming);
    case MessageType::reply:
      return look_at_reply(frame, incoming);
    case MessageType::locate_request:
      return look_at_locate_request(frame, incoming);
    case MessageType::cancel_request: {
      // When this is read, the request that it names has mostly been answered, unless only a part of it has come, its
      // answer was deferred, or it waits for something.
      const auto id = codec_.decode_cancel_request(frame, incoming.octets);
      if (!id) return malformed();
      if (joining_ != nullptr) joining_->drop(*id);
      note_parts();
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

/// To the conversation it is a message that makes no sense. Who reads the log can do something about it.
[[gnu::noinline]] base::Error GiopSession::refuse(base::Error why, const Incoming& incoming, std::string_view message,
                                                  std::string_view limits) const noexcept {
  if (incoming.octets.size() < incoming.size) return malformed();  // begun: what is missing may still come
  if (why.code == Code::too_large) {
    CORBEL_LOG(log_, messaging, warning, "the header of a message is beyond a limit", {"peer", peer_},
               {"message", message}, {"limit", limits});
  } else if (!lossy_) {
    CORBEL_LOG(log_, messaging, warning, "the header of a message makes no sense", {"peer", peer_},
               {"message", message}, {"error", base::to_string(why.code)});
  }
  return malformed();
}

std::string_view GiopSession::limit_passed_by(const IncomingRequest& request) const noexcept {
  if (request.contexts.count() > limits_.max_service_contexts) return "-ORBMaxServiceContexts";
  if (request.object_key.size() > limits_.max_object_key) return "-ORBMaxObjectKey";
  return request.operation.size() >= limits_.max_operation ? "-ORBMaxOperation" : std::string_view();
}

/// A request whose header cannot be read as usual. One that is only beyond a limit is answered: the conversation has
/// others, and their callers would not know what became of theirs.
[[gnu::noinline]] base::Status GiopSession::look_at_odd_request(base::Error why, const FrameHeader& frame,
                                                                Incoming& incoming) {
  IncomingRequest& request = incoming.request;
  cdr::Limits wide = limits_;
  wide.max_service_contexts = wide.max_object_key = wide.max_operation = ~0U;
  bool needs_key_addressing = false;
  const bool whole = incoming.octets.size() >= incoming.size;
  if (why.code != Code::too_large || !whole ||
      !codec_.decode_request(frame, incoming.octets, wide, request, needs_key_addressing, incoming.body)) {
    return refuse(why, incoming, "request", "-ORBMaxObjectKey");
  }
  CORBEL_LOG(log_, messaging, warning, "the header of a message is beyond a limit", {"peer", peer_},
             {"message", "request"}, {"limit", limit_passed_by(request)});
  (void)take_code_sets(request);  // the client does not tell them again
  incoming.kind = request.response == Response::none ? Kind::nothing : Kind::answer;
  return {};
}

base::Status GiopSession::look_at_request(const FrameHeader& frame, Incoming& incoming) {
  IncomingRequest& request = incoming.request;
  bool needs_key_addressing = false;
  if (const base::Status read =
          codec_.decode_request(frame, incoming.octets, limits_, request, needs_key_addressing, incoming.body);
      !read) [[unlikely]]
    return look_at_odd_request(read.error(), frame, incoming);
  incoming.kind = Kind::request;
  incoming.body_at = incoming.body.position();
  bool can_be_served = !needs_key_addressing;
  if (request.contexts.count() != 0 && !take_code_sets(request)) can_be_served = false;
  if (!can_be_served) [[unlikely]]
    incoming.kind = request.response == Response::none ? Kind::nothing : Kind::answer;
  read_with(served_, incoming.body);
  return {};
}

base::Status GiopSession::look_at_locate_request(const FrameHeader& frame, Incoming& incoming) {
  const auto request = codec_.decode_locate_request(frame, incoming.octets, limits_);
  if (!request) return refuse(request.error(), incoming, "locate request", "-ORBMaxObjectKey");
  incoming.kind = request->needs_key_addressing ? Kind::answer : Kind::locate_request;
  incoming.locate = *request;
  incoming.request = {};  // put_answer() tells by this what it answers
  return {};
}

base::Status GiopSession::look_at_reply(const FrameHeader& frame, Incoming& incoming) {
  if (const base::Status read = codec_.decode_reply(frame, incoming.octets, limits_, incoming.reply, incoming.body);
      !read) [[unlikely]]
    return refuse(read.error(), incoming, "reply", "-ORBMaxServiceContexts");
  incoming.kind = Kind::reply;
  incoming.body_at = incoming.body.position();
  read_with(asked_, incoming.body);
  return {};
}

void GiopSession::forget_parts() noexcept {
  joining_.reset();
  note_parts();
}

void GiopSession::note_parts() noexcept {
  part_octets_ = joining_ != nullptr ? joining_->octets() : 0;
  oldest_part_.store(joining_ != nullptr ? joining_->oldest() : 0, std::memory_order_relaxed);
  if (oldest_part() == 0) joining_.reset();
}

// --- writing ---

[[gnu::flatten]] void GiopSession::put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request,
                                               BodyWriter body) {
  encoder.reset(request_format());
  if (!introduced_.load(std::memory_order_relaxed)) [[unlikely]]
    return put_first_request(encoder, token, request, body);
  codec_.encode_request(encoder, token, request, body);
}

[[gnu::flatten]] void GiopSession::put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                                             std::span<const ServiceContext> contexts, BodyWriter body) {
  encoder.reset(format(origin.version, served_));
  codec_.encode_reply(encoder, origin.id, known_to(origin, status), contexts, body);
}

void GiopSession::put_swapped_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                                    std::span<const ServiceContext> contexts, BodyWriter body) {
  cdr::Format swapped = format(origin.version, served_);
  swapped.little_endian = !swapped.little_endian;
  encoder.reset(swapped);
  codec_.encode_reply(encoder, origin.id, known_to(origin, status), contexts, body);
}

void GiopSession::put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body) {
  encoder.reset(format(origin.version, served_));
  const bool old = origin.version < 2;
  if (old && status == LocateStatus::object_forward_perm) status = LocateStatus::object_forward;
  // Older versions cannot say why not. The request itself will get the answer: the object may well be here.
  if (old && status == LocateStatus::system_exception) {
    return codec_.encode_locate_reply(encoder, origin.id, LocateStatus::object_here, [](cdr::Encoder&) {});
  }
  codec_.encode_locate_reply(encoder, origin.id, status, body);
}

bool GiopSession::put_cancel(cdr::Encoder& encoder, Token token) {
  encoder.reset(request_format());
  codec_.encode_cancel_request(encoder, token);
  return true;
}

bool GiopSession::put_close(cdr::Encoder& encoder) {
  // GIOP 1.0 and 1.1 let only servers say so (CORBA 3.3 part 2, 9.4.7).
  if (side_ == Side::initiator && minor_ < 2) return false;
  encoder.reset(request_format());
  codec_.encode_control(encoder, MessageType::close_connection);
  return true;
}

bool GiopSession::put_error(cdr::Encoder& encoder) {
  encoder.reset(format(codec_.version().minor, asked_));
  codec_.encode_control(encoder, MessageType::message_error);
  return true;
}

}  // namespace corbel::messaging::giop
