// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "corbel/base/condition.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/async_reply.hpp"
#include "corbel/connection/own_threads.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::connection {

/// Asynchronous requests whose outcome is known and has still to be acted on, and the threads that do: those that run
/// the reactor. No finish() ever runs inside the synchronous call of another caller. Thread-safe.
class Completions {
 public:
  /// `ticks`: the reactor's tick calls look().
  Completions(reactor::Reactor& reactor, bool ticks, const base::Log& log = base::Log::none()) noexcept
      : reactor_(reactor), ticks_(ticks), log_(log) {}

  reactor::Reactor& reactor() noexcept { return reactor_; }
  const base::Log& log() const noexcept { return log_; }
  /// For connections that no reactor can wait for.
  OwnThreads& threads() noexcept { return threads_; }

  /// For threads that have other things to do: a thread of the reactor will finish the reply.
  void push(AsyncReply& reply) noexcept;
  /// Finishes all of these and whatever else is waiting, on this thread. Should one take long, others of the reactor's
  /// threads go on with the rest.
  void run(AsyncReplyList& replies) noexcept;
  /// Finishes everything that waits on this thread and returns when other threads have finished what they had begun,
  /// except what runs below the caller. False if they have not by the deadline.
  bool settle(base::Deadline deadline = base::Deadline::none()) noexcept;
  /// True if the calling thread is finishing one of these.
  bool busy_here() const noexcept { return running_here() != 0; }
  /// Takes a reply out again if no thread has begun to finish it; the caller does.
  bool take(AsyncReply& reply) noexcept;
  /// The reactor has no threads any more (or will have none): finishes everything on the calling thread, now and
  /// whenever something is pushed.
  void close() noexcept;
  /// The reactor's tick: calls another thread if nothing has been finished since the last look. False if nothing waits.
  bool look() noexcept;

 private:
  unsigned running_here() const noexcept;
  void drain() noexcept;
  void add(AsyncReply& reply) noexcept;
  AsyncReply* next(bool ended) noexcept;
  AsyncReply* begin_next() noexcept;
  void begin() noexcept;
  void finish(AsyncReply* reply) noexcept;
  void call_thread() noexcept;

  reactor::Reactor& reactor_;
  const bool ticks_;
  const base::Log& log_;
  base::Mutex mutex_;  // guards what follows
  AsyncReplyList waiting_;
  bool called_ = false;  // a thread is on its way
  bool closed_ = false;
  unsigned begun_ = 0;
  unsigned running_ = 0;
  unsigned settling_ = 0;  // threads that wait for others to end what they run
  base::Condition changed_;
  unsigned seen_ = 0;
  OwnThreads threads_;  // they may push to the last
};

}  // namespace corbel::connection
