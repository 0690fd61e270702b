// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/spare.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace corbel::base {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeepsSpares = false;
#else
constexpr bool kKeepsSpares = true;
#endif

struct Alive {
  explicit Alive(int& counter) : count(counter) { ++count; }
  ~Alive() { --count; }
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;
  int& count;
};
using One = Spare<std::unique_ptr<Alive>>;

TEST(Spare, IsOneOfEachThread) {
  int there = 0;
  std::thread([&] {
    EXPECT_EQ(One::take(), nullptr);
    auto first = std::make_unique<Alive>(there);
    Alive* const known = first.get();
    One::give(std::move(first));
    One::give(std::make_unique<Alive>(there));
    EXPECT_EQ(there, kKeepsSpares ? 1 : 0);
    std::thread([] { EXPECT_EQ(One::take(), nullptr); }).join();
    auto again = One::take();
    EXPECT_EQ(again.get(), kKeepsSpares ? known : nullptr);
    EXPECT_EQ(One::take(), nullptr);
    if (again != nullptr) One::give(std::move(again));
  }).join();
  EXPECT_EQ(there, 0) << "it goes with its thread";
}

}  // namespace
}  // namespace corbel::base
