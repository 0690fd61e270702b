// SPDX-License-Identifier: Apache-2.0
// Futures of asynchronous calls, waited for and co_awaited.
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <latch>
#include <optional>

#include "support.hpp"
#include "support/eventually.hpp"

namespace corbel::async_test {
namespace {

class Combination : public testing::TestWithParam<std::string> {};

TEST_P(Combination, CarriesResultsOfManyCallsAtOnce) {
  World world(GetParam());
  std::vector<Future<std::string>> futures;
  for (int i = 0; i < 1000; ++i) futures.push_back(world.echo->async_echo(std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), std::to_string(i));
}

TEST_P(Combination, GivesResultAndOutParametersInOrder) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    const auto [place, head, tail] = object->async_split("key=mark", '=', "re").get();
    EXPECT_EQ(place, 3);
    EXPECT_EQ(head, "key");
    EXPECT_EQ(tail, "remark");
    const auto [a, b] = object->async_swap(1, 2).get();
    EXPECT_EQ(a, 2);
    EXPECT_EQ(b, 1);
    object->async_nothing().get();
    object->async_set_greeting("hi").get();
    EXPECT_EQ(object->async_get_greeting().get(), "hi");
    EXPECT_GT(object->async_get_served().get(), 0);
  }
}

TEST_P(Combination, ThrowsWhatTheCallEndedWith) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    EXPECT_THROW(object->async_split("nothing", '=', "").get(), Async::Refused);
    try {
      object->async_fail(0).get();
      ADD_FAILURE();
    } catch (const CORBA::NO_PERMISSION& exception) {
      EXPECT_EQ(exception.minor(), 7U);
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_YES);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Combination, testing::ValuesIn(all_endpoints()));

TEST(Future, MixesWithSynchronousCallsOfSeveralThreadsOnOneConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string text = std::to_string(t) + ":" + std::to_string(i);
        auto future = world.echo->async_echo(text);
        if (i % 3 != 0 && world.echo->echo(text + "s") != text + "s") ++wrong;
        if (future.get() != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// More calls than there are places for their memory, large ones among them, dropped ones too, from two threads.
TEST(Future, HasRoomForAnyNumber) {
  World world("tcp://127.0.0.1:0");
  const std::string large(3000, 'x');
  std::atomic<int> wrong{0};
  const auto call = [&] {
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<corbel::Future<std::string>> futures;
      futures.reserve(300);
      for (int i = 0; i < 300; ++i) {
        futures.push_back(world.echo->async_echo(i % 7 == 0 ? large : std::to_string(i)));
        if (i % 5 == 0) (void)world.echo->async_echo("nobody wants to know");
      }
      for (int i = 0; i < 300; ++i) {
        if (futures[static_cast<std::size_t>(i)].get() != (i % 7 == 0 ? large : std::to_string(i))) ++wrong;
      }
    }
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Future, IsReadByTheWaiterItselfInSingleMode) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  auto first = world.echo->async_echo("first");
  auto second = world.echo->async_echo("second");
  EXPECT_EQ(second.get(), "second");
  EXPECT_FALSE(second.valid());
  EXPECT_EQ(first.get(), "first");
}

TEST(Future, IsGoodForOneResult) {
  World world;
  const auto refuses = [](corbel::Future<std::string>& future) {
    EXPECT_FALSE(future.valid());
    EXPECT_THROW(future.get(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)future.ready(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW(future.wait(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)future.wait_for(std::chrono::seconds(0)), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)std::move(future).operator co_await(), CORBA::BAD_INV_ORDER);
  };
  corbel::Future<std::string> future;
  refuses(future);
  future = world.echo->async_echo("once");
  auto moved = std::move(future);
  refuses(future);
  EXPECT_EQ(moved.get(), "once");
  refuses(moved);
}

TEST(Future, WaitsNoLongerThanAsked) {
  World world;
  auto future = world.echo->async_wait();
  world.servant->await_waiting(1);
  EXPECT_FALSE(future.ready());
  EXPECT_FALSE(future.wait_for(std::chrono::milliseconds(5)));
  world.servant->release();
  future.get();
}

// Threads of the ORB read for whoever only looks.
TEST(Future, GetsReadyForWhoOnlyLooks) {
  World world;
  world.echo->async_nothing().get();  // what is warm is left to who asks
  auto future = world.echo->async_echo("seen");
  EXPECT_TRUE(test::eventually([&] { return future.ready(); }));
  EXPECT_EQ(future.get(), "seen");
}

TEST(Future, ThrowsTimeoutWhenTheAnswerIsLate) {
  World world("tcp://127.0.0.1:0", {"-ORBCallTimeout", "30"});
  auto future = world.echo->async_wait();
  try {
    future.get();
    ADD_FAILURE();
  } catch (const CORBA::TIMEOUT& exception) {
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
}

TEST(Future, ThrowsWhatKeptTheRequestFromBeingSent) {
  World world;
  world.use_client({});
  world.server->destroy();
  world.server = make_orb("other");
  auto future = world.echo->async_echo("nobody");
  EXPECT_TRUE(future.ready());
  EXPECT_THROW(future.get(), CORBA::TRANSIENT);
}

// The memory of a call is that of one before; sanitizers see to it that each has its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMostAllocations = 110;
#else
constexpr std::size_t kMostAllocations = 10;
#endif

TEST(Future, CostsNoAllocationPerCallOnceWarm) {
  World world("unix://");
  const auto run = [&] {
    for (int i = 0; i < 100; ++i) {
      auto [a, b] = world.echo->async_swap(i, 1).get();
      EXPECT_EQ(b, i);
    }
  };
  run();
  run();
  const std::size_t before = test::allocations_of_all();
  run();
  EXPECT_LE(test::allocations_of_all() - before, kMostAllocations);  // server and tick are in this process too
}

/// A coroutine type that knows nothing of the ORB's.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

Task add_lengths(EchoRef echo, std::atomic<int>& sum, std::latch& done) {
  for (int i = 0; i < 50; ++i) {
    const std::string text = co_await echo->async_echo(std::string(static_cast<std::size_t>(i), 'x'));
    sum += static_cast<int>(text.size());
  }
  try {
    co_await echo->async_fail(3);
  } catch (const Async::Refused& refused) {
    if (refused.why() == "failed 3") ++sum;
  }
  auto [place, head, tail] = co_await echo->async_split("a=b", '=', "");
  sum += place;
  done.count_down();
}

TEST(Coroutine, AwaitsResultsAndExceptions) {
  World world;
  std::atomic<int> sum{0};
  std::latch done(20);
  for (int i = 0; i < 10; ++i) {
    add_lengths(world.echo, sum, done);
    add_lengths(world.local, sum, done);
  }
  done.wait();
  EXPECT_EQ(sum, 20 * (50 * 49 / 2 + 2));
}

Task call_back(EchoRef echo, std::latch& done) {
  co_await echo->async_nothing();
  // In a thread of the ORB: calls from here must not wait for that thread.
  EXPECT_EQ(echo->echo("synchronous"), "synchronous");
  EXPECT_EQ(echo->async_echo("blocking").get(), "blocking");
  done.count_down();
}

TEST(Coroutine, MayBlockInCallsOnTheSameConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::latch done(1);
  call_back(world.echo, done);
  done.wait();
}

}  // namespace
}  // namespace corbel::async_test
