// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/fork.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace corbel::base {
namespace {

std::atomic<std::uint32_t> g_generation{0};

}  // namespace

/// All of the process. Never destroyed: what it lists may outlive main().
class ForkRegistry {
 public:
  static ForkRegistry& instance() {
    static ForkRegistry& registry = *new ForkRegistry;
    return registry;
  }

  template <class Listed>
  void add(Listed& listed) {
    const std::lock_guard lock(mutex_);
    Listed*& first = first_of(listed);
    listed.next_ = first;
    if (first != nullptr) first->previous_ = &listed;
    first = &listed;
  }
  template <class Listed>
  void remove(Listed& listed) {
    const std::lock_guard lock(mutex_);
    (listed.previous_ != nullptr ? listed.previous_->next_ : first_of(listed)) = listed.next_;
    if (listed.next_ != nullptr) listed.next_->previous_ = listed.previous_;
  }

 private:
  ForkRegistry() {
    ::pthread_atfork([] { instance().prepare(); }, [] { instance().in_parent(); }, [] { instance().in_child(); });
  }

  ForkMutex*& first_of(ForkMutex&) noexcept { return mutexes_; }
  ForkHook*& first_of(ForkHook&) noexcept { return hooks_; }

  /// Takes all mutexes. A thread that holds one may be waiting for ours (it makes another one), so none is waited for
  /// with locks held.
  void prepare() {
    for (;;) {
      mutex_.lock();
      ForkMutex* held = mutexes_;
      while (held != nullptr && try_for_a_while(*held)) held = held->next_;
      if (held == nullptr) return;
      unlock_until(held);
      mutex_.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  static bool try_for_a_while(ForkMutex& mutex) noexcept {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (mutex.try_lock()) return true;
    }
    return false;
  }
  void unlock_until(const ForkMutex* end) noexcept {
    for (ForkMutex* mutex = mutexes_; mutex != end; mutex = mutex->next_) mutex->unlock();
  }
  void in_parent() {
    unlock_until(nullptr);
    mutex_.unlock();
  }
  void in_child() {
    g_generation.fetch_add(1, std::memory_order_relaxed);
    unlock_until(nullptr);
    for (ForkHook* hook = hooks_; hook != nullptr; hook = hook->next_) hook->act_(hook->owner_);
    mutex_.unlock();
  }

  std::mutex mutex_;  // guards what follows
  ForkMutex* mutexes_ = nullptr;
  ForkHook* hooks_ = nullptr;
};

std::uint32_t process_generation() noexcept {
  return g_generation.load(std::memory_order_relaxed);
}

ForkMutex::ForkMutex() {
  ForkRegistry::instance().add(*this);
}
ForkMutex::~ForkMutex() {
  ForkRegistry::instance().remove(*this);
}

ForkHook::ForkHook(Act act, void* owner) : act_(act), owner_(owner) {
  ForkRegistry::instance().add(*this);
}
ForkHook::~ForkHook() {
  ForkRegistry::instance().remove(*this);
}

}  // namespace corbel::base
