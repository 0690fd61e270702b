// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <type_traits>

#include "corbel/base/probe.hpp"
#include "corbel/connection/connection.hpp"

/// The ways in which a message leaves: encoded under the writer token, and sent by the thread that has it. For those
/// who send; inline, for each call takes one of them on each side.
namespace corbel::connection {

/// The deadline passed while others sent, or posted messages were before this one. Nothing of it was sent, and the
/// connection is well.
inline constexpr base::Error kBehindOthers = base::error(base::Stage::send, base::Code::timed_out, EAGAIN);
/// The carrier keeps messages, and has no room for this one.
inline constexpr base::Error kTooLarge = base::error(base::Stage::encode, base::Code::too_large);

/// True if the connection is well although a message could not be sent, for this reason.
inline bool leaves_intact(const base::Error& error) noexcept {
  return error.stage == base::Stage::encode || error == kBehindOthers;
}

inline base::Error Connection::not_sent(base::Error error) noexcept {
  if (leaves_intact(error)) session_->unsent();
  return error;
}

template <class Encode, class Begin>
inline base::Status Connection::send(const Encode& encode, base::Deadline deadline, Caller* caller, Begin begin) {
  Link::Writing writing(link_, caller, deadline);
  if (!writing) [[unlikely]]
    return kBehindOthers;
  cdr::Encoder& encoder = writing.encoder();
  encode(encoder);
  if (!encoder.ok()) [[unlikely]]
    return encoder.error();
  if (writing.left() && !writing.come_back(deadline)) [[unlikely]]
    return kBehindOthers;
  if constexpr (!std::is_same_v<Begin, std::nullptr_t>) {
    if (auto begun = begin(encoder); !begun) [[unlikely]] {
      session_->unsent();
      return begun;
    }
  }
  if (queues_.load(std::memory_order_relaxed)) [[unlikely]]
    return send_queued(encoder.segments(), deadline);
  auto sent = link_.send(encoder.segments(), deadline);
  if (!sent && sent.error() == kTooLarge) [[unlikely]]
    sent = send_cut(encoder.segments(), deadline);
  return sent ? sent : not_sent(sent.error());
}

inline base::Status Connection::reply(const messaging::Origin& origin, messaging::ReplyStatus status,
                                      std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body) {
  return send_reply([&](cdr::Encoder& encoder) { session_->put_reply(encoder, origin, status, contexts, body); });
}

inline base::Status Connection::reply_locate(const messaging::Origin& origin, messaging::LocateStatus status,
                                             messaging::BodyWriter body) {
  return send_reply([&](cdr::Encoder& encoder) { session_->put_locate_reply(encoder, origin, status, body); });
}

template <class Encode>
inline base::Status Connection::send_reply(const Encode& encode) {
  auto sent = send_or_keep(encode);
  // A peer that takes no replies is cut off: half a reply makes the stream useless.
  if (!sent && sent.error().stage != base::Stage::encode) [[unlikely]]
    return fail(sent.error());
  return sent;
}

template <class Encode>
inline base::Status Connection::send_or_keep(const Encode& encode) {
  Link::Writing writing(link_, nullptr, base::Deadline::none());
  cdr::Encoder& encoder = writing.encoder();
  encode(encoder);
  if (!encoder.ok()) [[unlikely]]
    return encoder.error();
  if (writing.left()) [[unlikely]]
    (void)writing.come_back(base::Deadline::none());
  const std::span<const cdr::Segment> data = encoder.segments();
  if (data.size() != 1 || data[0].size > kSmallReply || keeps_replies_.load(std::memory_order_relaxed)) {
    return send_slowly(data, 0);
  }
  CORBEL_PROBE("transport send");
  const auto sent = transport().send(data, base::Deadline::now());
  CORBEL_PROBE("after send");
  if (sent && *sent == data[0].size) [[likely]]
    return {};
  if (!sent && sent.error().code != base::Code::would_block) return link_.broken_off(sent.error());
  return send_slowly(data, sent ? *sent : 0);
}

}  // namespace corbel::connection
