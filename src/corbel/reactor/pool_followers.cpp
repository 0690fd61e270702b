// SPDX-License-Identifier: Apache-2.0
// The threads of a pool that do not lead: how they wait for that, and take over from a leader that does not come back.
#include <utility>

#include "corbel/base/kept_memory.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

/// How often the follower that watches looks whether somebody leads.
constexpr base::Duration kPatience = std::chrono::milliseconds(10);

/// So often without anything to see.
constexpr unsigned kLooks = 50;

/// For so many turns after one that was slow.
constexpr unsigned kSlowTurns = 256;

}  // namespace

/// Waits for a turn. False if this thread of the pool has been idle for too long and is one too many.
bool ThreadPool::follow(std::unique_lock<std::mutex>& lock, base::Deadline deadline, bool joined) {
  Follower self;
  self.joined = joined;
  self.below = std::exchange(followers_, &self);
  ++idle_;
  const base::Deadline until = joined ? deadline : base::Deadline::after(options_.idle_timeout);
  if (wants_watch_ && !watched_) {
    wants_watch_ = false;
    watched_ = self.watches = true;
    self.seen = quick_turns_;
  }
  base::Deadline keeps = base::KeptMemory::octets() == 0 ? base::Deadline::none() : base::Deadline::after(kKeeps);
  bool takes = false;
  while (self.waits && !takes && (!until.expired() || (self.watches && !joined))) {
    const base::Deadline next = earlier(until, keeps);
    if (self.watches) {
      self.woken.wait_for(lock, kPatience);
      takes = self.waits && takes_over(self);
    } else if (next.is_none()) {
      self.woken.wait(lock);
    } else {
      self.woken.wait_for(lock, next.remaining());
    }
    if (self.waits && keeps.expired()) {
      keeps = base::Deadline::none();
      base::KeptMemory::give_back();
    }
  }
  if (self.watches) {
    watched_ = false;
    wants_watch_ = true;
  }
  if (self.has_turn) turn_given_ = false;
  if (!self.waits) return true;
  Follower** link = &followers_;
  while (*link != &self) link = &(*link)->below;
  *link = self.below;
  --idle_;
  if (takes || joined || threads_ <= options_.min_threads) return true;
  --threads_;
  return false;
}

/// With the mutex, for the follower that watches: true if nobody has led since it looked last. It watches no longer if
/// nothing has happened for some time.
bool ThreadPool::takes_over(Follower& self) noexcept {
  if (std::exchange(self.seen, quick_turns_) != quick_turns_) {
    self.looks = 0;
    return false;
  }
  if (led_ || turn_given_) {
    if (++self.looks == kLooks) watched_ = self.watches = false;
    return false;
  }
  if (stopping_ || !may_lead()) return false;
  slow_for_ = kSlowTurns;
  return true;
}

/// Takes a follower out of the stack and lets it go on. Holds mutex_: the follower is gone once it is free.
void ThreadPool::wake(Follower** link, bool to_lead) noexcept {
  Follower& follower = **link;
  *link = follower.below;
  --idle_;
  follower.waits = false;
  follower.has_turn = to_lead;
  turn_given_ = turn_given_ || to_lead;
  follower.woken.notify_one();
}

}  // namespace corbel::reactor
