// SPDX-License-Identifier: Apache-2.0
// Requests that wait for a thread of their pool: for how long, in which order, and what becomes of those whose clients
// have gone.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <ratio>
#include <string>
#include <thread>
#include <vector>

#include <corbel/corba/minor_codes.hpp>
#include <corbel/dynamic/request.hpp>
#include <corbel/mapping/with_policies.hpp>

#include "support/eventually.hpp"
#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using namespace std::chrono_literals;

constexpr const char* kGivenUp = "nobody waits for a request of a thread pool any more";

/// A pool of one thread, which the first request keeps.
class Waits : public ::testing::Test, public TwoOrbs {
 protected:
  explicit Waits(const char* hold_timeout = "60000", std::uint32_t buffered = 8)
      : TwoOrbs(Settings{.lane_endpoints = {"tcp://127.0.0.1:0"}},
                {"-ORBHoldTimeout", hold_timeout, "-ORBLogLevel", "server=debug"}) {
    object_ = object(adapter({rt->create_threadpool_policy(rt->create_threadpool(0, 1, 0, 10, true, buffered, 0)),
                              rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, 10)}),
                     [this] { return run(); });
    first_ = alone(0);
    entered_.wait();
  }
  ~Waits() override { go(); }

  /// Lets the first request end.
  void go() {
    if (!first_.valid()) return;
    go_.count_down();
    EXPECT_EQ(first_.get(), 0);
  }
  ServantRef by_itself() {
    return IDL::traits<Timed::Servant>::narrow(
        object_->_set_policy_overrides({rt->create_private_connection_policy()}, CORBA::SetOverrideType::SET_OVERRIDE));
  }
  /// Called over a connection of its own.
  std::future<std::int16_t> alone(int priority) { return call(by_itself(), priority); }
  /// The priorities of the requests that have been executed, in their order.
  std::vector<std::int16_t> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  std::int16_t run() {
    const std::int16_t priority = current->the_priority();
    {
      const std::lock_guard lock(mutex_);
      order_.push_back(priority);
    }
    if (priority == 0) {
      entered_.count_down();
      go_.wait();
    }
    return priority;
  }

  ServantRef object_;
  std::latch entered_{1};
  std::latch go_{1};
  std::future<std::int16_t> first_;
  std::mutex mutex_;
  std::vector<std::int16_t> order_;
};

struct Briefly : Waits {
  Briefly() : Waits("50") {}
};

TEST_F(Briefly, NoLongerThanAPoaManagerHoldsThem) {
  try {
    (void)alone(5).get();
    FAIL();
  } catch (const CORBA::TRANSIENT& exception) {
    EXPECT_EQ(exception.minor(), corba::minor::kHeldTooLong);
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
  }
  const auto told = log->wait_for("request waited too long for a thread of its pool");
  EXPECT_EQ(told.value("operation"), "priority");
  EXPECT_EQ(told.value("priority"), "5");
  EXPECT_EQ(told.value("limit"), "-ORBHoldTimeout");
  go();
  EXPECT_EQ(alone(6).get(), 6);
  EXPECT_EQ(order(), (std::vector<std::int16_t>{0, 6}));
}

struct OneAtATime : Waits {
  OneAtATime() : Waits("60000", 1) {}

  /// Waits although another one did: tries again until the server knows that it does no more.
  std::future<std::int16_t> next(int priority) {
    return std::async(std::launch::async, [this, priority] {
      for (int attempt = 0; attempt < 1000; ++attempt) {
        try {
          return alone(priority).get();
        } catch (const CORBA::TRANSIENT&) {
          std::this_thread::sleep_for(10ms);
        }
      }
      return std::int16_t{-1};
    });
  }
};

TEST_F(OneAtATime, ThoseThatTheirClientsCancelledKeepNobodyOutAndAreNotExecuted) {
  EXPECT_THROW((void)with_timeout(by_itself(), 50ms)->priority(), CORBA::TIMEOUT);
  auto live = next(6);
  EXPECT_EQ(log->wait_for(kGivenUp).value("operation"), "priority");
  go();
  EXPECT_EQ(live.get(), 6);
  EXPECT_EQ(order(), (std::vector<std::int16_t>{0, 6}));
}

TEST_F(OneAtATime, ThoseWhoseConnectionsEndedKeepNobodyOutAndAreNotExecuted) {
  auto other = orb({"-ORBShutdownTimeout", "10"});
  const auto there =
      IDL::traits<Timed::Servant>::narrow(other->string_to_object(client->object_to_string(by_itself())));
  auto lost = call(there, 5);
  ASSERT_EQ(lost.wait_for(100ms), std::future_status::timeout);
  other->destroy();
  EXPECT_THROW((void)lost.get(), CORBA::SystemException);
  auto live = next(6);
  (void)log->wait_for(kGivenUp);
  go();
  EXPECT_EQ(live.get(), 6);
  EXPECT_EQ(order(), (std::vector<std::int16_t>{0, 6}));
}

TEST_F(OneAtATime, OnewaysAreExecutedAlthoughTheirClientsHaveGone) {
  auto other = orb({});
  const auto there =
      IDL::traits<Timed::Servant>::narrow(other->string_to_object(client->object_to_string(by_itself())));
  std::async(std::launch::async, [&] {
    current->the_priority(7);
    there->_request("refuse")->send_oneway();
  }).get();
  // It waits when no other one may.
  ASSERT_TRUE(test::eventually([&] {
    try {
      (void)with_timeout(by_itself(), 10ms)->priority();
    } catch (const CORBA::TRANSIENT&) {
      return true;
    } catch (const CORBA::TIMEOUT&) {
    }
    return false;
  }));
  other->destroy();
  go();
  EXPECT_TRUE(test::eventually([&] { return order().size() == 2; }));
  EXPECT_EQ(order().back(), 7);
}

// Not even if nothing else happens: with the absolute time that the client gave it, the server knows when it is over.
TEST_F(OneAtATime, ThoseWhoseTimeIsOverWaitNoMore) {
  using Units = std::chrono::duration<std::uint64_t, std::ratio<1, 10'000'000>>;  // since 1582-10-15
  const auto now = std::chrono::duration_cast<Units>(std::chrono::system_clock::now().time_since_epoch());
  const TimeBase::UtcT end((now + 100ms).count() + 0x01B2'1DD2'1381'4000U, 0, 0, 0);
  const auto hurried = with_policies(by_itself(), {CORBA::make_reference<Messaging::ReplyEndTimePolicy>(end)});
  EXPECT_THROW((void)hurried->priority(), CORBA::TIMEOUT);
  EXPECT_EQ(log->wait_for(kGivenUp).value("operation"), "priority");
  go();
  EXPECT_EQ(alone(6).get(), 6);
  EXPECT_EQ(order(), (std::vector<std::int16_t>{0, 6}));
}

}  // namespace
}  // namespace corbel::real_time
