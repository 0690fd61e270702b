// SPDX-License-Identifier: Apache-2.0
// Requests that wait for a place, those that may not, and places that are borrowed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "admission.hpp"
#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using Lanes = std::vector<Admission::Lane>;

std::shared_ptr<Admission> make(const Lanes& lanes, bool borrows,
                                std::optional<Admission::Buffers> buffers = std::nullopt) {
  return std::make_shared<Admission>(lanes, borrows, buffers);
}
constexpr Admission::Buffers kNothing{0, 0};
constexpr Admission::Buffers kOne{1, 100};

void await_waiting(const Admission& admission, std::size_t count) {
  while (admission.waiting() != count) std::this_thread::yield();
}

TEST(Admission, HasAsManyPlacesAsTheLaneThreads) {
  const auto admission = make({{10, 2}}, false, kNothing);
  auto one = admission->enter(0, 0);
  const auto two = admission->enter(10, 0);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
  EXPECT_EQ(admission->enter(5, 0), nullptr);
  one.reset();
  EXPECT_NE(admission->enter(5, 0), nullptr);
}

TEST(Admission, LanesHaveTheirOwnUnlessTheyBorrow) {
  const auto strict = make({{10, 1}, {20, 1}}, false, kNothing);
  const auto high = strict->enter(20, 0);
  EXPECT_EQ(strict->enter(25, 0), nullptr);
  const auto lends = make({{10, 1}, {20, 1}}, true, kNothing);
  auto first = lends->enter(20, 0);
  auto second = lends->enter(25, 0);  // the low lane's
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(lends->enter(20, 0), nullptr);
  EXPECT_EQ(lends->enter(10, 0), nullptr);  // lent
  second.reset();
  const auto low = lends->enter(10, 0);
  EXPECT_NE(low, nullptr);
  first.reset();
  EXPECT_EQ(lends->enter(10, 0), nullptr);  // nothing is borrowed from above
  EXPECT_NE(lends->enter(20, 0), nullptr);
}

TEST(Admission, AFreedPlaceGoesToTheMostUrgentThatMayHaveIt) {
  const auto admission = make({{10, 1}, {20, 1}}, true);
  auto low = admission->enter(10, 0);
  const auto high = admission->enter(20, 0);
  std::atomic<int> order{0};
  int low_came = 0;
  int high_came = 0;
  std::thread lower([&] {
    const auto place = admission->enter(10, 0);
    low_came = ++order;
  });
  await_waiting(*admission, 1);
  std::thread higher([&] {
    const auto place = admission->enter(20, 0);
    high_came = ++order;
  });
  await_waiting(*admission, 2);
  low.reset();
  lower.join();
  higher.join();
  EXPECT_EQ(high_came, 1);
  EXPECT_EQ(low_came, 2);
}

TEST(Admission, TheMostUrgentOfALaneAreServedFirstAndEqualsAsTheyCame) {
  const auto admission = make({{10, 1}}, false, Admission::Buffers{6, 1000});
  auto running = admission->enter(10, 0);
  const std::vector<Priority> priorities{20, 10, 30000, 20, 5, 30000};
  std::mutex mutex;
  std::vector<std::size_t> order;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto place = admission->enter(priorities[i], 1);
      const std::lock_guard lock(mutex);
      order.push_back(i);
    });
    await_waiting(*admission, static_cast<std::uint32_t>(i + 1));
  }
  running.reset();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 5, 0, 3, 1, 4}));
}

/// Of a request of a test.
class Bounded final : public Admission::Patience {
 public:
  explicit Bounded(base::Deadline until = base::Deadline::none()) noexcept : until_(until) {}
  base::Deadline begin() override { return until_; }
  bool is_over() const noexcept override { return over; }

  std::atomic<bool> over{false};

 private:
  const base::Deadline until_;
};

