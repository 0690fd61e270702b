// SPDX-License-Identifier: Apache-2.0
// The threads that shake hands.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <semaphore>
#include <thread>

#include "corbel/connection/hand_shakes.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

TEST(HandShakers, OneThatEndedForIdlenessIsReplaced) {
  const auto reactor = *reactor::Reactor::create();
  std::counting_semaphore<> steps(0);
  const base::Log log;
  const auto step = [&] {
    steps.release();
    return false;
  };
  HandShakes shakers(*reactor, 1, step, log);
  const std::ptrdiff_t before = threads_of_process();
  for (int i = 0; i < 2; ++i) {
    shakers.go_on();
    ASSERT_TRUE(steps.try_acquire_for(20s)) << i;
    while (threads_of_process() > before) std::this_thread::sleep_for(10ms);
  }
}

}  // namespace
}  // namespace corbel::connection
