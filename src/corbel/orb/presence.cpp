// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/presence.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/thread_value.hpp"

namespace corbel::orb {

/// What one thread has; null until it is needed.
class Presences::OfThread {
 public:
  OfThread() noexcept = default;
  ~OfThread();
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

  Presences* presences = nullptr;
};

/// All that there are. Never destroyed: threads may outlive main().
class Presences::All {
 public:
  /// Null without memory; the next one who asks tries again.
  static All* instance() noexcept try {
    static All& all = *new All;
    return &all;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  /// Null without memory. With the lock.
  Presences* take() noexcept {
    Presences* const taken = first_free == nullptr ? new (std::nothrow) Presences : first_free;
    if (taken == nullptr) return nullptr;
    if (taken == first_free) {
      first_free = taken->next_free_;
    } else {
      taken->next_ = first;
      first = taken;
    }
    return taken;
  }
  void give_back(Presences& one) noexcept {
    one.next_free_ = first_free;
    first_free = &one;
  }

  base::ForkMutex mutex;  // guards what follows
  Presences* first = nullptr;
  Presences* first_free = nullptr;

 private:
  /// In the child of a fork() the other threads are gone.
  void forget_other_threads() noexcept {
    const Presences* const mine = base::ThreadValue<OfThread>::here().presences;
    first_free = nullptr;
    for (Presences* each = first; each != nullptr; each = each->next_) {
      if (each == mine) continue;
      for (Presence& note : each->notes_) {
        note.place_.store(nullptr, std::memory_order_relaxed);
        note.state_.store(Presence::State::own, std::memory_order_relaxed);
      }
      give_back(*each);
    }
  }

  base::ForkHook hook_{[](void* all) noexcept { static_cast<All*>(all)->forget_other_threads(); }, this};
};

Presences::Presences() noexcept {
  for (int i = 0; i + 1 < kMost; ++i) notes_[i].next_ = &notes_[i + 1];
}

Presences::OfThread::~OfThread() {
  Presence::t_next = nullptr;
  if (presences == nullptr) return;
  All& all = *All::instance();
  const std::lock_guard lock(all.mutex);
  all.give_back(*presences);
}

/// The first note of a thread that has had none; null if it can have none, or has all.
Presence* Presence::first() noexcept {
  if (!ipc::has_asymmetric_fences()) return nullptr;
  auto& mine = base::ThreadValue<Presences::OfThread>::here();
  if (mine.presences != nullptr) return nullptr;
  Presences::All* const all = Presences::All::instance();
  if (all == nullptr) return nullptr;
  const std::lock_guard lock(all->mutex);
  mine.presences = all->take();
  return mine.presences == nullptr ? nullptr : &mine.presences->notes_[0];
}

/// After the note has ended: what has become of it once nobody looks at it any more.
[[gnu::noinline]] bool Presence::was_taken_over() noexcept {
  const std::lock_guard lock(Presences::All::instance()->mutex);
  return state_.exchange(State::own, std::memory_order_relaxed) == State::taken_over;
}

void Presences::take_over(base::FunctionRef<bool(const void*)> is_mine) noexcept {
  if (!ipc::has_asymmetric_fences()) return;
  All* const known = All::instance();
  if (known == nullptr) return;  // nobody has a note, and whoever gets one will see what has been closed
  All& all = *known;
  const std::lock_guard lock(all.mutex);
  if (all.first == nullptr) return;
  using State = Presence::State;
  const auto for_each_note = [&](const auto& act) {
    for (Presences* thread = all.first; thread != nullptr; thread = thread->next_) {
      for (Presence& note : thread->notes_) act(note);
    }
  };
  // Before the fence: whoever ends a note after it finds that it is looked at, or its end is seen below.
  for_each_note([](Presence& note) {
    if (note.state_.load(std::memory_order_relaxed) == State::own)
      note.state_.store(State::looked_at, std::memory_order_relaxed);
  });
  ipc::asymmetric_fence_heavy();
  for_each_note([&](Presence& note) {
    if (note.state_.load(std::memory_order_relaxed) != State::looked_at) return;
    const void* const place = note.place_.load(std::memory_order_acquire);
    const bool found = place != nullptr && is_mine(place);
    note.state_.store(found ? State::taken_over : State::own, std::memory_order_release);
  });
}

}  // namespace corbel::orb
