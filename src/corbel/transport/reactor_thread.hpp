// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/result.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::transport {

/// A reactor and the thread that runs it, for carriers that have something to do when no thread of an ORB is with them.
class ReactorThread {
 public:
  /// Error: out_of_resources (stage configure), ENOMEM if it was memory.
  static base::Result<std::unique_ptr<ReactorThread>> start();
  /// end(); in a child of a fork, whose parent has both, nothing.
  ~ReactorThread();
  ReactorThread(const ReactorThread&) = delete;
  ReactorThread& operator=(const ReactorThread&) = delete;

  reactor::Reactor& reactor() noexcept { return *reactor_; }
  /// False in a child of a fork, whose parent has the thread.
  bool is_here() const noexcept { return generation_ == base::process_generation(); }
  /// Returns when the thread has ended. Nothing happens the second time.
  void end() noexcept;

 private:
  explicit ReactorThread(std::unique_ptr<reactor::Reactor> reactor) noexcept;

  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<std::thread> thread_;
  const std::uint32_t generation_;
};

/// What a process has one of, as long as anybody uses it: a T is made of a ReactorThread, and tells by is_here()
/// whether it is this process's. Thread-safe.
template <class T>
class OfProcess {
 public:
  /// Error: out_of_resources (stage configure).
  base::Result<std::shared_ptr<T>> get() {
    const std::lock_guard lock(mutex_);
    auto one = current_.lock();
    if (one != nullptr && one->is_here()) return one;
    CORBEL_TRY(auto thread, ReactorThread::start());
    one = std::make_shared<T>(std::move(thread));
    current_ = one;
    return one;
  }

 private:
  base::ForkMutex mutex_;
  std::weak_ptr<T> current_;
};

}  // namespace corbel::transport
