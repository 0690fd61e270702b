// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <utility>

namespace corbel::reactor {

/// A thread whose stack has a size, in which std::thread has no say. To be joined before it goes.
class PoolThread {
 public:
  /// What a stack has at least: less would not do for what runs on it.
  static constexpr std::size_t kLeastStack = 256U << 10;

  PoolThread() noexcept = default;
  /// `stack`: in octets; 0: the system's choice. Throws std::system_error if the system gives no thread, bad_alloc.
  PoolThread(std::function<void()> main, std::size_t stack) {
    auto kept = std::make_unique<std::function<void()>>(std::move(main));
    pthread_attr_t attributes;
    if (const int failure = ::pthread_attr_init(&attributes); failure != 0) fail(failure);
    int error = stack == 0 ? 0 : ::pthread_attr_setstacksize(&attributes, stack < kLeastStack ? kLeastStack : stack);
    if (error == 0) error = ::pthread_create(&thread_, &attributes, run, kept.get());
    ::pthread_attr_destroy(&attributes);
    if (error != 0) fail(error);
    (void)kept.release();  // it is the thread's
  }
  void join() { (void)::pthread_join(thread_, nullptr); }

 private:
  static void* run(void* main) {
    const std::unique_ptr<std::function<void()>> kept(static_cast<std::function<void()>*>(main));
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);  // what waits here is not to be unwound
    (*kept)();
    return nullptr;
  }
  [[noreturn]] static void fail(int error) { throw std::system_error(error, std::generic_category()); }

  pthread_t thread_{};
};

}  // namespace corbel::reactor
