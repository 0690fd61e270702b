// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/thread_pool.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "corbel/base/kept_memory.hpp"

namespace corbel::reactor {
namespace {

/// Several times per event; in a shared library the usual model is a function call each time.
struct OfThread {
  ThreadPool* leads = nullptr;          ///< the pool that this thread leads
  ThreadPool* owes = nullptr;           ///< the pool whose turn it gave to nobody, for its handler is probably short
  const ThreadPool* member = nullptr;   ///< the pool that started this thread
  const ThreadPool* visited = nullptr;  ///< the pool that this thread works for once
  const ThreadPool* busy = nullptr;     ///< the pool that counts this thread as being in a handler
};
[[gnu::tls_model("initial-exec")]] constinit thread_local OfThread t_here;

constexpr unsigned kNoLimit = std::numeric_limits<unsigned>::max();

}  // namespace

ThreadPool::ThreadPool(Reactor& reactor, const ThreadPoolOptions& options)
    : reactor_(reactor),
      options_(options),
      most_busy_(std::max(options.max_threads, 1U)),
      most_threads_(options.max_threads) {}

ThreadPool::~ThreadPool() {
  stop();
  (void)join();
}

void ThreadPool::run() {
  (void)work([] { return false; }, base::Deadline::none(), true);
}

base::Status ThreadPool::join_until(base::FunctionRef<bool()> done, base::Deadline deadline) {
  if (t_here.leads == this) promote_follower();
  {
    const std::lock_guard guard(mutex_);
    ++joined_until_;
  }
  auto status = work(done, deadline, true);
  const std::lock_guard guard(mutex_);
  if (--joined_until_ == 0) set_lack(kJoined, false);
  return status;
}

base::Status ThreadPool::wait_until(base::FunctionRef<bool()> done) {
  promote_follower();
  for (;;) {
    const unsigned seen = looks_.load();
    if (done()) return {};
    std::unique_lock lock(mutex_);
    waited_.wait(lock, [&] { return stopping_ || looks_.load() != seen; });
    if (stopping_) return base::error(base::Stage::wait, base::Code::cancelled);
  }
}

void ThreadPool::call_away() noexcept {
  {
    const std::lock_guard guard(mutex_);
    if (joined_until_ != 0) set_lack(kJoined, true);
  }
  notify();
}

bool ThreadPool::called_away() const noexcept {
  return (lacks_.load(std::memory_order_relaxed) & kJoined) != 0 && t_here.member != this;
}

/// With the mutex.
void ThreadPool::set_lack(unsigned lack, bool there) noexcept {
  const unsigned lacks = lacks_.load(std::memory_order_relaxed);
  lacks_.store(there ? lacks | lack : lacks & ~lack, std::memory_order_relaxed);
}

void ThreadPool::notify() noexcept {
  {
    const std::lock_guard guard(mutex_);
    looks_.fetch_add(1);
    waited_.notify_all();
    for (Follower** link = &followers_; *link != nullptr;) {
      if ((*link)->joined) {
        wake(link, false);
      } else {
        link = &(*link)->below;
      }
    }
  }
  reactor_.notify();
}

bool ThreadPool::try_lead(base::FunctionRef<void()> act) {
  if (t_here.leads == this) {
    act();
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (led_ || stopping_) return false;
    led_ = true;  // but not t_here.leads: what runs inside cannot give leadership away
  }
  struct Leadership {
    ~Leadership() {
      const std::lock_guard lock(pool.mutex_);
      pool.led_ = false;
      if (!pool.turn_given_ && pool.followers_ != nullptr && pool.may_lead()) pool.wake(&pool.followers_, true);
    }
    ThreadPool& pool;
  } const leadership{*this};
  act();
  return true;
}

void ThreadPool::try_work() {
  const ThreadPool* const outer = t_here.busy;
  if (t_here.leads != this) {
    const std::lock_guard lock(mutex_);
    if (led_ || stopping_ || !may_lead()) return;
    led_ = true;
    set_lack(kLeader, false);
    t_here.leads = this;
  }
  const ThreadPool* const visited = std::exchange(t_here.visited, this);
  lead(base::Deadline::now());
  t_here.visited = visited;
  leave(outer);
}

/// With the mutex: true if the calling thread, should it lead and run a handler, makes no more of those than may be.
bool ThreadPool::may_lead() const noexcept {
  return busy_ < most_busy_ || t_here.busy == this;
}

bool ThreadPool::has_spare_thread() const noexcept {
  const std::lock_guard guard(mutex_);
  // One that leads is going to be busy; those of other pools are not in this one's way.
  return busy_ + (t_here.leads == this ? 1U : 0U) < most_busy_;
}

/// With the mutex: the calling thread, if it ran a handler, is back. `outer`: the handler that it is in nevertheless.
void ThreadPool::end_handler(const ThreadPool* outer) noexcept {
  if (t_here.busy != this || outer == this) return;
  t_here.busy = outer;
  if (waiters_ != nullptr) [[unlikely]]
    return let_go_on(true);
  --busy_;
}

ThreadPool::Place::Place(ThreadPool& pool) noexcept
    : pool_(pool), outer_(t_here.busy), given_(outer_ == &pool || pool.enter()) {}

ThreadPool::Place::~Place() {
  if (given_ && outer_ != &pool_) pool_.leave(outer_);
}

bool ThreadPool::enter() noexcept {
  std::unique_lock lock(mutex_);
  if (stopping_ || most_busy_ == kNoLimit) return false;
  if (busy_ < most_busy_) {
    ++busy_;
  } else if (!await_place(lock)) {
    return false;
  }
  t_here.busy = this;
  if (busy_ >= most_busy_ && !led_) set_lack(kLeader, true);
  return true;
}

bool ThreadPool::visits() const noexcept {
  return t_here.visited == this;
}

bool ThreadPool::on_own_thread() const noexcept {
  return t_here.member == this;
}

void ThreadPool::lead_always() {
  {
    const std::lock_guard guard(mutex_);
    const unsigned before = std::exchange(most_busy_, kNoLimit);
    if (before != most_busy_) ++most_threads_;
    set_lack(kLeader, false);
    while (waiters_ != nullptr) let_go_on(false);
    if (busy_ < before || led_ || turn_given_ || stopping_) return;
    if (followers_ != nullptr) return wake(&followers_, true);
    ++threads_;
    turn_given_ = true;
  }
  (void)spawn(true);
}

void ThreadPool::stop() noexcept {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    waited_.notify_all();
    while (waiters_ != nullptr) let_go_on(false);
    while (followers_ != nullptr) wake(&followers_, false);
  }
  reactor_.stop();
}

