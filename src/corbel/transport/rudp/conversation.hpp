// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "corbel/base/error.hpp"
#include "corbel/transport/rudp/receiving.hpp"
#include "corbel/transport/rudp/sending.hpp"
#include "corbel/transport/rudp/wire.hpp"

namespace corbel::transport::rudp {

/// What one side of a conversation is made with.
struct Terms {
  std::size_t send_buffer = 256U << 10;     ///< octets
  std::size_t receive_buffer = 256U << 10;  ///< octets; the window that the peer is told of
  std::size_t datagram = kSafeDatagram;     ///< octets
  Time give_up = std::chrono::seconds(10);
  bool keep_alive = true;
  std::shared_ptr<GapMemory> gaps{};  ///< as Receiving has it
};

/// One side of a conversation, from the hand-shake to the end: given datagrams, the time and what its user wants, it
/// says which datagrams to send and when it wants to be asked again. No clock, no socket; not thread-safe.
///
/// Whoever calls hear(), expire(), put(), read(), finish() or release() then sends what next() gives until that is
/// nothing, and comes back at due().
class Conversation {
 public:
  /// How long the accepting side keeps what the client does not confirm.
  static constexpr Time kHalfOpen = std::chrono::seconds(5);

  /// The side that connects. `token`: random, as what the peer has to say each time.
  Conversation(std::uint64_t token, const Terms& terms, Time now);
  /// The side that was asked to by an OPEN whose cookie was right.
  Conversation(std::uint64_t token, const Offer& peer, const Terms& terms, Time now);

  /// A datagram for this conversation's token, from the peer's address.
  void hear(const Datagram& datagram, Time now);
  /// The system says that datagrams do not reach the peer. That may be forged, or pass: it is believed if the peer does
  /// not answer within a second or so, and at once in the hand-shake.
  void hear_of_failure(base::Code code, Time now);
  /// True if something behind a gap was refused since it was asked last, as Terms::gaps had nothing left for it.
  bool take_unpaid() noexcept { return std::exchange(unpaid_, false); }
  /// Since when a gap stands before something that had come then, if Terms::gaps pays for such; else kNever.
  Time gap_since() const noexcept { return receiving_.paid() != 0 ? gap_since_ : kNever; }
  /// Others need the memory: it is lost.
  void cut() noexcept { end(base::Code::lost); }
  void expire(Time now);
  Time due() const noexcept;
  /// Writes the next datagram to send; its size, or 0. `room`: datagram_size() octets.
  std::size_t next(base::ByteSpan room, Time now);
  /// Octets of the largest datagram that it sends.
  std::size_t datagram_size() const noexcept { return datagram_; }

  // --- for its user ---

  std::size_t put(base::ConstByteSpan octets) { return is_open() && !has_ended() ? sending_.put(octets) : 0; }
  std::size_t room() const noexcept { return is_open() && !has_ended() ? sending_.room() : 0; }
  std::size_t read(base::ByteSpan room) noexcept;
  bool is_readable() const noexcept { return receiving_.is_readable(); }
  /// No more is put, and what comes is not read: what was put still goes to the peer, then the end.
  void finish() noexcept;
  /// The same, and nobody will read what has come or ask how it ended: as soon as there is nothing left to do, it is
  /// over.
  void release(Time now) noexcept;

  bool is_open() const noexcept { return state_ == State::open; }
  bool is_over() const noexcept { return state_ == State::over; }
  bool is_half_open() const noexcept { return state_ == State::accepting; }
  /// The peer has ended the stream, and all before that has come.
  bool has_ended() const noexcept { return receiving_.has_ended(); }
  /// Why it is over: refused, unreachable, unsupported, timed_out (in the hand-shake), lost, closed.
  base::Code reason() const noexcept { return reason_; }
  std::uint64_t token() const noexcept { return token_; }
  const Sending& sending() const noexcept { return sending_; }

 private:
  enum class State : std::uint8_t { greeting, opening, accepting, open, over };

  Offer offer() const noexcept;
  void agree(const Offer& peer, Time now) noexcept;
  void end(base::Code reason) noexcept;
  void end_if_done() noexcept;
  void hear_segment(const Segment& segment, Time now);
  bool hear_data(const Segment& segment, Time now);
  void ask(Time now) noexcept;
  void shake_again(Time now) noexcept;
  std::size_t next_of_handshake(base::ByteSpan room, Time now) noexcept;
  std::size_t write(base::ByteSpan room, const Sending::Piece& piece, bool alone) noexcept;

  const Terms terms_;
  const std::uint64_t token_;
  State state_;
  base::Code reason_ = base::Code::none;
  std::uint64_t peer_ = 0;
  std::size_t datagram_;
  Cookie cookie_;
  const Time began_;
  Time shake_at_;  // kNever: no part of the hand-shake is to be said
  Time shake_wait_;

  Sending sending_;
  Receiving receiving_;
  Time gap_since_ = kNever;
  std::uint64_t gap_until_ = 0;  // the last that had come then
  bool unpaid_ = false;
  bool finished_ = false;
  Time released_ = kNever;

  bool answer_now_ = false;
  Time answer_at_ = kNever;
  unsigned unanswered_ = 0;      // segments in order
  std::uint64_t told_edge_ = 0;  // of our window
  bool ask_now_ = false;
  Time asked_since_ = kNever;  // no answer since then
  Time ask_again_ = kNever;
  unsigned unheard_questions_ = 0;
  Time suspected_ = kNever;  // the system said that the peer is not there
  Time heard_;
};

}  // namespace corbel::transport::rudp
