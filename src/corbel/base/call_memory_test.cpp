// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/call_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace corbel::base {
namespace {

/// More than there are places, and sizes that fit into one and that do not.
TEST(CallMemory, IsEachRequestsOwnHoweverManyThereAre) {
  std::vector<unsigned char*> all;
  const auto size_of = [](std::size_t i) { return i % 3 == 0 ? std::size_t{1025} : 1024 - i; };
  constexpr std::size_t kCount = 200;
  for (std::size_t i = 0; i < kCount; ++i) {
    all.push_back(static_cast<unsigned char*>(take_call_memory(size_of(i))));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back()) % alignof(std::max_align_t), 0U);
    std::memset(all.back(), static_cast<int>(i), size_of(i));
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(all[i][0], i);
    EXPECT_EQ(all[i][size_of(i) - 1], i);
    give_call_memory(all[i]);
  }
}

TEST(CallMemory, IsGivenBackByOtherThreads) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> all;
    for (int i = 0; i < 64; ++i) all.push_back(take_call_memory(100));
    EXPECT_EQ(std::set<void*>(all.begin(), all.end()).size(), all.size());
    std::thread([&] {
      for (void* const each : all) give_call_memory(each);
    }).join();
  }
}

}  // namespace
}  // namespace corbel::base
