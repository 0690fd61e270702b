// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/resolver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/cancellation.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;
using base::Stage;
using testing::soon;

/// Names that are known when the test says so.
class Slow {
 public:
  Resolver::Lookup lookup() {
    return [this, told = told_.get_future().share()](std::string_view host,
                                                     std::uint16_t port) -> base::Result<std::vector<InetAddress>> {
      ++asked;
      told.wait();
      if (host == "unknown") return base::error(Stage::resolve, Code::unreachable, -2);
      return std::vector{InetAddress::loopback_v4(port)};
    };
  }
  void tell() { told_.set_value(); }
  std::atomic<int> asked{0};

 private:
  std::promise<void> told_;
};

/// Until no lookup is under way: what the test made for them may go.
void wait_for_the_last(const Resolver& resolver) {
  const Deadline bound = soon();
  while (resolver.threads() != 0 && !bound.expired()) std::this_thread::yield();
  EXPECT_EQ(resolver.threads(), 0U);
}

TEST(Resolver, GivesUpAtTheDeadlineAndTheLookupEndsByItself) {
  Slow slow;
  Resolver resolver(slow.lookup());
  const auto begin = std::chrono::steady_clock::now();
  const auto result = resolver.resolve("slow.example", 7, Deadline::after(20ms));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), base::error(Stage::resolve, Code::timed_out));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_EQ(resolver.threads(), 1U);
  slow.tell();
  wait_for_the_last(resolver);
  EXPECT_EQ(resolver.resolve("slow.example", 7, soon())->front(), InetAddress::loopback_v4(7));
}

TEST(Resolver, WhoWaitsIsEndedByAnotherThread) {
  Slow slow;
  Resolver resolver(slow.lookup(), {.threads = 1});
  base::Cancellation cancellation;
  std::vector<std::thread> waiting;
  for (const char* name : {"slow.example", "no.room"}) {
    waiting.emplace_back([&, name] {
      const base::Cancellation::Scope scope(cancellation);
      EXPECT_FALSE(resolver.resolve(name, 7, Deadline::after(600s)));
    });
    while (slow.asked == 0) std::this_thread::yield();
  }
  const auto begin = std::chrono::steady_clock::now();
  cancellation.cancel();
  for (std::thread& each : waiting) each.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  slow.tell();
  wait_for_the_last(resolver);
}

TEST(Resolver, ThoseWhoWaitForOneNameShareALookupAndEachGetsItsPort) {
  Slow slow;
  Resolver resolver(slow.lookup());
  std::vector<std::future<base::Result<std::vector<InetAddress>>>> results;
  for (std::uint16_t port = 1; port <= 4; ++port) {
    results.push_back(std::async(std::launch::async, [&, port] { return resolver.resolve("one.name", port, soon()); }));
  }
  while (slow.asked == 0) std::this_thread::yield();
  slow.tell();
  for (std::uint16_t port = 1; port <= 4; ++port) {
    const auto result = results[port - 1U].get();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->front().port(), port);
  }
  EXPECT_LE(slow.asked, 4);
}

TEST(Resolver, HasNoMoreThreadsThanItMay) {
  Slow slow;
  Resolver resolver(slow.lookup(), {.prompt = 2, .threads = 3});
  for (const char* host : {"a", "b", "c", "d", "e"}) {
    EXPECT_EQ(resolver.resolve(host, 7, Deadline::after(5ms)).error().code, Code::timed_out);
  }
  EXPECT_EQ(resolver.threads(), 3U);
  slow.tell();
  EXPECT_TRUE(resolver.resolve("f", 7, soon()));
  wait_for_the_last(resolver);
}

/// Lookups of names that begin with "silent", for which a name server answers when the test says so; it knows others.
class OneSilent {
 public:
  Resolver::Lookup lookup() {
    return [this, told = told_.get_future().share()](std::string_view host,
                                                     std::uint16_t port) -> base::Result<std::vector<InetAddress>> {
      if (host.starts_with("silent")) {
        ++asked;
        told.wait();
      }
      return std::vector{InetAddress::loopback_v4(port)};
    };
  }
  void tell() { told_.set_value(); }
  std::atomic<int> asked{0};

 private:
  std::promise<void> told_;
};

TEST(Resolver, NamesWhoseCallersHaveGoneKeepNoOthersOut) {
  OneSilent names;
  Resolver resolver(names.lookup());
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(resolver.resolve("silent" + std::to_string(i), 7, Deadline::after(1ms)));
  }
  EXPECT_EQ(resolver.threads(), 20U);
  EXPECT_TRUE(resolver.resolve("known", 7, soon()));
  names.tell();
  wait_for_the_last(resolver);
}

