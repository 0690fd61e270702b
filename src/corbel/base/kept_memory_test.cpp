// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/kept_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace corbel::base {
namespace {

using Octets = std::vector<std::uint8_t>;

TEST(KeptMemory, GivesTheNextCallTheSameStorage) {
  auto& kept = KeptValue<Octets>::here();
  Octets first(1000);
  const auto* const storage = first.data();
  kept.give(std::move(first));
  EXPECT_EQ(KeptMemory::octets(), 1000U);
  const Octets second = kept.take();
  EXPECT_EQ(second.data(), storage);
  EXPECT_EQ(KeptMemory::octets(), 0U);
  EXPECT_EQ(kept.take().capacity(), 0U);
}

TEST(KeptMemory, KeepsTheLargestOfSeveral) {
  auto& kept = KeptValue<Octets>::here();
  kept.give(Octets(1000));
  kept.give(Octets(500));
  kept.give(Octets(2000));
  EXPECT_EQ(KeptMemory::octets(), 2000U);
  EXPECT_EQ(kept.take().capacity(), 2000U);
}

TEST(KeptMemory, IsLimitedOverAllTypesOfAThread) {
  auto& octets = KeptValue<Octets>::here();
  auto& longs = KeptValue<std::vector<std::int32_t>>::here();
  octets.give(Octets(KeptMemory::kMostOctets + 1));
  EXPECT_EQ(KeptMemory::octets(), 0U);
  octets.give(Octets(KeptMemory::kMostOctets - 400));
  longs.give(std::vector<std::int32_t>(101));
  EXPECT_EQ(KeptMemory::octets(), KeptMemory::kMostOctets - 400);
  longs.give(std::vector<std::int32_t>(100));
  EXPECT_EQ(KeptMemory::octets(), KeptMemory::kMostOctets);
  KeptMemory::give_back();
  EXPECT_EQ(KeptMemory::octets(), 0U);
  EXPECT_EQ(octets.take().capacity(), 0U);
  EXPECT_EQ(longs.take().capacity(), 0U);
}

TEST(KeptMemory, IsEachThreadsOwn) {
  KeptValue<std::string>::here().give(std::string(1000, 'x'));
  std::thread([] {
    EXPECT_EQ(KeptMemory::octets(), 0U);
    KeptValue<std::string>::here().give(std::string(100, 'y'));
    EXPECT_GE(KeptMemory::octets(), 100U);
    KeptMemory::give_back();
    EXPECT_EQ(KeptMemory::octets(), 0U);
    KeptValue<std::string>::here().give(std::string(100, 'z'));  // goes with the thread
  }).join();
  EXPECT_GE(KeptMemory::octets(), 1000U);
  KeptMemory::give_back();
}

}  // namespace
}  // namespace corbel::base
