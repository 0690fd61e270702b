// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/hand_shakes.hpp"

#include <algorithm>
#include <condition_variable>
#include <new>
#include <thread>
#include <utility>

#include "corbel/ipc/process.hpp"

namespace corbel::connection {
namespace {

constexpr base::Duration kIdle = std::chrono::seconds(2);

}  // namespace

/// A thread without work; on its stack, so that a child of fork(), where it is not, has nothing to destroy.
struct HandShakes::Idle {
  std::condition_variable woken;
  Idle* below = nullptr;
  bool waits = true;
};

HandShakes::HandShakes(reactor::Reactor& reactor, std::uint32_t most, std::function<bool()> step, const base::Log& log)
    : reactor_(reactor), most_(most), step_(std::move(step)), log_(log) {}

HandShakes::~HandShakes() {
  end();
}

std::uint32_t HandShakes::usual_most() noexcept {
  return std::max(std::thread::hardware_concurrency() / 2, 1U);
}

void HandShakes::go_on() noexcept {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  if (idle_ == nullptr && threads_ < most_) {
    ++threads_;
    lock.unlock();
    const auto started = own_.start([this] { work(); });
    if (started) return;
    if (started.error().code == base::Code::out_of_resources) {
      CORBEL_LOG(log_, connection, warning, "a thread could not be started", {"wanted_for", "TLS hand-shakes"},
                 {"error", started.error()});
    }
    lock.lock();
    --threads_;
  }
  if (idle_ != nullptr) {
    Idle& one = *std::exchange(idle_, idle_->below);
    one.waits = false;
    return one.woken.notify_one();  // with the mutex: it is gone once that is free
  }
  if (threads_ != 0) {
    missed_ = true;
    return;
  }
  if (std::exchange(posted_, true)) return;
  lock.unlock();
  try {
    reactor_.post([this] { step_on_reactor(); });
  } catch (const std::bad_alloc&) {  // the next that comes tries again
    lock.lock();
    posted_ = false;
  }
}

void HandShakes::work() noexcept {
  ipc::give_way();
  do {
    while (step_()) {
    }
  } while (rest());
}

/// Waits until there is something to do; false if the thread is to end, and is counted no more.
bool HandShakes::rest() noexcept {
  std::unique_lock lock(mutex_);
  if (std::exchange(missed_, false)) return true;
  if (!ended_) {
    Idle self;
    self.below = std::exchange(idle_, &self);
    const auto until = base::Deadline::after(kIdle);
    while (self.waits && !until.expired()) self.woken.wait_for(lock, until.remaining());
    if (!self.waits && !ended_) return true;
    Idle** link = &idle_;
    while (*link != nullptr && *link != &self) link = &(*link)->below;
    if (*link == &self) *link = self.below;
  }
  --threads_;
  return false;
}

/// One, and then whatever else is ready.
void HandShakes::step_on_reactor() noexcept {
  {
    const std::lock_guard lock(mutex_);
    posted_ = false;
  }
  if (step_()) go_on();
}

void HandShakes::end() noexcept {
  if (generation_ != base::process_generation()) return;  // in a child of fork() there is none of them
  const std::lock_guard lock(mutex_);
  ended_ = true;
  while (idle_ != nullptr) {
    Idle& one = *std::exchange(idle_, idle_->below);
    one.waits = false;
    one.woken.notify_one();
  }
}

}  // namespace corbel::connection
