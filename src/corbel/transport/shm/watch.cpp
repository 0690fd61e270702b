// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/watch.hpp"

#include <signal.h>

#include <mutex>
#include <system_error>
#include <utility>

#include "corbel/base/fork.hpp"

namespace corbel::transport::shm {
namespace {

struct Current {
  base::ForkMutex mutex;
  std::weak_ptr<Watch> watch;
};

Current& current() {
  static auto* const kCurrent = new Current;  // until the end: transports may go in any order
  return *kCurrent;
}

}  // namespace

Watch::Watch(std::unique_ptr<reactor::Reactor> reactor) noexcept
    : reactor_(std::move(reactor)), generation_(base::process_generation()) {}

base::Status Watch::start() try {
  // Signals are the application's: its own threads take them.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::make_unique<std::thread>([&reactor = *reactor_] { reactor.run(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
} catch (const std::exception&) {
  return base::error(base::Stage::configure, base::Code::out_of_resources);
}

Watch::~Watch() {
  if (generation_ != base::process_generation()) {
    // The thread is the parent's, and so is the reactor that it runs.
    (void)thread_.release();
    (void)reactor_.release();
    return;
  }
  reactor_->stop();
  if (thread_ != nullptr) thread_->join();
}

base::Result<std::shared_ptr<Watch>> Watch::get() {
  const std::lock_guard lock(current().mutex);
  auto watch = current().watch.lock();
  if (watch != nullptr && watch->generation_ == base::process_generation()) return watch;
  CORBEL_TRY(auto reactor, reactor::Reactor::create());
  watch.reset(new Watch(std::move(reactor)));
  CORBEL_CHECK(watch->start());
  current().watch = watch;
  return watch;
}

}  // namespace corbel::transport::shm
