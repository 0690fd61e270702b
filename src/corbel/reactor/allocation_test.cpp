// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "corbel/reactor/test_support.hpp"
#include "corbel/reactor/thread_pool.hpp"
#include "support/allocations.hpp"

namespace corbel::reactor {
namespace {

using testing::make_handler;
using testing::Pair;

TEST(Dispatch, AllocatesNothingInTheSingleThreadedLoop) {
  auto reactor = *Reactor::create();
  Pair pair;
  const auto handler = make_handler([&](Events) { pair.drain(); });
  ASSERT_TRUE(reactor->add(handler, pair.ours.handle(), Events::readable));
  const std::size_t before = test::allocations_of_all();
  for (int i = 0; i < 100; ++i) {
    pair.poke();
    (void)reactor->run_once();
  }
  EXPECT_EQ(test::allocations_of_all() - before, 0U);
}

TEST(Dispatch, AllocatesNothingForWhatIsPostedToAHandler) {
  auto reactor = *Reactor::create();
  int events = 0;
  const auto handler = make_handler([&](Events seen) { events += any(seen, Events::readable) ? 1 : 0; });
  const auto turn = [&] {
    for (int i = 0; i < 3; ++i) reactor->post(handler, Events::readable);
    (void)reactor->run_once();
  };
  const std::size_t before = test::allocations_of_all();
  for (int i = 0; i < 100; ++i) turn();
  EXPECT_EQ(test::allocations_of_all() - before, 0U);
  EXPECT_EQ(events, 300);
}

TEST(Dispatch, AllocatesNothingInThePool) {
  auto reactor = *Reactor::create();
  ThreadPool pool(*reactor, {.min_threads = 2, .max_threads = 2, .idle_timeout = std::chrono::seconds(10)});
  Pair pair;
  testing::HandlerPtr handler = make_handler([&](Events) {
    pair.drain();
    EXPECT_TRUE(pair.ours.send(base::as_bytes("y")));
    (void)reactor->rearm(*handler);
  });
  ASSERT_TRUE(reactor->add(handler, pair.ours.handle(), Events::readable, Trigger::one_shot));
  ASSERT_TRUE(pool.start());
  base::Octet room[1];
  const auto round_trip = [&] {
    pair.poke();
    EXPECT_TRUE(pair.theirs.recv_n(room));
  };
  round_trip();
  while (pool.idle_count() != 1) std::this_thread::yield();
  const std::size_t before = test::allocations_of_all();
  for (int i = 0; i < 100; ++i) round_trip();
  EXPECT_EQ(test::allocations_of_all() - before, 0U);
  pool.stop();
  pool.join();
}

}  // namespace
}  // namespace corbel::reactor
