// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/transport/rudp/wire.hpp"

namespace corbel::transport::rudp {

/// Time since any moment that both ends of a comparison share.
using Time = base::Duration;
inline constexpr Time kNever = Time::max();
/// For which an acknowledgement waits for data that could bear it.
inline constexpr Time kPutOff = std::chrono::milliseconds(10);

/// How long a round trip takes, and how long to wait for an answer: smoothed mean and deviation of what was measured,
/// as RFC 6298 has them.
class RoundTrip {
 public:
  static constexpr Time kLeast = std::chrono::milliseconds(60);  // more than an acknowledgement may be put off
  static constexpr Time kMost = std::chrono::seconds(8);
  static constexpr Time kFirst = std::chrono::milliseconds(500);  // while nothing is known

  /// `most`: the waits of a row grow up to here, or to one wait if that is longer.
  explicit RoundTrip(Time most = kMost) noexcept : most_(most) {}

  void measured(Time took) noexcept;
  bool is_known() const noexcept { return known_; }
  Time mean() const noexcept { return mean_; }
  /// The shortest that was seen.
  Time least() const noexcept { return least_; }
  /// To wait before what was sent is taken for lost, after `failures` such waits in a row.
  Time patience(unsigned failures) const noexcept;

 private:
  Time most_;
  bool known_ = false;
  Time mean_{};
  Time deviation_{};
  Time least_ = kNever;
};

/// The sending half of a conversation: keeps octets until they are acknowledged, says which are to be sent when, and
/// how many may be under way. No clock, no socket; not thread-safe.
///
/// What is lost is seen by what was sent later and has arrived (three segments, fewer at the end of a burst), or else
/// by time. First the last segment is sent once more, so that the answer shows the gaps; then all is taken for lost. As
/// many segments may be under way as the congestion window says: RFC 5681, counted in segments.
class Sending {
 public:
  static constexpr std::size_t kMostSegments = 2'048;  // remembered
  static constexpr std::size_t kFirstWindow = 10;      // RFC 6928

  /// What to send: these positions, of which the end of the stream is no octet.
  struct Piece {
    std::uint64_t begin = 0;
    std::size_t size = 0;
    bool ends = false;
    bool again = false;
  };

  /// `capacity`: octets that it keeps. `patience`: as RoundTrip's `most`. May throw: an empty queue takes memory, too.
  explicit Sending(std::size_t capacity, Time patience = RoundTrip::kMost)
      : capacity_(capacity), round_trip_(patience) {}
  /// The peer takes segments with so many octets of data, and so many positions before it has acknowledged any.
  void begin(std::size_t most_data, std::uint64_t edge) noexcept;

  std::size_t room() const noexcept { return closed_ ? 0 : capacity_ - static_cast<std::size_t>(end_ - first_); }
  /// Appends the beginning of `octets`, as far as there is room; how many.
  std::size_t put(base::ConstByteSpan octets);
  /// The stream ends here. Nothing is put after this.
  void finish() noexcept { closed_ = true; }
  /// Nobody will read: forgets all that was put, and will send nothing.
  void drop() noexcept;
  /// True if all has been acknowledged, the end as well if there is one.
  bool is_settled() const noexcept { return dropped_ || (sent_.empty() && next_ == all()); }
  /// Octets that were put and have not been acknowledged.
  std::size_t kept() const noexcept { return dropped_ ? 0 : static_cast<std::size_t>(end_ - first_); }
  /// True if something is under way.
  bool waits() const noexcept { return !sent_.empty(); }

  /// False if nothing is to be sent now. The piece counts as sent.
  bool next(Time now, Piece& piece);
  /// Octets of a piece.
  void copy(const Piece& piece, base::Octet* to) const noexcept;

  /// The peer has said what has arrived and (`edge`) how far it takes. False, and nothing changes, if it cannot have.
  bool heard(Time now, std::uint64_t acknowledged, std::span<const Range> ranges, std::uint64_t edge);
  /// When expire() has something to do; kNever if an answer has to come first.
  Time due() const noexcept;
  /// Looks for what is late. True if the peer is to be asked how far it takes: it has said no further.
  bool expire(Time now);
  /// Since when nothing that is under way has been acknowledged.
  Time progress() const noexcept { return progress_; }
  const RoundTrip& round_trip() const noexcept { return round_trip_; }
  std::size_t window() const noexcept { return window_; }
  /// Segments that were sent more than once.
  std::uint64_t repeated() const noexcept { return repeated_; }

 private:
  enum class Fate : std::uint8_t { flying, arrived, lost };
  struct Sent {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t order;  // of all that was sent, this was the how-manieth
    Time at;
    Fate fate = Fate::flying;
    bool again = false;
  };

  /// The position behind the last one.
  std::uint64_t all() const noexcept { return end_ + (closed_ ? 1 : 0); }
  void sent_now(Sent& segment, Time now) noexcept;
  Piece piece_of(const Sent& segment) const noexcept;
  bool repeat(Time now, Piece& piece);
  bool send_new(Time now, Piece& piece);
  void arrived(const Sent& segment, Time now) noexcept;
  void grow(std::size_t segments) noexcept;
  void find_lost() noexcept;
  void congested() noexcept;
  void all_lost() noexcept;

  const std::size_t capacity_;
  std::unique_ptr<base::Octet[]> octets_;  // position p at p % capacity_; made when the first is put
  bool closed_ = false;
  bool dropped_ = false;
  std::size_t most_data_ = 0;
  std::uint64_t first_ = 0;  // not acknowledged
  std::uint64_t next_ = 0;   // not sent yet
  std::uint64_t end_ = 0;    // not put yet
  std::uint64_t edge_ = 0;   // the peer takes what is before

  std::deque<Sent> sent_;  // in order of position; the first is not acknowledged
  std::size_t flying_ = 0;
  std::size_t lost_ = 0;
  std::size_t apart_ = 0;     // arrived behind a gap
  std::uint64_t order_ = 0;   // of what is sent next
  std::uint64_t latest_ = 0;  // order behind that of the last sent that is known to have arrived
  std::size_t window_ = kFirstWindow;
  std::size_t threshold_ = SIZE_MAX;  // up to which the window grows fast
  std::size_t grown_ = 0;             // towards the next step, beyond it
  std::uint64_t recovered_ = 0;       // losses before this position have been answered for
  bool limited_ = false;              // by the window, since it was asked last

  RoundTrip round_trip_;
  Time progress_{};
  Time waiting_since_{};  // for the first of what is under way
  Time last_sent_{};
  unsigned failures_ = 0;
  bool probed_ = false;  // since the last progress
  bool probe_ = false;   // the last segment is to be sent again
  Time held_up_since_ = kNever;
  unsigned asked_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace corbel::transport::rudp
