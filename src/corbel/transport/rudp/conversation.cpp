// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/conversation.hpp"

#include <algorithm>
#include <utility>

namespace corbel::transport::rudp {
namespace {

using base::Code;

constexpr unsigned kMostUnanswered = 2;
constexpr int kTries = 8;  // at least, before a peer is given up
constexpr Time kFirstShake = std::chrono::milliseconds(200);
constexpr Time kMostShake = std::chrono::seconds(1);
constexpr Time kSuspicion = std::chrono::milliseconds(400);  // at least

Time after(Time from, Time by) noexcept {
  return from == kNever ? kNever : from + by;
}

}  // namespace

Conversation::Conversation(std::uint64_t token, const Terms& terms, Time now)
    : terms_(terms),
      token_(token),
      state_(State::greeting),
      datagram_(terms.datagram),
      began_(now),
      shake_at_(now),
      shake_wait_(kFirstShake),
      sending_(terms.send_buffer, terms.give_up / kTries),
      receiving_(terms.receive_buffer, terms.gaps),
      heard_(now) {}

Conversation::Conversation(std::uint64_t token, const Offer& peer, const Terms& terms, Time now)
    : Conversation(token, terms, now) {
  state_ = State::accepting;
  agree(peer, now);
}

Offer Conversation::offer() const noexcept {
  return {token_, static_cast<std::uint32_t>(terms_.datagram), static_cast<std::uint32_t>(terms_.receive_buffer)};
}

void Conversation::agree(const Offer& peer, Time now) noexcept {
  peer_ = peer.token;
  datagram_ = std::min<std::size_t>(terms_.datagram, peer.datagram);
  told_edge_ = receiving_.edge();
  heard_ = now;
  // The token may go along with any segment.
  sending_.begin(datagram_ - kSegmentHeaderSize - 8, peer.window);
}

void Conversation::end(Code reason) noexcept {
  if (is_over()) return;
  state_ = State::over;
  reason_ = reason;
  sending_.drop();
  receiving_.refuse_more();
  ask_now_ = false;
  if (reason != Code::closed || peer_ == 0) answer_now_ = false;
}

void Conversation::end_if_done() noexcept {
  if (is_open() && released_ != kNever && (has_ended() || sending_.is_settled())) end(Code::closed);
}

// --- hearing ---

void Conversation::hear(const Datagram& datagram, Time now) {
  const bool shaking = state_ == State::greeting || state_ == State::opening;
  switch (datagram.kind) {
    case Kind::cookie:
      if (!shaking || datagram.cookie == cookie_) return;
      cookie_ = datagram.cookie;
      if (state_ == State::greeting) {
        shake_at_ = now;
        shake_wait_ = kFirstShake;
      }
      state_ = State::opening;
      return;
    case Kind::accept:
      if (state_ == State::opening) {
        agree(datagram.offer, now);
        state_ = State::open;
        shake_at_ = kNever;
      }
      if (is_open() && datagram.offer.token == peer_) answer_now_ = true;
      return;
    case Kind::refuse:
      if (shaking) end(datagram.unsupported ? Code::unsupported : Code::refused);
      return;
    case Kind::reset:
      // Who has finished does not mind that the peer has forgotten.
      if (!shaking) end(finished_ ? Code::closed : Code::lost);
      return;
    case Kind::open:  // again
      if (state_ == State::accepting) shake_at_ = now;
      return;
    case Kind::segment:
      if (!shaking && !is_over()) hear_segment(datagram.segment, now);
      return;
    case Kind::hello:
      return;
  }
}

void Conversation::hear_segment(const Segment& segment, Time now) {
  const bool possible = sending_.heard(now, segment.acknowledged, {segment.ranges.data(), segment.range_count},
                                       segment.acknowledged + segment.window);
  if (!possible) return;
  if (state_ == State::accepting) {
    state_ = State::open;
    shake_at_ = kNever;
  }
  heard_ = now;
  suspected_ = asked_since_ = ask_again_ = kNever;
  unheard_questions_ = 0;
  if (segment.asks) answer_now_ = true;
  if (!segment.data.empty() || segment.ends) {
    if (!hear_data(segment, now)) answer_now_ = true;
  }
  // Who has ended the stream reads no more either.
  if (has_ended()) sending_.drop();
  end_if_done();
}

/// False if the sender has to know at once.
bool Conversation::hear_data(const Segment& segment, Time now) {
  const auto arrival = receiving_.take(segment.position, segment.data, segment.ends);
  unpaid_ |= arrival == Receiving::Arrival::unpaid;
  const auto apart = receiving_.ranges();
  if (apart.empty()) {
    gap_since_ = kNever;
  } else if (gap_since_ == kNever || receiving_.next() >= gap_until_) {
    gap_since_ = now;
    gap_until_ = apart.back().end;
  }
  if (arrival != Receiving::Arrival::in_order || has_ended() || !apart.empty()) return false;
  if (answer_at_ == kNever) answer_at_ = now + kPutOff;
  return ++unanswered_ < kMostUnanswered;
}

void Conversation::hear_of_failure(Code code, Time now) {
  if (state_ == State::greeting || state_ == State::opening) {
    end(code);
  } else if (!is_over() && suspected_ == kNever) {
    suspected_ = now;
    ask(now);
  }
}

// --- time ---

void Conversation::ask(Time now) noexcept {
  ask_now_ = true;
  if (asked_since_ == kNever) asked_since_ = now;
  const Time patience = sending_.round_trip().patience(++unheard_questions_);
  ask_again_ = now + std::min(std::max(terms_.give_up / kTries, RoundTrip::kLeast), patience);
}

void Conversation::expire(Time now) {
  if (is_over()) return;
  if (state_ != State::open) {
    const bool late =
        now >= began_ + (state_ == State::accepting ? std::min(kHalfOpen, terms_.give_up) : terms_.give_up);
    if (late) end(Code::timed_out);
    return;
  }
  const bool unacknowledged = sending_.waits() && now >= sending_.progress() + terms_.give_up;
  const bool silent = now >= after(asked_since_, terms_.give_up);
  const bool gone = now >= after(suspected_, std::max(kSuspicion, 3 * sending_.round_trip().patience(0)));
  // What nobody waits for any more is not kept for a peer that does not read.
  const bool pointless = now >= after(released_, terms_.give_up) && now >= sending_.progress() + terms_.give_up;
  if (unacknowledged || silent || gone || pointless) return end(finished_ ? Code::closed : Code::lost);
  if (sending_.expire(now) || now >= ask_again_) ask(now);
  if (terms_.keep_alive && asked_since_ == kNever && now >= heard_ + terms_.give_up / 3) ask(now);
  if (now >= answer_at_) answer_now_ = true;
}

Time Conversation::due() const noexcept {
  if (is_over()) return kNever;
  if (state_ != State::open) {
    const Time late = began_ + (state_ == State::accepting ? std::min(kHalfOpen, terms_.give_up) : terms_.give_up);
    return std::min(late, shake_at_);
  }
  Time due = std::min({answer_at_, sending_.due(), ask_again_, after(asked_since_, terms_.give_up),
                       after(suspected_, std::max(kSuspicion, 3 * sending_.round_trip().patience(0)))});
  if (sending_.waits()) due = std::min(due, sending_.progress() + terms_.give_up);
  if (released_ != kNever) due = std::min(due, std::max(released_, sending_.progress()) + terms_.give_up);
  if (terms_.keep_alive && asked_since_ == kNever) due = std::min(due, heard_ + terms_.give_up / 3);
  return due;
}

// --- speaking ---

std::size_t Conversation::next(base::ByteSpan room, Time now) {
  // The end of the peer's stream is acknowledged even if that was all that was left to do.
  if (is_over()) return answer_now_ ? write(room, {}, true) : 0;
  if (state_ != State::open) return next_of_handshake(room, now);
  Sending::Piece piece;
  const bool gaps = !receiving_.ranges().empty();
  if (!(answer_now_ && gaps) && sending_.next(now, piece)) return write(room, piece, false);
  if (!answer_now_ && !ask_now_) return 0;
  return write(room, {}, true);
}

std::size_t Conversation::next_of_handshake(base::ByteSpan room, Time now) noexcept {
  if (now < shake_at_) return 0;
  shake_at_ = now + shake_wait_;
  shake_wait_ = std::min(2 * shake_wait_, kMostShake);
  if (state_ == State::greeting) return write_hello(room, offer());
  if (state_ == State::opening) return write_open(room, offer(), cookie_);
  return write_accept(room, peer_, offer());
}

std::size_t Conversation::write(base::ByteSpan room, const Sending::Piece& piece, bool alone) noexcept {
  Segment segment;
  segment.position = piece.begin;
  segment.acknowledged = receiving_.next();
  segment.window = receiving_.window();
  segment.ends = piece.ends;
  segment.asks = std::exchange(ask_now_, false);
  if (segment.asks || piece.ends || piece.again) segment.source = token_;
  if (alone) {
    const auto ranges = receiving_.ranges();
    std::copy(ranges.begin(), ranges.end(), segment.ranges.begin());
    segment.range_count = ranges.size();
  }
  if (piece.size != 0) sending_.copy(piece, room.data() + header_size(segment));
  answer_now_ = false;
  answer_at_ = kNever;
  unanswered_ = 0;
  told_edge_ = receiving_.edge();
  return write_segment(room, peer_, segment, piece.size);
}

// --- its user ---

std::size_t Conversation::read(base::ByteSpan room) noexcept {
  const std::size_t size = receiving_.read(room);
  // A sender that stands still goes on when there is a good piece of room, not for every octet.
  if (is_open() && !has_ended() && receiving_.edge() - told_edge_ >= receiving_.capacity() / 4) answer_now_ = true;
  return size;
}

void Conversation::finish() noexcept {
  finished_ = true;
  sending_.finish();
  receiving_.refuse_more();
}

void Conversation::release(Time now) noexcept {
  finish();
  receiving_.discard();
  released_ = now;
  if (state_ != State::open) end(Code::closed);
  end_if_done();
}

}  // namespace corbel::transport::rudp
