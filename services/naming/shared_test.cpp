// SPDX-License-Identifier: Apache-2.0
// What several processes that share a store see, and what happens when it is away: the same, whatever it is in.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "test_support.hpp"

namespace corbel::naming::test {
namespace {

/// Several stores in one place, as several processes have them. The parameter says what that is.
class SharedTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    url_ = empty_shared(GetParam());
    if (url_.empty()) GTEST_SKIP() << GetParam() << " is not installed, or this was built without it";
  }
  std::unique_ptr<Store> open(StoreLimits limits = {}, std::chrono::milliseconds patience = std::chrono::minutes(1)) {
    StorePlace place;
    place.url = url_;
    place.patience = patience;
    place.connections = 4;
    place.security = shared_security(GetParam());
    return open_store(place, limits, [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_.push_back(line);
    });
  }
  static void stop() {
    if (GetParam() == "etcds") return stop_etcds();
    GetParam() == "etcd" ? stop_etcd() : stop_postgres();
  }
  static void start() {
    if (GetParam() == "etcds") return start_etcds();
    GetParam() == "etcd" ? start_etcd() : start_postgres();
  }

  std::string url_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST_P(SharedTest, WhatOneBindsAllResolve) {
  const auto a = open();
  const auto b = open();
  EXPECT_EQ(a->identity(), b->identity());
  ContextId made = 0;
  ASSERT_EQ(a->bind_new_context(kRoot, component("c"), made), Outcome::done);
  ASSERT_EQ(b->bind(made, component("o"), object("1"), false), Outcome::done);
  const Name name{component("c"), component("o")};
  EXPECT_EQ(a->resolve(kRoot, name).bound.reference, "1");
  EXPECT_EQ(b->unbind(made, component("o")), Outcome::done);
  EXPECT_EQ(a->resolve(kRoot, name).outcome, Outcome::missing);
  EXPECT_EQ(b->destroy(made), Outcome::done);
  EXPECT_FALSE(a->exists(made));
  EXPECT_EQ(a->census().dangling, 1);
}

TEST_P(SharedTest, OfThoseWhoBindOneNameOneWinsAndLimitsHoldForAllTogether) {
  constexpr int kStores = 3, kThreads = 2, kNames = 20;
  const StoreLimits limits{.contexts = 1, .bindings = kNames / 2, .bindings_per_context = kNames};
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < kStores; ++i) stores.push_back(open(limits));
  std::vector<std::atomic<int>> winners(kNames);
  std::atomic<int> full = 0;
  std::vector<std::thread> threads;
  for (int each = 0; each < kStores * kThreads; ++each) {
    threads.emplace_back([&, each] {
      for (int i = 0; i < kNames; ++i) {
        const auto outcome = stores[static_cast<std::size_t>(each % kStores)]->bind(
            kRoot, component(std::to_string(i)), object(std::to_string(each)), false);
        if (outcome == Outcome::done) ++winners[static_cast<std::size_t>(i)];
        if (outcome == Outcome::full) ++full;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  int bound = 0;
  for (const auto& each : winners) {
    EXPECT_LE(each, 1);
    bound += each;
  }
  EXPECT_EQ(bound, kNames / 2);
  EXPECT_GT(full, 0);
  EXPECT_EQ(stores[0]->census().bindings, kNames / 2);
}

TEST_P(SharedTest, StoresThatAreMadeAtTheSameTimeAreOne) {
  std::vector<std::uint64_t> identities(4);
  std::vector<std::thread> threads;
  for (auto& each : identities) threads.emplace_back([&] { each = open()->identity(); });
  for (auto& thread : threads) thread.join();
  for (const auto each : identities) EXPECT_EQ(each, identities.front());
}

TEST_P(SharedTest, MembersKnowEachOtherUntilTheyAreSilent) {
  using std::chrono::hours;
  const auto a = open();
  const auto b = open();
  const std::vector<Address> first{{"host1", 1}};
  const std::vector<Address> second{{"host2", 2}, {"host1", 1}};
  EXPECT_EQ(a->announce("a", first, hours(1)), first);
  EXPECT_EQ(b->announce("b", second, hours(1)), (std::vector<Address>{{"host1", 1}, {"host2", 2}}));
  EXPECT_EQ(a->announce("a", first, hours(1)).size(), 2U);
  EXPECT_EQ(b->announce("b", second, std::chrono::milliseconds(0)), first);
  EXPECT_EQ(a->announce("a", {}, hours(1)), std::vector<Address>());
}

TEST_P(SharedTest, CallsWaitWhileTheDatabaseIsStartedAgain) {
  const auto store = open();
  stop();
  std::atomic<int> done = 0;
  std::thread binder([&] {
    if (store->bind(kRoot, component("o"), object("1"), false) == Outcome::done) ++done;
  });
  std::thread looker([&] {
    if (store->exists(kRoot)) ++done;
  });
  start();  // by this thread, with which it ends
  binder.join();
  looker.join();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(store->resolve(kRoot, Name{component("o")}).bound.reference, "1");
  const std::lock_guard lock(mutex_);
  ASSERT_GE(said_.size(), 2U);
  EXPECT_NE(said_.back().find("answers again"), std::string::npos);
}

TEST_P(SharedTest, WhatCannotBeHadInTimeIsSaidToBeAwayAndNotDone) {
  const auto store =
      open_hasty({.url = url_, .patience = std::chrono::milliseconds(200), .security = shared_security(GetParam())});
  stop();
  const auto failure = [](auto call) -> std::string {
    try {
      call();
    } catch (const StoreError& error) {
      return std::string(error.fault() == StoreError::Fault::away ? "away" : "broken") +
             (error.completed() == StoreError::Completed::no ? ", not done" : ", perhaps done");
    }
    return "done";
  };
  EXPECT_EQ(failure([&] { store->exists(kRoot); }), "away, not done");
  EXPECT_EQ(failure([&] { store->bind(kRoot, component("o"), object("1"), false); }), "away, not done");
  EXPECT_EQ(failure([&] { open({}, std::chrono::milliseconds(200)); }), "away, not done");
  start();
  EXPECT_EQ(open()->resolve(kRoot, Name{component("o")}).outcome, Outcome::missing);
}

TEST_P(SharedTest, ContextsThatAreBoundMeanwhileAreNotPruned) {
  const auto a = open();
  const auto b = open();
  std::vector<ContextId> made(30);
  for (ContextId& each : made) ASSERT_EQ(a->new_context(each), Outcome::done);
  std::thread binder([&] {
    for (const ContextId each : made) b->bind(kRoot, component(std::to_string(each)), context(each), false);
  });
  std::int64_t pruned = 0;
  for (int i = 0; i < 5; ++i) pruned += a->prune(std::chrono::seconds(0));
  binder.join();
  const Census census = a->census();
  EXPECT_EQ(census.contexts, 31 - pruned);
  EXPECT_EQ(census.bindings, census.contexts - 1);
  EXPECT_EQ(census.dangling, 0);
}

TEST_P(SharedTest, LeasesAreEverybodysAndEndForAll) {
  const auto a = open();
  const auto b = open();
  const Term hour{-7, std::chrono::hours(1)};
  const Name o{component("o")};
  ASSERT_EQ(a->bind(kRoot, o[0], object("1"), false, hour), Outcome::done);
  EXPECT_EQ(b->renew(kRoot, o[0], hour), Outcome::done);
  EXPECT_EQ(b->renew(kRoot, o[0], {-7, std::chrono::milliseconds(0)}), Outcome::done);
  EXPECT_EQ(a->resolve(kRoot, o).outcome, Outcome::missing);
  EXPECT_EQ(a->sweep() + b->sweep(), 1);
  EXPECT_EQ(a->census().bindings, 0);
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(Stores, SharedTest, testing::Values("PostgreSQL", "etcd", "etcds"), name_of);

}  // namespace
}  // namespace corbel::naming::test
