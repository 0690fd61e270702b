// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/reading.hpp"

namespace corbel::connection {

void Reading::share() noexcept {
  auto calls = calls_.load(std::memory_order_acquire);
  while (calls != Calls::shared && !calls_.compare_exchange_weak(calls, Calls::shared, std::memory_order_acq_rel)) {
  }
  if (calls == Calls::alone) active_ = lone_ = true;
}

void Reading::unshare() noexcept {
  if (calls_.load(std::memory_order_relaxed) != Calls::shared) return;  // a caller may be alone already
  if (!active_) calls_.store(Calls::idle, std::memory_order_release);
}

Reading::Woken Reading::sleep(std::unique_lock<base::Mutex>& lock, Sleeper& sleeper, base::Deadline deadline) {
  while (!sleeper.told) {
    if (!active_) {
      active_ = true;
      return Woken::reads;
    }
    if (deadline.expired()) return Woken::late;
    sleeper.next_asleep = sleepers_;
    sleepers_ = &sleeper;
    sleeper.asleep = true;
    sleeper.changed.wait(lock, deadline);
    sleeper.asleep = false;
    Sleeper** link = &sleepers_;
    while (*link != &sleeper) link = &(*link)->next_asleep;
    *link = sleeper.next_asleep;
  }
  return Woken::told;
}

bool Reading::wake_one() noexcept {
  for (Sleeper* each = sleepers_; each != nullptr; each = each->next_asleep) {
    if (each->told) continue;  // it is leaving
    each->changed.notify_one();
    return true;
  }
  return false;
}

std::size_t Reading::sleepers() const noexcept {
  std::size_t count = 0;
  for (const Sleeper* each = sleepers_; each != nullptr; each = each->next_asleep) ++count;
  return count;
}

}  // namespace corbel::connection
