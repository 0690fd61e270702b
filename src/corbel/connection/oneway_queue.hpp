// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>

#include "corbel/base/bytes.hpp"
#include "corbel/policy/qos.hpp"

namespace corbel::connection {

/// What became of messages that nobody waits for, over all connections of an ORB. Thread-safe.
struct OnewayCounters {
  std::atomic<std::uint64_t> queued{0};   ///< messages that had to wait for the transport
  std::atomic<std::uint64_t> dropped{0};  ///< messages that were not sent because the queue was full, or at its end
  std::atomic<std::uint64_t> dropped_octets{0};  ///< and their octets
  std::atomic<std::uint64_t> waiting_octets{0};  ///< now
};

/// Whole messages that their senders do not wait for and that the transport has not taken yet, in order. Any thread may
/// push and drop; only who holds the connection's writer token takes out. What has begun to leave is never dropped.
class OnewayQueue {
 public:
  enum class Pushed : std::uint8_t { queued, replaced, dropped, full };

  /// `counters` outlives it.
  OnewayQueue(const policy::OnewayBuffering& settings, OnewayCounters& counters) noexcept
      : settings_(settings), counters_(counters) {}
  ~OnewayQueue() { clear(); }

  /// False while anything waits. Any thread.
  bool empty() const noexcept { return octets_.load(std::memory_order_acquire) == 0; }

  /// Of all that waits.
  std::size_t octets() const noexcept { return octets_.load(std::memory_order_relaxed); }

  /// `replaced`: older ones went for it; `dropped`: this one did; `full`: nothing changed, the caller has to wait.
  Pushed push(base::ConstByteSpan message);
  /// With the token, and before anything else that is pushed: the rest of a message that has begun to leave.
  void push_begun(base::ConstByteSpan rest);

  /// With the token: what has to leave next; empty if nothing does. Valid until the next call of these two.
  base::ConstByteSpan front();
  /// With the token: a message has perhaps left in part, and its rest must come before any other.
  bool begun() const noexcept { return left_ != leaving_.size(); }
  /// With the token: so many octets of front() have left. (clear() may have come in between.)
  void pop(std::size_t octets);

  /// Drops everything.
  void clear() noexcept;

 private:
  void drop(std::size_t messages, std::size_t octets) noexcept;
  void add(std::size_t octets) noexcept;
  void subtract(std::size_t octets) noexcept;

  const policy::OnewayBuffering settings_;
  OnewayCounters& counters_;
  std::atomic<std::size_t> octets_{0};
  base::Bytes leaving_;  // guarded by the token
  std::size_t left_ = 0;

  std::mutex mutex_;                // guards what follows, and changes of octets_
  std::list<base::Bytes> waiting_;  // takes no memory while it is empty
};

}  // namespace corbel::connection
