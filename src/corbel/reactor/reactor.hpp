// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/reactor/clock.hpp"
#include "corbel/reactor/event_handler.hpp"
#include "corbel/reactor/timer_queue.hpp"

namespace corbel::reactor {

/// Waits for events, timers and notifications, and dispatches them.
///
/// Threads: one thread at a time runs it (run, run_once, or a ThreadPool, which passes that right, leadership, from
/// thread to thread). Everything else may be called by any thread at any time, also from handlers and callbacks.
/// run_once may be called from within a handler. No lock is held while a handler or callback runs or while the thread
/// waits. A dispatched event costs no allocation.
///
/// After fork(2) it is the parent's; in the child it has stopped and touches nothing that they share.
///
/// Lifetime: outlives the pools that run it. Its destructor drops the handlers that are still registered and the
/// callbacks that have not run.
class CORBEL_API Reactor {
 public:
  /// Error: out_of_resources (stage configure).
  static base::Result<std::unique_ptr<Reactor>> create(const Clock& clock = Clock::system());
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // --- events ---

  /// Registers `handler` for events on `handle` (not owned; must be removed before it is closed). Errors: bad_argument
  /// (registered already, or a handle that cannot be waited for), out_of_resources.
  base::Status add(base::IntrusivePtr<EventHandler> handler, int handle, Events interest,
                   Trigger trigger = Trigger::level, Promotion promotion = Promotion::before_dispatch) noexcept;
  /// Changes what is waited for and how; arms a one-shot handler. Error: not_found if not registered.
  base::Status modify(EventHandler& handler, Events interest, Trigger trigger) noexcept;
  /// The same interest again: arms a one-shot handler; makes an edge-triggered one see what is ready already.
  base::Status rearm(EventHandler& handler) noexcept;
  /// True if it is waited for edge-triggered, for nothing but `interest`.
  static bool has_edges(EventHandler& handler, Events interest) noexcept;
  /// Ends that: nothing is waited for. Does nothing otherwise.
  void end_edges(EventHandler& handler) noexcept;
  /// No new dispatch begins after this, except one that another thread is just about to make. The caller may close the
  /// handle afterwards. Harmless if not registered.
  void remove(EventHandler& handler) noexcept;

  // --- timers and notification ---

  /// Runs `callback` once at or after `when`, on a thread that runs the reactor. The callback must not throw.
  TimerId schedule(TimePoint when, Callback callback);
  TimerId schedule_after(base::Duration delay, Callback callback);
  /// True if the callback has not begun and never will.
  bool cancel(TimerId id);
  const Clock& clock() const noexcept { return clock_; }

  /// Runs `callback` soon, on a thread that runs the reactor, in the order of posting (concurrently in a pool).
  void post(Callback callback);
  /// The same for `handler->on_event(events)`, registered or not: as if the handle had said so. Allocates nothing
  /// while no more are posted at a time than were before, or 64.
  void post(base::IntrusivePtr<EventHandler> handler, Events events);
  /// Makes the wait that is under way, or else the next one, return early.
  void notify() noexcept;

  // --- the tick: a periodic look at things, only while some part wants it ---

  /// Sets what the tick does. `look` runs on the leader, without promotion: it must be short. It returns false to stop
  /// the tick. Call once, before the reactor runs.
  void set_tick(base::Duration interval, std::function<bool()> look);
  /// Makes the tick run from now on; one atomic load if it is running. To be seen by a look that is just deciding to
  /// stop, what it looks at must be stored (sequentially consistent) before.
  void start_tick() noexcept {
    if (!tick_on_.load(std::memory_order_seq_cst)) switch_tick_on();
  }

  // --- running it ---

  /// Waits until something is ready (no longer than the deadline) and dispatches all that is, but no more than `most`:
  /// the rest is ready for the next. How many were dispatched; 0 when the deadline passed, and possibly earlier
  /// (notify, signal). Error: cancelled after stop().
  base::Result<std::size_t> run_once(base::Deadline deadline = base::Deadline::none(), std::size_t most = SIZE_MAX);
  /// run_once until stop().
  void run();
  /// True if run_once would dispatch something at once. For the thread that runs the reactor.
  bool work_pending();
  /// Makes run, run_once and pools return, now and for ever. Callbacks not yet run stay until destruction.
  void stop() noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_seq_cst); }

  // --- as a guest of another loop ---

  /// A handle that another loop (poll, epoll, select) waits for instead of calling run(): readable as long as run_once
  /// would find something to do, be it an event, a timer, something posted or removed, and after stop(). It may be
  /// readable without cause. The reactor owns it; nobody else may read from it, change or close it. From then on each
  /// run_once and work_pending, and publishing from outside of them, may cost a system call more. For the thread that
  /// runs the reactor, and not with a ThreadPool. Errors (stage configure): out_of_resources, cancelled in the child
  /// of a fork.
  base::Result<int> pollable();

 private:
  friend class ThreadPool;

  /// One thing to dispatch.
  struct Work {
    base::IntrusivePtr<EventHandler> handler;
    Events events = Events::none;
    Callback callback;

    bool promotes() const noexcept;
    void run();
  };
  struct Event;  // an epoll_event
  static constexpr std::size_t kBatch = 64;
  static constexpr std::int64_t kNever = INT64_MAX;

  Reactor(const Clock& clock, ipc::Handle epoll, ipc::Handle wakeup);
  void after_fork() noexcept;
  void post(Work work);
  /// Waits for one batch. For the leader, when next() found nothing.
  base::Status wait(base::Deadline deadline);
  /// Takes one thing out of the batch; false if it is used up. For the leader.
  bool next(Work& work);
  bool next_timer(Work& work);
  int wait_milliseconds(base::Deadline deadline) noexcept;
  void wake() noexcept;
  void begin_batch(std::size_t events);
  bool has_batch() const noexcept;
  /// True if there is certainly nothing left of it.
  bool batch_over() const noexcept {
    return event_next_ == event_count_ && running_next_ == running_.size() && !timers_due_;
  }
  void arm() noexcept;
  void arm_timer() noexcept;
  void run_tick();
  void switch_tick_on() noexcept;
  void release_removed() noexcept;
  base::Status control(int operation, EventHandler& handler) noexcept;

  const Clock& clock_;
  ipc::Handle epoll_;
  ipc::Handle wakeup_;

  // The batch: belongs to the leader.
  std::unique_ptr<Event[]> events_;
  std::size_t event_count_ = 0;
  std::size_t event_next_ = 0;
  std::vector<Work> running_;
  std::size_t running_next_ = 0;
  bool timers_due_ = false;
  TimePoint batch_time_{};
  std::uint64_t batch_sequence_ = 0;
  TimePoint tick_next_{};
  bool tick_running_ = false;
  ipc::Handle guest_timer_;                // there once pollable() was called
  std::int64_t guest_timer_set_ = kNever;  // when it makes the handle readable

  // What other threads publish and the leader looks at before it waits. Sequentially consistent, so that either the
  // leader sees it or the publisher sees waiting_.
  std::atomic<bool> waiting_{false};
  std::atomic<bool> notified_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> has_posted_{false};
  std::atomic<bool> has_removed_{false};
  std::atomic<std::int64_t> timer_next_{kNever};
  std::atomic<bool> tick_on_{false};

  base::Duration tick_interval_{};
  std::function<bool()> tick_look_;

  std::mutex mutex_;  // guards what follows
  TimerQueue timers_;
  std::vector<Work> posted_;
  EventHandler* registered_ = nullptr;
  EventHandler* removed_ = nullptr;

  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Reactor*>(self)->after_fork(); }, this};
};

}  // namespace corbel::reactor