TEST(Resolver, SlowNamesKeepNoOthersOutAlthoughTheyAreWaitedFor) {
  OneSilent names;
  Resolver resolver(names.lookup(), {.prompt = 2, .patience = 100ms});
  std::vector<std::future<base::Result<std::vector<InetAddress>>>> results;
  for (const char* host : {"silent.a", "silent.b"}) {
    results.push_back(std::async(std::launch::async, [&, host] { return resolver.resolve(host, 7, soon()); }));
  }
  while (names.asked != 2) std::this_thread::yield();
  EXPECT_TRUE(resolver.resolve("known", 7, soon()));
  names.tell();
  for (auto& result : results) EXPECT_TRUE(result.get());
}

/// On a machine that takes long for a step this says nothing, and begins again.
TEST(Resolver, ASlowNameDoesNotLiftTheLimitOnOthers) {
  constexpr auto kPatience = 250ms;
  for (bool told = false; !told;) {
    OneSilent names;
    Resolver resolver(names.lookup(), {.prompt = 2, .patience = kPatience});
    std::vector<std::future<base::Result<std::vector<InetAddress>>>> results;
    const auto ask = [&](const char* host) {
      const int before = names.asked;
      results.push_back(std::async(std::launch::async, [&, host] { return resolver.resolve(host, 7, soon()); }));
      while (names.asked == before) std::this_thread::yield();
    };
    ask("silent.slow");
    std::this_thread::sleep_for(kPatience + 50ms);  // until it is that
    const auto begun = std::chrono::steady_clock::now();
    ask("silent.a");
    ask("silent.b");
    EXPECT_FALSE(resolver.resolve("silent.c", 7, Deadline::after(1ms)));
    const unsigned under_way = resolver.threads();
    told = std::chrono::steady_clock::now() - begun < kPatience;
    EXPECT_TRUE(under_way == 3 || !told) << under_way << ", of which two are prompt and waited for";
    names.tell();
    for (auto& result : results) EXPECT_TRUE(result.get());
  }
}

TEST(Resolver, OneCallerWaitsForANameThatHasJustTimedOutAndTheOthersAreRefused) {
  OneSilent names;
  Resolver resolver(names.lookup(), {.patience = 20ms, .memory = 1h});
  EXPECT_FALSE(resolver.resolve("silent", 7, Deadline::after(100ms)));
  auto one = std::async(std::launch::async, [&] { return resolver.resolve("silent", 7, soon()); });
  const Deadline bound = soon();
  while (resolver.callers("silent") == 0 && !bound.expired()) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(resolver.resolve("silent", 7, Deadline::after(1h)).error(), base::error(Stage::resolve, Code::timed_out));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_EQ(resolver.callers("silent"), 1U);
  names.tell();
  EXPECT_TRUE(one.get());
  EXPECT_TRUE(resolver.resolve("silent", 7, soon())) << "it was known in the end";
}

TEST(Resolver, NeedsNoThreadForNumericAddressesNorWithoutADeadline) {
  Slow slow;
  Resolver resolver(slow.lookup(), {.prompt = 0, .threads = 0});
  EXPECT_EQ(resolver.resolve("127.0.0.1", 7, Deadline::now())->front(), InetAddress::loopback_v4(7));
  EXPECT_EQ(resolver.resolve("::1", 7, Deadline::after(1ms))->front(), InetAddress::loopback_v6(7));
  EXPECT_EQ(slow.asked, 0);
  slow.tell();
  EXPECT_TRUE(resolver.resolve("a.name", 7, Deadline::none()));
}

TEST(Resolver, TellsWhatTheSystemSaid) {
  Slow slow;
  Resolver resolver(slow.lookup());
  slow.tell();
  const auto result = resolver.resolve("unknown", 7, soon());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), base::error(Stage::resolve, Code::unreachable, -2));
}

TEST(Resolver, MayGoWhileALookupIsUnderWay) {
  auto slow = std::make_shared<Slow>();
  {
    Resolver resolver(
        [slow, lookup = slow->lookup()](std::string_view host, std::uint16_t port) { return lookup(host, port); });
    EXPECT_FALSE(resolver.resolve("a.name", 7, Deadline::after(5ms)));
  }
  slow->tell();
}

TEST(Resolver, AsksTheSystemByDefault) {
  const auto result = Resolver().resolve("localhost", 7, soon());
  ASSERT_TRUE(result) << base::to_string(result.error());
  EXPECT_TRUE(result->front().is_loopback());
}

}  // namespace
}  // namespace corbel::ipc
