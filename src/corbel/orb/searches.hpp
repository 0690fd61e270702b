// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "corbel/base/deadline.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"

namespace corbel::orb {

/// Finds ways to objects for callers that must not wait until one is found (Messaging::SYNC_NONE): each search on a
/// thread of its own, which the caller leaves after a moment. Thread-safe.
class Searches {
 public:
  class Search {
   public:
    /// Waits for its end, but not for long: all callers together wait a tenth of a second since it began. True if it
    /// was successful, false if it goes on, or at the deadline; throws what it ended with.
    bool wait_a_moment(base::Deadline deadline);
    /// True if another one is to be started: it has ended, or was left behind in the process that this one was forked
    /// from.
    bool over() const noexcept { return over_ || process_ != base::process_generation(); }
    /// True for the first caller.
    bool tell() noexcept { return !told_.exchange(true); }

   private:
    friend class Searches;
    void run(const std::function<void()>& find) noexcept;

    const base::Deadline patience_ = base::Deadline::after(std::chrono::milliseconds(100));
    const std::uint32_t process_ = base::process_generation();
    std::atomic<bool> over_{false};
    std::atomic<bool> told_{false};
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::exception_ptr failure_;
  };
  using SearchPtr = std::shared_ptr<Search>;

  /// `log` is told of threads that could not be started.
  explicit Searches(const base::Log& log) : log_(log) {}

  /// Runs `find`, which throws if there is no way. Null if too many are under way or there is no thread for it.
  SearchPtr start(std::function<void()> find);
  /// Waits until none is under way; false if some are at the deadline. They end by themselves, after
  /// -ORBConnectTimeout.
  bool wait(base::Deadline deadline) noexcept;

 private:
  /// What the threads use, too, which may outlive the ORB.
  struct Shared {
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    unsigned under_way = 0;
  };

  const base::Log& log_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace corbel::orb
