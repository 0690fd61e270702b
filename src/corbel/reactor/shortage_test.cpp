// SPDX-License-Identifier: Apache-2.0
// A system that gives no more threads.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>

#include "corbel/base/kept_log.hpp"
#include "corbel/reactor/test_support.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

using namespace std::chrono_literals;

/// While it lives, no thread can be started: none has so large a stack.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 47);
    EXPECT_EQ(pthread_setattr_default_np(&large), 0);
    pthread_attr_destroy(&large);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(Shortage, OfThreadsIsToldAndThoseThereAreGoOn) {
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  const auto owner = *Reactor::create();
  ThreadPoolOptions options{.min_threads = 1, .max_threads = 4, .idle_timeout = 10s};
  options.log = &log;
  ThreadPool pool(*owner, options);
  ASSERT_TRUE(pool.start());
  std::atomic<int> done = 0;
  {
    const NoMoreThreads none;
    std::latch entered(1), go(1);
    owner->post([&] {
      entered.count_down();
      go.wait();
      ++done;
    });
    entered.wait();
    EXPECT_TRUE(pool.starving()) << "whoever keeps the only thread should give it back";
    EXPECT_EQ(pool.thread_count(), 1U);
    for (int i = 0; i < 10; ++i) owner->post([&] { ++done; });
    go.count_down();
    while (done < 11) std::this_thread::yield();
  }
  const auto told = kept->wait_for("a thread could not be started");
  EXPECT_EQ(told.level, base::LogLevel::warning);
  EXPECT_EQ(told.value("threads"), "1");
  EXPECT_NE(told.value("limit").find("-ORBThreads"), std::string::npos);
  // It is over, and the pool grows again.
  std::latch two(2), go(1);
  for (int i = 0; i < 2; ++i) {
    owner->post([&] {
      two.count_down();
      go.wait();
    });
  }
  two.wait();
  go.count_down();
  pool.stop();
  EXPECT_TRUE(pool.join());
}

TEST(Shortage, AtTheBeginningIsAnError) {
  const auto owner = *Reactor::create();
  ThreadPool pool(*owner);
  const NoMoreThreads none;
  const auto started = pool.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, base::Code::out_of_resources);
  EXPECT_EQ(pool.thread_count(), 0U);
}

}  // namespace
}  // namespace corbel::reactor
