// SPDX-License-Identifier: Apache-2.0
// Arguments that are sent from lent memory, and seen there by servants.
#include <gtest/gtest.h>
#include <corbel/builtins/builtins.hpp>
#include <corbel/orb/lent_values.hpp>
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "eventually.hpp"
#include "in_child.hpp"
#include "lent_server.hpp"

namespace corbel {
namespace {

/// True if the address is in memory without a name that processes share.
bool is_shared(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
    if (begin <= wanted && wanted < end) return line.find("/memfd:") != std::string::npos;
  }
  return false;
}

template <class T>
std::uint64_t sum_of(const T& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

class Viewer : public virtual CORBA::servant_traits<LentTest::Viewer>::base_type {
 public:
  std::uint64_t see_octets(std::string_view, std::span<const std::uint8_t> values) override { return seen(values); }
  double see_numbers(std::int16_t weight, std::span<const double> values) override {
    return weight * static_cast<double>(seen(values));
  }
  double see_points(std::span<const LentTest::Point> values) override {
    last = values.data();
    double sum = 0;
    for (const LentTest::Point& each : values) sum += each.x() + each.y();
    return sum;
  }
  void leave(std::span<const std::uint8_t> values) override { left += seen(values); }
  std::uint64_t both(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) override {
    return seen(first) + seen(second);
  }
  std::uint64_t hold(std::span<const std::uint8_t> values) override {
    last = values.data();
    std::unique_lock lock(mutex);
    ++held;
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return released; });
    return sum_of(values);
  }
  void let_go() override {
    const std::lock_guard lock(mutex);
    released = true;
    changed.notify_all();
  }
  std::uint64_t copied(const LentTest::Octets& values) override { return seen(values); }

  std::atomic<const void*> last{nullptr};
  std::atomic<std::uint64_t> left{0};
  std::atomic<int> held{0};

