// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/reactor_thread.hpp"

#include <signal.h>

#include <cerrno>
#include <exception>
#include <new>

namespace corbel::transport {

ReactorThread::ReactorThread(std::unique_ptr<reactor::Reactor> reactor) noexcept
    : reactor_(std::move(reactor)), generation_(base::process_generation()) {}

base::Result<std::unique_ptr<ReactorThread>> ReactorThread::start() try {
  CORBEL_TRY(auto reactor, reactor::Reactor::create());
  std::unique_ptr<ReactorThread> made(new ReactorThread(std::move(reactor)));
  // Signals are the application's: its own threads take them.
  struct Blocked {
    sigset_t before;
    Blocked() noexcept {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const blocked;
  made->thread_ = std::make_unique<std::thread>([&reactor = *made->reactor_] { reactor.run(); });
  return made;
} catch (const std::bad_alloc&) {
  return base::error(base::Stage::configure, base::Code::out_of_resources, ENOMEM);
} catch (const std::exception&) {
  return base::error(base::Stage::configure, base::Code::out_of_resources);
}

ReactorThread::~ReactorThread() {
  if (is_here()) {
    end();
  } else {  // the thread is the parent's, and so is the reactor that it runs
    (void)thread_.release();
    (void)reactor_.release();
  }
}

void ReactorThread::end() noexcept {
  reactor_->stop();
  if (thread_ != nullptr) thread_->join();
  thread_.reset();
}

}  // namespace corbel::transport
