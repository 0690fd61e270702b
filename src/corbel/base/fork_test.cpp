// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace corbel::base {
namespace {

int status_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(Fork, InTheChildMutexesAreFreeAndWhatTheyGuardIsWhole) {
  ForkMutex mutexes[2];
  long pairs[2][2] = {};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      while (!over) {
        const std::lock_guard lock(mutexes[i]);
        ++pairs[i][0];
        ++pairs[i][1];
      }
    });
  }
  for (int n = 0; n < 50; ++n) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      bool good = true;
      for (int i = 0; i < 2; ++i) {
        const std::lock_guard lock(mutexes[i]);
        good = good && pairs[i][0] == pairs[i][1];
      }
      ::_exit(good ? 0 : 1);
    }
    EXPECT_EQ(status_of(child), 0);
  }
  over = true;
  for (auto& thread : threads) thread.join();
}

TEST(Fork, MutexesMayBeMadeUnderOthersMeanwhile) {
  std::atomic<bool> over{false};
  std::thread maker([&] {
    ForkMutex outer;
    while (!over) {
      const std::lock_guard lock(outer);
      const ForkMutex inner;
    }
  });
  for (int n = 0; n < 50; ++n) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    EXPECT_EQ(status_of(child), 0);
  }
  over = true;
  maker.join();
}

TEST(Fork, HooksAreToldInTheChildOnly) {
  struct Hook {
    int told = 0;
    ForkHook hook{[](void* owner) noexcept { ++static_cast<Hook*>(owner)->told; }, this};
  };
  Hook hook;
  { const Hook gone; }
  const std::uint32_t before = process_generation();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(hook.told == 1 && process_generation() != before ? 0 : 1);
  EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(hook.told, 0);
  EXPECT_EQ(process_generation(), before);
}

}  // namespace
}  // namespace corbel::base