 private:
  template <class T>
  std::uint64_t seen(const T& values) {
    last = values.data();
    return sum_of(values);
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool released = false;
};

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> options) {
  std::vector<char*> arguments;
  for (std::string& option : options) arguments.push_back(option.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return CORBA::ORB_init(count, arguments.data(), options.front());
}

constexpr std::size_t kLarge = 200'000;

class LentArguments : public testing::Test {
 protected:
  /// Octets that either ORB lends, as options say it.
  void start(const std::string& server, const std::string& client, const char* endpoint = "shm://") {
    server_ = make_orb({"server", "-ORBListenEndpoints", endpoint, "-ORBShmLentMemory", server});
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    servant_ = CORBA::make_reference<Viewer>();
    text_ = server_->object_to_string(poa->servant_to_reference(servant_));
    thread_ = std::thread([orb = server_] {
      try {
        orb->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // the test was over before this had begun
      }
    });
    client_ = make_orb({"client", "-ORBShmLentMemory", client});
    viewer_ = IDL::traits<LentTest::Viewer>::narrow(client_->string_to_object(text_));
  }
  void start() { start("4194304", "4194304"); }
  ~LentArguments() override {
    viewer_ = nullptr;
    if (client_ != nullptr) client_->destroy();
    if (server_ != nullptr) server_->shutdown(true);
    if (thread_.joinable()) thread_.join();
    if (server_ != nullptr) server_->destroy();
  }

  orb::LentValues<std::uint8_t> filled(std::size_t size = kLarge, std::uint8_t from = 1) {
    auto values = orb::lend<std::uint8_t>(viewer_, size);
    EXPECT_EQ(values.size(), size);
    std::iota(values.begin(), values.end(), from);
    return values;
  }

  IDL::traits<CORBA::ORB>::ref_type server_, client_;
  CORBA::servant_reference<Viewer> servant_;
  IDL::traits<LentTest::Viewer>::ref_type viewer_;
  std::string text_;
  std::thread thread_;
};

TEST_F(LentArguments, AreSeenWhereTheyWereFilled) {
  start();
  for (int i = 0; i < 50; ++i) {
    const auto octets = filled(kLarge + static_cast<std::size_t>(i), static_cast<std::uint8_t>(i));
    ASSERT_TRUE(octets.is_lent());
    EXPECT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
    EXPECT_TRUE(is_shared(servant_->last)) << i;
    EXPECT_NE(servant_->last, octets.data()) << "the other process's mapping, if it were one";
  }
}

TEST_F(LentArguments, MayBeNumbersAndPlainStructs) {
  start();
  for (int i = 0; i < 5; ++i) {
    const auto numbers = orb::lend<double>(viewer_, 50'000);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    EXPECT_EQ(viewer_->see_numbers(2, numbers), 2 * static_cast<double>(sum_of(numbers)));
    EXPECT_TRUE(is_shared(servant_->last));
    const auto points = orb::lend<LentTest::Point>(viewer_, 20'000);
    std::fill(points.begin(), points.end(), LentTest::Point(1, 2));
    EXPECT_EQ(viewer_->see_points(points), 60'000);
    EXPECT_TRUE(is_shared(servant_->last));
  }
}

TEST_F(LentArguments, ThatAreSmallOrNotTheLastAreCopied) {
  start();
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{3000}}) {
    const auto octets = filled(size);
    EXPECT_EQ(viewer_->see_octets("", octets), sum_of(octets));
    EXPECT_FALSE(is_shared(servant_->last));
  }
  const auto one = filled(), two = filled();
  EXPECT_EQ(viewer_->both(one, two), 2 * sum_of(one));
}

TEST_F(LentArguments, OfOtherParametersAreCopied) {
  start();
  const auto octets = filled();
  EXPECT_EQ(viewer_->copied(LentTest::Octets(octets.begin(), octets.end())), sum_of(octets));
  EXPECT_FALSE(is_shared(servant_->last));
}

TEST_F(LentArguments, AreOrdinaryMemoryInTheChildOfAFork) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has no threads in children";
#endif
  start();
  const auto before = filled();
  ASSERT_TRUE(before.is_lent());
  EXPECT_TRUE(corbel::test::in_child([&] {
    const auto octets = filled(kLarge, 7);
    return !octets.is_lent() && viewer_->see_octets("a child's", octets) == sum_of(octets);
  }));
}

TEST_F(LentArguments, AreCopiedWhereEitherSideDoesNotLend) {
  for (const auto& [server, client] : {std::pair("0", "4194304"), std::pair("4194304", "0"), std::pair("0", "0")}) {
    start(server, client);
    const auto octets = filled();
    EXPECT_FALSE(octets.is_lent());
    EXPECT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
    EXPECT_FALSE(is_shared(servant_->last));
    viewer_ = nullptr;
    client_->destroy();
    server_->shutdown(true);
    thread_.join();
    server_->destroy();
  }
  client_ = server_ = nullptr;
}

TEST_F(LentArguments, AreCopiedOverOtherTransports) {
  start("4194304", "4194304", "tcp://127.0.0.1:0");
  const auto octets = filled();
  EXPECT_FALSE(octets.is_lent());
  EXPECT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
}

TEST_F(LentArguments, OfObjectsOfThisProcessAreTheValues) {
  start();
  viewer_ = IDL::traits<LentTest::Viewer>::narrow(server_->string_to_object(text_));
  const auto octets = filled();
  EXPECT_FALSE(octets.is_lent());
  EXPECT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
  EXPECT_EQ(servant_->last, octets.data());
}

TEST_F(LentArguments, AreOrdinaryMemoryWhereNoneIsLeft) {
  start();
  std::vector<orb::LentValues<std::uint8_t>> all;
  while (all.empty() || all.back().is_lent()) all.push_back(filled());
  EXPECT_GT(all.size(), 10U);
  for (const auto& each : all) EXPECT_EQ(viewer_->see_octets("a name", each), sum_of(each));
  EXPECT_FALSE(is_shared(servant_->last));
  all.erase(all.begin() + 3);
  EXPECT_TRUE(test::eventually([&] { return filled().is_lent(); }));
  EXPECT_FALSE(filled(5'000'000).is_lent());
}

TEST_F(LentArguments, MayBeSentAgainAsOftenAsOneLikes) {
  start();
  const auto octets = filled();
  for (int i = 0; i < 1000; ++i) {
    octets[0] = static_cast<std::uint8_t>(i);
    ASSERT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
    ASSERT_TRUE(i % 100 != 0 || is_shared(servant_->last));
  }
}

TEST_F(LentArguments, OfOnewaysStayUntilTheServantHasSeenThem) {
  start();
  std::uint64_t sum = 0;
  for (int i = 0; i < 500; ++i) {
    const auto octets = filled(kLarge, static_cast<std::uint8_t>(i));
    sum += sum_of(octets);
    viewer_->leave(octets);
  }
  EXPECT_TRUE(test::eventually([&] { return servant_->left == sum; })) << servant_->left << " of " << sum;
}

TEST_F(LentArguments, OfASlowServantHoldNothingElse) {
  start();
  std::vector<std::future<bool>> holding;
  for (std::uint8_t i = 0; i < 3; ++i) {
    holding.push_back(std::async(std::launch::async, [&, i] {
      const auto octets = filled(kLarge, i);
      return octets.is_lent() && viewer_->hold(octets) == sum_of(octets);
    }));
  }
  EXPECT_TRUE(test::eventually([&] { return servant_->held == 3; }));
  for (int i = 0; i < 100; ++i) {
    const auto octets = filled();
    EXPECT_EQ(viewer_->see_octets("a name", octets), sum_of(octets));
  }
  viewer_->let_go();
  for (auto& each : holding) EXPECT_TRUE(each.get());
}

TEST_F(LentArguments, CostNoAllocations) {
  start();
  const auto call = [&] {
    auto octets = orb::lend<std::uint8_t>(viewer_, kLarge);
    octets[0] = 1;
    return viewer_->see_octets("", octets);
  };
  // On a busy machine the peer lets go of the memory late, and others are lent ordinary memory meanwhile.
  std::size_t allocations = 1;
  for (int tries = 0; tries < 20 && allocations != 0; ++tries) {
    for (int i = 0; i < 100; ++i) call();
    const std::size_t before = test::allocations_of_all();
    for (int i = 0; i < 100; ++i) call();
    allocations = test::allocations_of_all() - before;
  }
  EXPECT_EQ(allocations, 0U);
  EXPECT_TRUE(is_shared(servant_->last));
}

TEST_F(LentArguments, OutliveTheOrb) {
  start();
  auto octets = filled();
  viewer_ = nullptr;
  client_->destroy();
  client_ = nullptr;
  octets[0] = 9;
  EXPECT_EQ(octets[0], 9);
}

TEST_F(LentArguments, OfNoObjectAreRefused) {
  EXPECT_THROW(orb::lend<std::uint8_t>(nullptr, 10), CORBA::INV_OBJREF);
  start();
  server_->shutdown(true);
  EXPECT_THROW(orb::lend<std::uint8_t>(viewer_, 10), CORBA::TRANSIENT);
}

}  // namespace
}  // namespace corbel
