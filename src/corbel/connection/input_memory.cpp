// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/input_memory.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "corbel/base/deadline.hpp"

namespace corbel::connection {
namespace {

constexpr base::Duration kLook = std::chrono::milliseconds(1);
constexpr unsigned kMostLooks = 100;  // for those that leave, and messages that are just being decoded

}  // namespace

/// Users while a thread makes room among them.
class InputMemory::Held {
 public:
  /// With the mutex.
  Held(InputMemory& memory, const InputUser* asker) : memory_(memory) {
    users_.reserve(memory.users_.size());
    for (InputUser* each : memory.users_) {
      if (each != asker && each->hold()) users_.push_back(each);
    }
    memory_.making_ = true;
  }
  ~Held() {
    for (InputUser* each : users_) each->let_go();
    const std::lock_guard lock(memory_.mutex_);
    memory_.making_ = false;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool spare() noexcept {
    bool spared = false;
    for (InputUser* each : users_) spared = each->spare() || spared;
    return spared;
  }
  /// Null if there is none. With `patient`, those that are leaving come first.
  InputUser* oldest(bool patient, std::int64_t& since) {
    InputUser* found = nullptr;
    since = InputUser::kNone;
    for (InputUser* each : users_) {
      const std::int64_t its = each->oldest();
      if (its >= since || (its == InputUser::kLeaving && !patient)) continue;
      since = its;
      found = each;
    }
    return found;
  }

 private:
  InputMemory& memory_;
  std::vector<InputUser*> users_;
};

void InputMemory::join(InputUser& user) {
  const std::lock_guard lock(mutex_);
  users_.push_back(&user);
}

void InputMemory::leave(InputUser& user, bool awaited) noexcept {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      std::erase(users_, &user);
      if (!awaited || !making_) return;
    }
    std::this_thread::sleep_for(kLook);
  }
}

bool InputMemory::take(std::size_t octets, std::size_t own, InputUser* asker) {
  unsigned looks = 0;
  while (!budget_.take(octets, own)) {
    switch (make_room(asker, looks < kMostLooks, octets, own)) {
      case Room::made:
        looks = 0;
        continue;
      case Room::none:
        return false;
      case Room::later:
        break;
    }
    if (asker == nullptr) return false;
    ++looks;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

/// One thread at a time: what it makes is for all, and none is cut for what another one is about to give back. With
/// `patient`, those that have been cut are waited for.
InputMemory::Room InputMemory::make_room(InputUser* asker, bool patient, std::size_t octets, std::size_t own) try {
  std::unique_lock lock(mutex_);
  const Room unsure = patient ? Room::later : Room::none;
  if (making_) return unsure;
  Held held(*this, asker);
  lock.unlock();
  if (asker != nullptr && asker->oldest() == InputUser::kLeaving) return Room::none;
  if (held.spare()) return Room::made;
  std::int64_t since = 0;
  InputUser* const oldest = held.oldest(patient, since);
  if (oldest == nullptr) return unsure;
  if (since == InputUser::kLeaving) return Room::later;
  // Who was leaving when there was too little may have gone since.
  if (budget_.has_room(octets, own)) return Room::made;
  oldest->cut_oldest();
  return Room::made;
} catch (const std::bad_alloc&) {  // nor is there any to ask them with
  return patient ? Room::later : Room::none;
}

bool InputAccount::take_beside(std::size_t octets, std::size_t own) {
  const bool taken = octets == 0 || memory_->take(octets, own, user_);
  refused_.store(!taken, std::memory_order_relaxed);
  if (!taken) return false;
  paid_.fetch_add(octets, std::memory_order_relaxed);
  if (user_ != nullptr) taken_at_.store(base::Deadline::clock_now(), std::memory_order_relaxed);
  return true;
}

bool InputAccount::take(std::size_t octets) {
  return memory_ == nullptr || take_beside(octets, paid());
}

/// The first one may exceed the limit if nobody else takes any; there may be many.
bool InputAccount::take_copy(std::size_t octets) {
  if (memory_ != nullptr && !take_beside(octets, paid() - copies_.load(std::memory_order_relaxed))) return false;
  copies_.fetch_add(octets, std::memory_order_relaxed);
  return true;
}

bool InputAccount::take_of_plenty(std::size_t octets) noexcept {
  if (memory_ == nullptr) return true;
  if (!memory_->take_of_plenty(octets)) return false;
  paid_.fetch_add(octets, std::memory_order_relaxed);
  if (user_ != nullptr) taken_at_.store(base::Deadline::clock_now(), std::memory_order_relaxed);
  return true;
}

}  // namespace corbel::connection