unsigned ThreadPool::thread_count() const noexcept {
  const std::lock_guard guard(mutex_);
  return threads_;
}

unsigned ThreadPool::idle_count() const noexcept {
  const std::lock_guard guard(mutex_);
  return idle_;
}

/// What every thread of the pool does: lead when no other thread does, else follow.
base::Status ThreadPool::work(base::FunctionRef<bool()> done, base::Deadline deadline, bool joined) {
  const ThreadPool* const outer = t_here.busy;
  const base::KeptMemory::Returns returns;
  base::Status status;
  for (;;) {
    const unsigned seen = looks_.load();
    if (done()) break;
    if (deadline.expired()) {
      status = base::error(base::Stage::wait, base::Code::timed_out);
      break;
    }
    if (t_here.leads != this) {
      std::unique_lock lock(mutex_);
      end_handler(outer);
      if (stopping_) {
        status = base::error(base::Stage::wait, base::Code::cancelled);
        break;
      }
      if (looks_.load() != seen) continue;
      if (led_ || !may_lead()) {
        if (!follow(lock, deadline, joined)) return {};
        continue;
      }
      led_ = true;
      set_lack(kLeader, false);
      t_here.leads = this;
    }
    lead(deadline);
  }
  leave(outer);
  return status;
}

/// Runs one thing that is ready, or waits once for such a thing. The caller leads, and still does when nothing was run
/// or what was run did not promote.
void ThreadPool::lead(base::Deadline deadline) {
  Reactor::Work work;
  if (!reactor_.next(work)) {
    const bool keeps = base::KeptMemory::octets() != 0;
    if (!reactor_.wait(keeps ? earlier(deadline, base::Deadline::after(kKeeps)) : deadline)) {
      stop();
      const std::lock_guard guard(mutex_);
      t_here.leads = nullptr;
      led_ = false;
      return;
    }
    if (!reactor_.next(work)) {
      if (keeps) base::KeptMemory::give_back();
      return;
    }
  }
  if (work.promotes()) promote_follower();
  work.run();
}

