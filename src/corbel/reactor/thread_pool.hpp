// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

#include "corbel/base/deadline.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/result.hpp"
#include "corbel/reactor/pool_thread.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::reactor {

struct ThreadPoolOptions {
  unsigned min_threads = 1;    ///< kept even when idle; 0: only joined threads until there is work for more
  unsigned max_threads = 128;  ///< of its own, and in handlers at the same time, joined ones included (then at least 1)
  base::Duration idle_timeout = std::chrono::seconds(10);  ///< after which an idle thread above min_threads ends
  std::size_t stack_size = 0;  ///< of its own threads, in octets, at least PoolThread::kLeastStack; 0: the system's
  const base::Log* log = &base::Log::none();  ///< is told of threads that could not be started
};

/// Leader/followers: exactly one thread, the leader, waits on the reactor. When something is ready it first makes a
/// follower the leader (the one that became idle last; a new thread if none is idle and the limit allows) and then runs
/// the handler itself: no event changes threads. A handler may block for as long as it likes. While max_threads
/// handlers run, no thread waits until one returns. A handler that works in the pool itself (join_until, try_work)
/// counts once. Threads that are not the pool's and run something that counts take a Place.
///
/// Any thread may call anything, except that join() must not be called by a thread of the pool.
class CORBEL_API ThreadPool {
 public:
  explicit ThreadPool(Reactor& reactor, const ThreadPoolOptions& options = {});
  /// stop() and join().
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Starts min_threads threads. Error: out_of_resources (stage configure).
  base::Status start();
  /// The calling thread works in the pool until stop().
  void run();
  /// The calling thread works in the pool until `done` (called with no lock held, on this thread) is true; the thread
  /// that makes it true calls notify(). Errors: timed_out, cancelled (after stop()). May be called from within a
  /// handler.
  base::Status join_until(base::FunctionRef<bool()> done, base::Deadline deadline = base::Deadline::none());
  /// As join_until(), but the calling thread only waits: it runs no handler that could keep it beyond that.
  base::Status wait_until(base::FunctionRef<bool()> done);
  /// Runs `act` while the calling thread leads, so that it may use the reactor; false, at once, if another thread leads
  /// or the pool has stopped. `act` must not join the pool.
  bool try_lead(base::FunctionRef<void()> act);
  /// The calling thread dispatches one thing that is ready, as a thread of the pool would; does nothing if another one
  /// leads.
  void try_work();
  /// Makes every join_until() look at its condition.
  void notify() noexcept;
  /// As notify(), also for those that run a handler which goes on by itself: see called_away().
  void call_away() noexcept;

  /// Counts the calling thread among those in handlers, for something of which no reactor tells: waits for its turn as
  /// long as there are max_threads. Costs nothing if it is in a handler already.
  class CORBEL_API Place {
   public:
    explicit Place(ThreadPool& pool) noexcept;
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// False after lead_always() or stop(), which end the waiting, too: nothing more is to begin.
    explicit operator bool() const noexcept { return given_; }

   private:
    ThreadPool& pool_;
    const ThreadPool* const outer_;
    const bool given_;
  };

  /// Gives leadership of the calling thread's pool to a follower, if the calling thread leads, or nobody does since its
  /// promote_follower_if_slow(); otherwise does nothing. For handlers with Promotion::by_handler, before they block or
  /// get long.
  static void promote_follower();
  /// The same before something that is probably short: a follower takes over only if it is not, some 10 to 20 ms later.
  /// At once nevertheless while other events are ready, or if something took that long not long ago.
  static void promote_follower_if_slow();

  /// From now on a thread waits on the reactor even while as many handlers run as may, one more than max_threads if
  /// need be: for an end that must not wait for handlers which do not return. What begins then should be short.
  void lead_always();

