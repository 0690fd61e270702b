// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/presence.hpp"

#include <mutex>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/thread_value.hpp"

namespace corbel::orb {

/// The threads of the process that have notes. Never destroyed: threads may outlive main().
class Presences::All {
 public:
  static All& instance() {
    static All& all = *new All;
    return all;
  }

  base::ForkMutex mutex;  // guards what follows
  Presences* first = nullptr;

 private:
  /// In the child of a fork() the other threads are gone, and so is the memory that their notes were in.
  void forget_other_threads() noexcept {
    Presences* const mine = &base::ThreadValue<Presences>::here();
    first = mine->listed_ ? mine : nullptr;
    mine->next_ = mine->previous_ = nullptr;
  }

  base::ForkHook hook_{[](void* all) noexcept { static_cast<All*>(all)->forget_other_threads(); }, this};
};

Presences::Presences() noexcept {
  for (int i = 0; i + 1 < kMost; ++i) notes_[i].next_ = &notes_[i + 1];
}

Presences::~Presences() {
  Presence::t_next = nullptr;
  if (!listed_) return;
  All& all = All::instance();
  const std::lock_guard lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

/// The first note of a thread that has had none; null if it can have none, or has all.
Presence* Presence::first() noexcept {
  if (!ipc::has_asymmetric_fences()) return nullptr;
  Presences& mine = base::ThreadValue<Presences>::here();
  if (mine.listed_) return nullptr;
  Presences::All& all = Presences::All::instance();
  const std::lock_guard lock(all.mutex);
  mine.next_ = all.first;
  if (all.first != nullptr) all.first->previous_ = &mine;
  all.first = &mine;
  mine.listed_ = true;
  return &mine.notes_[0];
}

/// After the note has ended: what has become of it once nobody looks at it any more.
[[gnu::noinline]] bool Presence::was_taken_over() noexcept {
  const std::lock_guard lock(Presences::All::instance().mutex);
  return state_.exchange(State::own, std::memory_order_relaxed) == State::taken_over;
}

void Presences::take_over(base::FunctionRef<bool(const void*)> is_mine) noexcept {
  if (!ipc::has_asymmetric_fences()) return;
  All& all = All::instance();
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