TEST(Admission, ARequestWaitsNoLongerThanItMay) {
  const auto admission = make({{10, 1}}, false, kOne);
  auto running = admission->enter(10, 0);
  for (int i = 0; i < 2; ++i) {  // what it took is given back
    Bounded bounded(base::Deadline::after(std::chrono::milliseconds(10)));
    EXPECT_EQ(admission->enter(10, 100, &bounded), nullptr);
  }
  EXPECT_EQ(admission->waiting(), 0U);
  running.reset();
  EXPECT_NE(admission->enter(10, 0), nullptr);
}

TEST(Admission, ThoseForWhomNobodyWaitsKeepNobodyOut) {
  const auto admission = make({{10, 1}, {20, 1}}, false, kOne);
  auto low = admission->enter(10, 0);
  auto high = admission->enter(20, 0);
  Bounded bounded;
  std::thread dead([&] { EXPECT_EQ(admission->enter(20, 100, &bounded), nullptr); });
  await_waiting(*admission, 1);
  EXPECT_EQ(admission->enter(10, 1), nullptr);
  bounded.over = true;
  std::thread live([&] { EXPECT_NE(admission->enter(10, 100), nullptr); });
  dead.join();
  await_waiting(*admission, 1);
  low.reset();
  live.join();
}

TEST(Admission, ThoseForWhomNobodyWaitsGetNoPlace) {
  const auto admission = make({{10, 1}}, false, Admission::Buffers{3, 1000});
  auto running = admission->enter(10, 0);
  std::vector<Bounded> all(3);
  std::atomic<int> served{0};
  std::vector<std::thread> threads;
  for (Bounded& each : all) {
    threads.emplace_back([&] { served += admission->enter(10, 1, &each) != nullptr ? 1 : 0; });
    await_waiting(*admission, static_cast<std::uint32_t>(threads.size()));
  }
  all[0].over = true;
  all[2].over = true;
  running.reset();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(served, 1);
  EXPECT_NE(admission->enter(10, 0), nullptr);
}

TEST(Admission, NoMoreMayWaitThanTheBuffersHold) {
  const auto admission = make({{10, 1}}, false, kOne);
  auto running = admission->enter(10, 0);
  EXPECT_EQ(admission->enter(10, 101), nullptr);  // by itself too much
  std::thread waits([&] { EXPECT_NE(admission->enter(10, 100), nullptr); });
  await_waiting(*admission, 1);
  EXPECT_EQ(admission->enter(10, 0), nullptr);
  running.reset();
  waits.join();
  EXPECT_EQ(admission->waiting(), 0U);
  const auto octets = make({{10, 1}}, false, Admission::Buffers{5, 100});
  auto first = octets->enter(10, 0);
  std::thread heavy([&] { EXPECT_NE(octets->enter(10, 60), nullptr); });
  await_waiting(*octets, 1);
  EXPECT_EQ(octets->enter(10, 41), nullptr);
  std::thread light([&] { EXPECT_NE(octets->enter(10, 40), nullptr); });
  await_waiting(*octets, 2);
  first.reset();
  heavy.join();
  light.join();
}

TEST(Admission, NoPlaceIsLostOrMadeUnderAStorm) {
  const auto admission = make({{10, 2}, {20, 1}, {30, 1}}, true, Admission::Buffers{1, 1000});
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto place = admission->enter(static_cast<Priority>(10 * ((t + i) % 3 + 1)), 1);
        if (place == nullptr) continue;
        const int running = ++now;
        int seen = most;
        while (seen < running && !most.compare_exchange_weak(seen, running)) {
        }
        std::this_thread::yield();
        --now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 4);
  EXPECT_EQ(admission->waiting(), 0U);
  std::vector<Admission::PlacePtr> all;
  for (int i = 0; i < 4; ++i) all.push_back(admission->enter(30, 0));
  for (const auto& place : all) EXPECT_NE(place, nullptr);
  EXPECT_EQ(admission->enter(30, 1001), nullptr);
}