  /// Stops the reactor and makes all threads return once their handlers have. Returns at once.
  void stop() noexcept;
  /// Waits until the pool's own threads have ended; only after stop(). False if some had not by the deadline.
  bool join(base::Deadline deadline = base::Deadline::none()) noexcept;
  /// True if no thread waits on the reactor because as many handlers run as may: a handler that keeps a thread that it
  /// could do without should give it back. So it should also while call_away() has not been heeded.
  bool starving() const noexcept { return lacks_.load(std::memory_order_relaxed) != 0; }
  /// True if another thread may lead while the calling one is in its handler.
  bool has_spare_thread() const noexcept;
  /// True if call_away() has not been heeded and the calling thread, which runs a handler of the pool, was not started
  /// by it: the handler should return as soon as it can.
  bool called_away() const noexcept;
  /// True if the calling thread is in try_work(), and has other things to do soon.
  bool visits() const noexcept;
  /// True if the pool started the calling thread, which may not join() it then.
  bool on_own_thread() const noexcept;

  /// Threads that the pool started and that have not ended.
  unsigned thread_count() const noexcept;
  /// Threads (joined ones included) that wait for their turn to lead.
  unsigned idle_count() const noexcept;

 private:
  /// How long a thread without work keeps what it would not have to allocate for the next.
  static constexpr base::Duration kKeeps = std::chrono::seconds(1);
  /// A thread that waits for its turn to lead; lives on that thread's stack. Guarded by the pool's mutex.
  struct Follower {
    std::condition_variable woken;
    Follower* below = nullptr;
    bool joined = false;  // has a condition of its own to look at
    bool waits = true;
    bool has_turn = false;  // woken to lead
    bool watches = false;   // looks whether somebody leads
    unsigned seen = 0;      // quick_turns_ when it looked last
    unsigned looks = 0;     // since it was another number
  };
  struct Waiter;
  using Threads = std::list<PoolThread>;

  base::Status work(base::FunctionRef<bool()> done, base::Deadline deadline, bool joined);
  bool follow(std::unique_lock<std::mutex>& lock, base::Deadline deadline, bool joined);
  bool takes_over(Follower& self) noexcept;
  void lead(base::Deadline deadline);
  void leave(const ThreadPool* outer) noexcept;
  bool give_turn(bool soon_back) noexcept;
  bool give_owed_turn() noexcept;
  bool pass_turn() noexcept;
  bool may_lead() const noexcept;
  static constexpr unsigned kLeader = 1;  // no thread waits on the reactor
  static constexpr unsigned kJoined = 2;  // a thread that has joined has something else to do
  static constexpr unsigned kPlace = 4;   // one that is ready to run something must not yet
  void set_lack(unsigned lack, bool there) noexcept;
  void end_handler(const ThreadPool* outer) noexcept;
  bool enter() noexcept;
  bool await_place(std::unique_lock<std::mutex>& lock) noexcept;
  void let_go_on(bool with_place) noexcept;
  void wake(Follower** link, bool to_lead) noexcept;
  base::Status spawn(bool has_turn);
  void miss_turn() noexcept;
  void thread_main(Threads::iterator self, bool has_turn);
  void reap() noexcept;

  Reactor& reactor_;
  const ThreadPoolOptions options_;
  std::atomic<unsigned> looks_{0};  // how often conditions had to be looked at again

  mutable std::mutex mutex_;  // guards what follows
  unsigned most_busy_;
  unsigned most_threads_;
  bool led_ = false;
  bool turn_given_ = false;  // a thread was woken or started to lead and has not got here yet
  bool stopping_ = false;
  bool watched_ = false;      // a follower takes over from a leader that does not come back
  bool wants_watch_ = false;  // the next follower shall
  unsigned quick_turns_ = 0;  // given, for a moment, to nobody
  unsigned slow_for_ = 0;     // turns for which no leader is expected back
  unsigned threads_ = 0;
  unsigned busy_ = 0;  // in handlers, having given up leadership
  unsigned idle_ = 0;
  unsigned joined_until_ = 0;       // threads in join_until()
  std::atomic<unsigned> lacks_{0};  // what threads are wanted for: kLeader, kJoined, kPlace; written under the mutex
  Follower* followers_ = nullptr;   // a stack: the one that became idle last is the warmest
  Waiter* waiters_ = nullptr;       // for a place among the handlers, first come first served
  std::condition_variable waited_;  // for those in wait_until()

  std::mutex list_mutex_;  // guards what follows
  Threads live_;
  Threads ended_;  // still to be joined
  std::condition_variable all_ended_;
};

}  // namespace corbel::reactor
