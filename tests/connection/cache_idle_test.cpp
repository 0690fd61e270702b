// SPDX-License-Identifier: Apache-2.0
// Connections to servers that no call uses for a while: which ones end.
#include <chrono>

#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Deadline;

TEST(Cache, EndsWhatNoCallHasUsedForSoLong) {
  Harness harness("tcp://127.0.0.1:0");
  ConnectionCache cache(harness.registry(), {});
  const std::int64_t later = Deadline::clock_now() + std::chrono::nanoseconds(1h).count();
  const auto acquire = [&](int number) {
    Route route = harness.route;
    route.key += std::to_string(number);
    bool fresh = false;
    return *cache.acquire(route, Deadline::after(20s), fresh);
  };
  const auto held = acquire(0), bound = acquire(1), recent = acquire(2), serves = acquire(4);
  acquire(3)->use(later);
  bound->bind_for_good();
  serves->set_offered(7);
  serves->use(1);
  bound->use(1);
  held->use(1);
  recent->use(later);
  EXPECT_TRUE(cache.end_unused(1s));
  EXPECT_EQ(cache.all().size(), 4U);
  EXPECT_TRUE(held->failed());
  EXPECT_FALSE(bound->failed()) << "its reference would end with it";
  EXPECT_FALSE(recent->failed());
  EXPECT_FALSE(serves->failed()) << "the peer may ask over it";
  EXPECT_NE(acquire(0), held);
  cache.close();
  EXPECT_FALSE(cache.end_unused(1s));
}

}  // namespace
}  // namespace corbel::connection
