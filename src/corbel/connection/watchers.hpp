// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "corbel/base/condition.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/connection_event.hpp"

namespace corbel::connection {

/// What a connection remembers for its watchers. Each part is told at most once, and never the end before the
/// beginning, whichever threads tell them.
struct Watched {
  static constexpr std::uint8_t kOpening = 1, kOpened = 2, kEnded = 4, kAwaited = 8;
  std::atomic<std::uint8_t> told{0};
  std::uint64_t id = 0;                   ///< before kOpened, and before anything is sent or received
  bool accepted = false;                  ///< before kOpened
  base::Error error;                      ///< before kEnded
  std::atomic<const char*> why{nullptr};  ///< a literal: why this side ends it, if there is more to say than the error
};

/// One call-back of an application and the thread that it is called on: it may block, throw, and call any ORB. Events
/// wait in a queue of bounded length; what finds it full is left out and counted. Thread-safe.
class Watcher {
 public:
  using CallBack = std::function<void(const ConnectionEvent&)>;
  static constexpr std::size_t kMostWaiting = 1000;

  Watcher(CallBack call_back, const base::Log& log) : call_back_(std::move(call_back)), log_(&log) {}

  /// Starts the thread, which keeps `self`. Throws std::system_error if the system has none.
  static void start(const std::shared_ptr<Watcher>& self);
  void push(const ConnectionEvent& event) noexcept;
  /// Nothing is called any more. When this returns, the call-back has returned and is destroyed. If the call-back
  /// itself is the caller, that is so when it has returned.
  void withdraw() noexcept;
  /// After this nothing is pushed. Waits for what was, until the deadline, unless the call-back is the caller. The log
  /// is not used any more.
  void end(base::Deadline deadline) noexcept;

 private:
  void serve() noexcept;
  void call(const ConnectionEvent& event) noexcept;

  CallBack call_back_;  // of the thread
  std::thread thread_;
  base::Mutex mutex_;  // guards what follows
  std::thread::id id_;
  base::Condition changed_;
  std::deque<ConnectionEvent> waiting_;
  const base::Log* log_;
  std::uint64_t missed_ = 0;
  bool withdrawn_ = false;
  bool closed_ = false;
  bool done_ = false;  // nothing more is called
};

/// The watchers of the connections of one ORB. They cost a connection a few instructions at its beginning and its end
/// as long as there are none. Thread-safe; does nothing in a child of the process.
class Watchers {
 public:
  explicit Watchers(const base::Log& log) noexcept : log_(log) {}

  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// Gives the event to all watchers and returns; takes no lock for long. The event's time is set here.
  void tell(ConnectionEvent event) noexcept;
  /// Throws std::system_error or std::bad_alloc if there is no thread or memory for it. Null after end().
  std::shared_ptr<Watcher> add(Watcher::CallBack call_back);
  /// As Watcher::withdraw(). Also after end().
  void remove(const std::shared_ptr<Watcher>& watcher) noexcept;
  /// A connection has been told of, whose end will be; and it has been.
  void await() noexcept;
  void awaited() noexcept;
  /// The ORB ends: events before this are still delivered, but for slow call-backs, and none after it. The ends of
  /// connections that other threads are just closing, or had only just opened, still count as before.
  void end() noexcept;

 private:
  bool left_behind() const noexcept { return process_ != base::process_generation(); }

  const base::Log& log_;
  const std::uint32_t process_ = base::process_generation();
  std::atomic<bool> any_{false};
  base::ForkMutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<Watcher>> all_;
  bool ended_ = false;
  base::Mutex ends_mutex_;  // guards what follows
  base::Condition none_awaited_;
  std::size_t awaited_ = 0;
};

}  // namespace corbel::connection
