// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/shelf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "support/allocations.hpp"

namespace corbel::base {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

TEST(Shelf, WhatAThreadGaveItIsGivenAgain) {
  if (!kKeeps) GTEST_SKIP() << "AddressSanitizer is to see every block that is given back";
  Shelf::give(Shelf::take(1000), 1000);
  Shelf::give(Shelf::take(2000), 2000);
  const auto before = test::allocations();
  for (int i = 0; i < 100; ++i) {
    void* const one = Shelf::take(1000);
    void* const other = Shelf::take(2000);
    std::memset(one, 1, 1000);
    std::memset(other, 2, 2000);
    Shelf::give(one, 1000);
    Shelf::give(other, 2000);
  }
  EXPECT_EQ(test::allocations(), before);
}

TEST(Shelf, GivesOnlyWhatIsAsLargeAndKeepsOnlyAFew) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 3 * Shelf::kPlaces; ++i) blocks.push_back(Shelf::take(512));
  for (void* each : blocks) Shelf::give(each, 512);
  void* const large = Shelf::take(Shelf::kMostOctets + 1);
  std::memset(large, 3, Shelf::kMostOctets + 1);
  Shelf::give(large, Shelf::kMostOctets + 1);
  void* const other = Shelf::take(513);
  std::memset(other, 4, 513);
  Shelf::give(other, 513);
  Shelf::give(nullptr, 512);
}

TEST(Shelf, AnotherThreadMayGive) {
  void* block = Shelf::take(700);
  std::thread([&] { Shelf::give(block, 700); }).join();
  block = Shelf::take(700);
  std::memset(block, 5, 700);
  Shelf::give(block, 700);
}

}  // namespace
}  // namespace corbel::base