void ThreadPool::promote_follower() {
  ThreadPool* const owed = std::exchange(t_here.owes, nullptr);
  ThreadPool* const pool = std::exchange(t_here.leads, nullptr);
  if (pool != nullptr) {
    if (pool->give_turn(false)) (void)pool->spawn(true);
  } else if (owed != nullptr) {
    if (owed->give_owed_turn()) (void)owed->spawn(true);
  }
}

void ThreadPool::promote_follower_if_slow() {
  ThreadPool* const pool = std::exchange(t_here.leads, nullptr);
  if (pool == nullptr) return;
  const bool soon_back = pool->reactor_.batch_over() && !pool->visits();
  if (pool->give_turn(soon_back)) (void)pool->spawn(true);
}

bool ThreadPool::give_owed_turn() noexcept {
  const std::lock_guard lock(mutex_);
  return !led_ && busy_ < most_busy_ && pass_turn();
}

/// Ends leadership and wakes a follower for it, unless one is on its way already (short handlers may well be back
/// before it). True if a thread should be started instead; it is counted already. While those that have a Place leave
/// none for the handler, it stays the leader and waits for one. `soon_back`: it will probably lead again before another
/// thread could, so that none is woken if one watches over that.
bool ThreadPool::give_turn(bool soon_back) noexcept {
  std::unique_lock lock(mutex_);
  if (t_here.busy != this && (busy_ < most_busy_ || !await_place(lock))) ++busy_;
  led_ = false;
  t_here.busy = this;
  if (busy_ >= most_busy_) {
    set_lack(kLeader, true);
    return false;
  }
  if (turn_given_ || stopping_) return false;
  if (soon_back && slow_for_ != 0) {
    --slow_for_;
  } else if (soon_back) {
    if (watched_) {
      t_here.owes = this;
      return ++quick_turns_, false;
    }
    wants_watch_ = true;
  }
  return pass_turn();
}

/// With the mutex: wakes a follower to lead, unless one is on its way. True if a thread should be started instead; it
/// is counted already.
bool ThreadPool::pass_turn() noexcept {
  if (turn_given_ || stopping_) return false;
  if (followers_ != nullptr) {
    wake(&followers_, true);
    return false;
  }
  if (threads_ >= most_threads_) return false;
  ++threads_;
  turn_given_ = true;
  return true;
}

/// Before a thread stops working here: ends leadership if it has it, and does not let a turn that it was given be lost.
/// If all others are busy, one is started: there may be no other that would lead.
void ThreadPool::leave(const ThreadPool* outer) noexcept {
  {
    const std::lock_guard guard(mutex_);
    end_handler(outer);
    t_here.owes = nullptr;
    if (t_here.leads == this) {
      t_here.leads = nullptr;
      led_ = false;
    }
    if (led_ || turn_given_ || !may_lead()) return;
    if (followers_ != nullptr) return wake(&followers_, true);
    if (stopping_ || threads_ == 0 || threads_ >= most_threads_) return;
    ++threads_;
    turn_given_ = true;
  }
  (void)spawn(true);
}

void ThreadPool::thread_main(Threads::iterator self, bool has_turn) {
  t_here.member = this;
  if (has_turn) {
    const std::lock_guard guard(mutex_);
    turn_given_ = false;
  }
  if (!work([] { return false; }, base::Deadline::none(), false)) {  // stopped; else it ended as superfluous
    const std::lock_guard guard(mutex_);
    --threads_;
  }
  const std::lock_guard guard(list_mutex_);
  ended_.splice(ended_.end(), live_, self);
  if (live_.empty()) all_ended_.notify_all();
}

}  // namespace corbel::reactor
