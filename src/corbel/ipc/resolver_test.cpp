// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/resolver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

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
  const Deadline bound = soon();
  while (resolver.threads() != 0 && !bound.expired()) std::this_thread::yield();
  EXPECT_EQ(resolver.threads(), 0U);
  EXPECT_EQ(resolver.resolve("slow.example", 7, soon())->front(), InetAddress::loopback_v4(7));
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
  Resolver resolver(slow.lookup(), 2);
  for (const char* host : {"a", "b", "c", "d"}) {
    EXPECT_EQ(resolver.resolve(host, 7, Deadline::after(5ms)).error().code, Code::timed_out);
  }
  EXPECT_EQ(resolver.threads(), 2U);
  slow.tell();
  EXPECT_TRUE(resolver.resolve("e", 7, soon()));
}

TEST(Resolver, NeedsNoThreadForNumericAddressesNorWithoutADeadline) {
  Slow slow;
  Resolver resolver(slow.lookup(), 0);
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
