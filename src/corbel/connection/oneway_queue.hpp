// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

/// What became of messages that no caller waits for, over all connections of an ORB. Thread-safe. Of those that are
/// kept back, `kept` and `waiting_octets` know when they leave, or when their queue is asked to tell.
struct OnewayCounters {
  std::atomic<std::uint64_t> queued{0};   ///< messages that had to wait for the transport
  std::atomic<std::uint64_t> kept{0};     ///< messages that were kept back to leave with others
  std::atomic<std::uint64_t> dropped{0};  ///< messages that were not sent because the queue was full, or at its end
  std::atomic<std::uint64_t> dropped_octets{0};  ///< and their octets
  std::atomic<std::uint64_t> waiting_octets{0};  ///< now
};

/// Whole messages that their senders do not wait for and that have not left yet, in order: the transport did not take
/// them, or they are kept back to leave together. Any thread may push and drop; only the thread that has the
/// connection's writer token takes out. What has begun to leave is never dropped. Memory is taken for the first
/// message, and kept.
class OnewayQueue {
 public:
  enum class Pushed : std::uint8_t { queued, replaced, dropped, full };
  enum class Why : std::uint8_t { waits, kept };
  struct Count {
    std::size_t messages = 0;
    std::size_t octets = 0;
  };

  /// `counters` outlives it. `whole`: each message leaves by itself.
  OnewayQueue(const policy::OnewayBuffering& settings, OnewayCounters& counters, bool whole) noexcept
      : settings_(settings), counters_(counters), whole_(whole) {}
  ~OnewayQueue() { (void)clear(); }

  /// False while anything waits. Any thread.
  bool empty() const noexcept { return octets_.load(std::memory_order_acquire) == 0; }
  /// Octets of all that waits.
  std::size_t octets() const noexcept { return octets_.load(std::memory_order_relaxed); }
  std::size_t messages() const noexcept { return messages_.load(std::memory_order_relaxed); }
  /// True if a message of that size would neither displace others nor wait.
  bool has_room(std::size_t size) const noexcept {
    const std::size_t used = octets();
    return used <= settings_.limit && size <= settings_.limit - used;
  }
  /// True if messages may be dropped although others are behind them.
  bool drops_oldest() const noexcept { return settings_.overflow == policy::OnewayOverflow::oldest; }

  /// `replaced`: older ones were dropped for it; `dropped`: this one was; `full`: nothing changed, and the caller has
  /// to wait, or send what is kept back.
  Pushed push(std::span<const cdr::Segment> message, Why why);
  Pushed push(base::ConstByteSpan message, Why why) {
    const cdr::Segment segment{message.data(), message.size()};
    return push({&segment, 1}, why);
  }
  /// With the token, while nothing else leaves(): the rest of a message that has begun to leave.
  void push_begun(base::ConstByteSpan rest);

  /// With the token: what has to leave next, as much as may go at once; empty if nothing does. Valid until the next
  /// call of these three.
  base::ConstByteSpan front();
  /// With the token, after front() was not empty, where each message leaves by itself: octets of that one and of those
  /// that lie behind it, in one piece, and may leave with it.
  std::span<const std::uint32_t> front_sizes() const noexcept {
    return std::span(leaving_.sizes).subspan(leaving_.first);
  }
  /// With the token: a message has perhaps left in part, and its rest must come before any other.
  bool begun() const noexcept { return gone_ != 0; }
  /// With the token: front() showed more than has left since.
  bool leaves() const noexcept { return !leaving_.empty(); }
  /// With the token: so many octets of front() have left. (clear() may have come in between.)
  void pop(std::size_t octets);
  /// With the token: what was shown by front() may be dropped again, but for the rest of one that has begun to leave.
  void put_back() noexcept;

  /// Brings the counters up to date. Any thread.
  void tell() noexcept;
  /// Drops everything; returns what that was.
  Count clear() noexcept;
  /// What has been dropped since this was asked last.
  Count take_dropped() noexcept;

 private:
  /// Messages behind each other. Their memory stays when they go, unless it is much.
  struct Run {
    static constexpr std::size_t kMostKept = 256U << 10;

    bool empty() const noexcept { return begin == octets.size(); }
    std::size_t size() const noexcept { return octets.size() - begin; }
    std::size_t messages() const noexcept { return sizes.size() - first; }
    void append(std::span<const cdr::Segment> message, std::size_t size);
    void pop_front() noexcept;
    void clear() noexcept;

    base::Bytes octets;
    std::size_t begin = 0;
    std::vector<std::uint32_t> sizes;
    std::size_t first = 0;
  };

  void drop(Count what) noexcept;
  void add(std::size_t octets) noexcept;
  void subtract(Count what) noexcept;
  void tell_counters() noexcept;

  const policy::OnewayBuffering settings_;
  OnewayCounters& counters_;
  const bool whole_;
  std::atomic<std::size_t> octets_{0};
  std::atomic<std::size_t> messages_{0};
  Run leaving_;           // guarded by the token
  std::size_t gone_ = 0;  // octets of its first message

  base::Mutex mutex_;  // guards what follows, and changes of octets_ and messages_
  Run waiting_;
  Count dropped_{};  // since take_dropped()
  // An atomic instruction for each message would be a tenth of what keeping it back costs.
  std::size_t told_octets_ = 0;  // of octets_, that the counters know
  std::size_t untold_ = 0;       // messages kept back, that they do not
};

}  // namespace corbel::connection
