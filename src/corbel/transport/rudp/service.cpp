// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/service.hpp"

#include <signal.h>

#include <mutex>
#include <system_error>
#include <utility>

#include "corbel/base/fork.hpp"

namespace corbel::transport::rudp {
namespace {

struct Current {
  base::ForkMutex mutex;
  std::weak_ptr<Service> service;
};

Current& current() {
  static auto* const kService = new Current;  // until the end: transports may go in any order
  return *kService;
}

}  // namespace

Service::Service(std::unique_ptr<reactor::Reactor> reactor) noexcept
    : reactor_(std::move(reactor)), generation_(base::process_generation()) {}

base::Status Service::start() try {
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

bool Service::is_here() const noexcept {
  return generation_ == base::process_generation();
}

Service::~Service() {
  if (!is_here()) {
    // The thread is the parent's, and so is the reactor that it runs.
    (void)thread_.release();
    (void)reactor_.release();
    return;
  }
  if (thread_ != nullptr) {
    std::unique_lock lock(mutex_);
    (void)all_gone_.wait(lock, base::Deadline::after(kLastWords), [&] { return guests_.empty(); });
  }
  reactor_->stop();
  if (thread_ != nullptr) thread_->join();
  while (!guests_.empty()) (*guests_.begin())->leave();
}

void Service::came(Guest& guest) {
  const std::lock_guard lock(mutex_);
  guests_.insert(&guest);
}

void Service::went(Guest& guest) noexcept {
  const std::lock_guard lock(mutex_);
  guests_.erase(&guest);
  if (guests_.empty()) all_gone_.notify_all();
}

base::Result<std::shared_ptr<Service>> Service::get() {
  const std::lock_guard lock(current().mutex);
  auto service = current().service.lock();
  if (service != nullptr && service->is_here()) return service;
  CORBEL_TRY(auto reactor, reactor::Reactor::create());
  service.reset(new Service(std::move(reactor)));
  CORBEL_CHECK(service->start());
  current().service = service;
  return service;
}

}  // namespace corbel::transport::rudp