class Buffered : public ::testing::Test, public TwoOrbs {
 protected:
  Buffered() : TwoOrbs(Settings{.lane_endpoints = {"tcp://127.0.0.1:0"}}) {}
  std::string made(RTCORBA::ThreadpoolId pool, RTCORBA::PriorityModel model, std::function<std::int16_t()> action) {
    return server->object_to_string(TwoOrbs::object(
        adapter({rt->create_threadpool_policy(pool), rt->create_priority_model_policy(model, 10)}), std::move(action)));
  }
  /// Called through a connection of its own.
  std::future<std::int16_t> call_alone(const std::string& reference, int priority) {
    const auto alone = at(reference)->_set_policy_overrides({rt->create_private_connection_policy()},
                                                            CORBA::SetOverrideType::SET_OVERRIDE);
    return call(IDL::traits<Timed::Servant>::narrow(alone), priority);
  }
};

TEST_F(Buffered, RequestsBeyondTheBufferAreTransient) {
  std::latch entered{1};
  std::latch go{1};
  std::atomic<int> runs{0};
  const auto one = made(rt->create_threadpool(0, 1, 0, 10, true, 1, 0), RTCORBA::PriorityModel::SERVER_DECLARED, [&] {
    if (++runs == 1) {
      entered.count_down();
      go.wait();
    }
    return std::int16_t{1};
  });
  auto runs_first = call_alone(one, 1);
  entered.wait();
  // Of three that come now one may wait; the others are told at once, while it still waits.
  std::atomic<int> refused{0};
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(std::async(std::launch::async, [&] {
      try {
        return call_alone(one, 1).get() == 1;
      } catch (const CORBA::TRANSIENT&) {
        ++refused;
        return false;
      }
    }));
  }
  while (refused < 2) std::this_thread::yield();
  EXPECT_EQ(runs, 1);
  go.count_down();
  EXPECT_EQ(runs_first.get(), 1);
  int served = 0;
  for (auto& each : all) served += each.get() ? 1 : 0;
  EXPECT_EQ(served, 1);
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(call_alone(one, 1).get(), 1);
}

TEST_F(Buffered, ALaneBorrowsFromALowerOneAndGivesBack) {
  std::atomic<int> high_now{0};
  std::latch go{1};
  const auto pool = rt->create_threadpool_with_lanes(
      0, {RTCORBA::ThreadpoolLane(10, 2, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)}, true, false, 0, 0);
  const auto one = made(pool, RTCORBA::PriorityModel::CLIENT_PROPAGATED, [&] {
    if (current->the_priority() == 1000) {
      ++high_now;
      go.wait();
    }
    return current->the_priority();
  });
  std::vector<std::future<std::int16_t>> high;
  for (int i = 0; i < 3; ++i) high.push_back(call_alone(one, 1000));
  while (high_now < 3) std::this_thread::yield();  // one thread of its own, two of the low lane's
  auto low = call_alone(one, 10);
  go.count_down();
  for (auto& each : high) EXPECT_EQ(each.get(), 1000);
  EXPECT_EQ(low.get(), 10);
}

TEST_F(Buffered, WhatWaitsWhenTheOrbEndsIsStillServed) {
  std::latch entered{1};
  std::latch go{1};
  std::atomic<int> runs{0};
  const auto one = made(rt->create_threadpool(0, 1, 0, 10, true, 5, 0), RTCORBA::PriorityModel::SERVER_DECLARED, [&] {
    if (++runs == 1) {
      entered.count_down();
      go.wait();
    }
    return std::int16_t{1};
  });
  auto first = call_alone(one, 1);
  entered.wait();
  auto second = call_alone(one, 1);
  server->shutdown(false);
  go.count_down();
  EXPECT_EQ(first.get(), 1);
  try {
    EXPECT_EQ(second.get(), 1);
  } catch (const CORBA::SystemException&) {  // it had not been read yet
  }
}

}  // namespace
}  // namespace corbel::real_time
