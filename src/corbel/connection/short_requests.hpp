// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "corbel/base/deadline.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {

/// Says who leads the pool while a thread that led serves a connection. To wake another one costs more than a request
/// that is answered at once: where many were, the next is expected to be, and nobody leads meanwhile. Each time when
/// that was wrong more of them are needed, so that it seldom is. Thread-safe.
class ShortRequests {
 public:
  class Turn;
  static constexpr int kPart = 500;  ///< what is answered in such a part of -ORBSlowUpcall takes a short time

  /// `limit`: what is answered sooner is short; 0: another thread always leads.
  explicit ShortRequests(base::Duration limit) noexcept : limit_(limit.count()) {}

  /// True if the next one is probably short.
  bool expects() const noexcept {
    return in_row_.load(std::memory_order_relaxed) >= needed_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kLeast = 64;
  static constexpr std::uint32_t kMost = 1U << 20;

  void note(bool is_short, bool was_expected) noexcept {
    const std::uint32_t needed = needed_.load(std::memory_order_relaxed);
    std::uint32_t in_row = 0;
    if (!is_short) {
      if (was_expected) needed_.store(std::min(needed * 4, kMost), std::memory_order_relaxed);
    } else if (in_row = in_row_.load(std::memory_order_relaxed) + 1; in_row >= 2 * needed) {
      in_row = needed;
      needed_.store(std::max(needed / 2, kLeast), std::memory_order_relaxed);
    }
    in_row_.store(in_row, std::memory_order_relaxed);
  }

  const std::int64_t limit_;  // nanoseconds
  std::atomic<std::uint32_t> in_row_{0};
  std::atomic<std::uint32_t> needed_{kLeast};
};

/// What a thread serves from one wait for the reactor to the next; on its stack.
class ShortRequests::Turn {
 public:
  /// `stays`: the thread is going to wait at the connection.
  Turn(ShortRequests& requests, bool stays) noexcept : requests_(requests) {
    const bool looks = requests.limit_ != 0 && !stays;
    expected_ = looks && requests.expects();
    expected_ ? reactor::ThreadPool::promote_follower_if_slow() : reactor::ThreadPool::promote_follower();
    if (!looks) return;
    begun_ = now();
    t_here = this;
  }
  ~Turn() { t_here = outer_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// The calling thread has an answer. To send it may wake somebody who then has the processor: that is not counted.
  static void answers() noexcept {
    if (t_here != nullptr) [[unlikely]]
      t_here->answered_ = now();
  }
  /// So many messages were served, since it began or this was last called.
  void end(unsigned messages) noexcept {
    if (begun_ == 0 || messages == 0) return;
    const std::int64_t answered = std::exchange(answered_, 0);
    const std::int64_t until = answered != 0 ? answered : now();
    requests_.note((until - std::exchange(begun_, until)) / messages <= requests_.limit_, expected_);
  }

 private:
  /// Nanoseconds. The clock of deadlines ticks in milliseconds.
  static std::int64_t now() noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  // In a shared library the usual model is a function call each time.
  [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]] static constinit thread_local Turn* t_here;

  ShortRequests& requests_;
  Turn* const outer_ = t_here;
  std::int64_t begun_ = 0;  // 0: it does not matter how long it takes
  std::int64_t answered_ = 0;
  bool expected_ = false;
};

}  // namespace corbel::connection
