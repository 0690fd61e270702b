// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "corbel/base/probe.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/short_requests.hpp"

/// The ways in which a message leaves: encoded under the writer token, and sent by the thread that has it. Included by
/// sources that send; inline, for each call takes one of them on each side.
namespace corbel::connection {

/// A reply that nearly always fits into the system's queue at once; larger ones get a moment (Server::reply_grace).
inline constexpr std::size_t kSmallReply = 16U << 10;

/// With the mutex: why nothing can begin. Nothing of it has been sent.
inline base::Status Connection::may_begin() const noexcept {
  if (ended_idle_) return base::error(base::Stage::send, base::Code::closed);
  if (failed_) return base::error(base::Stage::send, failure_.code, failure_.os_error);
  return {};
}

inline base::Error Connection::not_sent(base::Error error) noexcept {
  if (leaves_intact(error)) session_->unsent();
  return error;
}

template <class Encode, class Begin>
inline base::Status Connection::send(const Encode& encode, base::Deadline deadline, Caller* caller, Begin begin) {
  Link::Writing writing(link_, caller, deadline);
  if (!writing) [[unlikely]] {
    writing.check_memory();
    return kBehindOthers;
  }
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
  if (link_.in_order()) [[unlikely]]
    return server_ != nullptr ? send_among_replies(encoder.segments()) : posting_.send(encoder.segments(), deadline);
  auto sent = link_.send(encoder.segments(), deadline);
  if (!sent && sent.error() == kTooLarge) [[unlikely]]
    sent = posting_.send_cut(encoder.segments(), deadline);
  return sent ? sent : not_sent(sent.error());
}

inline base::Status Connection::reply(const messaging::Origin& origin, messaging::ReplyStatus status,
                                      std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body) {
  return send_reply([&](cdr::Encoder& encoder) { session_->put_reply(encoder, origin, status, contexts, body); });
}

inline base::Status Connection::reply_swapped(const messaging::Origin& origin, messaging::ReplyStatus status,
                                              std::span<const messaging::ServiceContext> contexts,
                                              messaging::BodyWriter body) {
  return send_reply(
      [&](cdr::Encoder& encoder) { session_->put_swapped_reply(encoder, origin, status, contexts, body); });
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
  if (!writing) [[unlikely]]
    throw std::bad_alloc();
  cdr::Encoder& encoder = writing.encoder();
  encode(encoder);
  if (!encoder.ok()) [[unlikely]]
    return encoder.error();
  if (writing.left()) [[unlikely]]
    (void)writing.come_back(base::Deadline::none());
  ShortRequests::Turn::answers();
  const std::span<const cdr::Segment> data = encoder.segments();
  if (data.size() != 1 || data[0].size > kSmallReply || keeps_replies_.load(std::memory_order_relaxed)) [[unlikely]]
    return send_slowly(data, 0);
  CORBEL_PROBE("transport send");
  const auto sent = transport().send(data, base::Deadline::now());
  CORBEL_PROBE("after send");
  if (sent && *sent == data[0].size) [[likely]]
    return {};
  if (!sent && sent.error().code != base::Code::would_block) return link_.broken_off(sent.error());
  return send_slowly(data, sent ? *sent : 0);
}

}  // namespace corbel::connection
