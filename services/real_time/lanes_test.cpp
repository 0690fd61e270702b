// SPDX-License-Identifier: Apache-2.0
// One reference with several lanes: each client's calls are served in the lane of its priority.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <latch>
#include <string>
#include <vector>

#include <corbel/ior/profile.hpp>
#include <corbel/orb/parts.hpp>

#include "endpoints.hpp"
#include "test_support.hpp"

namespace corbel::real_time {
namespace {

/// The parameter is where the lanes listen.
class SeveralLanes : public ::testing::TestWithParam<const char*>, public TwoOrbs {
 protected:
  SeveralLanes() : TwoOrbs(Settings{.lane_endpoints = {GetParam()}}) {
    const auto pool = rt->create_threadpool_with_lanes(
        0, {RTCORBA::ThreadpoolLane(10, 1, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)}, false, false, 0, 0);
    poa_ = adapter({rt->create_threadpool_policy(pool),
                    rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, 10)});
  }
  ServantRef object(std::function<std::int16_t()> action) { return TwoOrbs::object(poa_, std::move(action)); }

  IDL::traits<PortableServer::POA>::ref_type poa_;
};

TEST_P(SeveralLanes, UrgentCallsAreServedWhileTheLowLaneIsBusy) {
  std::latch entered{1};
  std::latch go{1};
  const auto one = object([&] {
    const std::int16_t priority = current->the_priority();
    if (priority < 1000) {
      entered.count_down();
      go.wait();
    }
    return priority;
  });
  auto low = call(one, 500);  // the lane of 10, whose only thread it takes
  entered.wait();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(call(one, i % 2 == 0 ? 1000 : 30000).get(), i % 2 == 0 ? 1000 : 30000);
  go.count_down();
  EXPECT_EQ(low.get(), 500);
}

TEST_P(SeveralLanes, CallsOfBothKindsGoThroughOneReferenceAtTheSameTime) {
  const auto one = object([&] { return current->the_priority(); });
  std::vector<std::future<bool>> all;
  for (int thread = 0; thread < 4; ++thread) {
    all.push_back(std::async(std::launch::async, [&, thread] {
      bool right = true;
      for (int i = 0; i < 200; ++i) {
        const auto priority = static_cast<std::int16_t>((i + thread) % 2 == 0 ? 10 : 1000);
        current->the_priority(priority);
        right = one->priority() == priority && right;
      }
      return right;
    }));
  }
  for (auto& each : all) EXPECT_TRUE(each.get());
}

TEST_P(SeveralLanes, WhoHasNoPriorityUsesTheFirst) {
  const auto one = object([&] { return current->the_priority(); });
  EXPECT_EQ(call(one, -1).get(), 0);
}

TEST_P(SeveralLanes, OrbsWithoutPrioritiesReachTheObjectToo) {
  const auto one = object([&] { return current->the_priority(); });
  EXPECT_EQ(lanes_of(one->_target()->ior()), (std::vector<std::int16_t>{10, 1000}));
  // Whatever is called through a reference without the list goes to the lane of the adapter's own priority.
  ior::Ior plain = only_lane(one->_target()->ior(), 10);
  EXPECT_FALSE(plain.profiles.empty());
  const auto foreign = at(ior::to_string(plain));
  EXPECT_EQ(call(foreign, 1000).get(), 1000);
}

TEST_P(SeveralLanes, ALaneThatListensNoMoreIsNotReplacedByAnother) {
  const auto one = object([&] { return current->the_priority(); });
  const ior::Ior high = only_lane(one->_target()->ior(), 1000);
  for (const auto& profile : high.profiles) {
    const auto iiop = ior::decode_iiop_profile(profile);
    const auto uiop = ior::decode_uiop_profile(profile);
    const std::string at = iiop && iiop->port != 0 ? "tcp://" + iiop->host + ':' + std::to_string(iiop->port)
                           : uiop                  ? "unix://" + uiop->path
                                                   : std::string();
    if (!at.empty()) {
      EXPECT_TRUE(orb::stop_listening(*server._shared(), at)) << at;
    }
  }
  EXPECT_THROW(call(one, 1000).get(), CORBA::TRANSIENT);
  EXPECT_EQ(call(one, 10).get(), 10);
  EXPECT_THROW(call(one, 1000).get(), CORBA::TRANSIENT);
}

INSTANTIATE_TEST_SUITE_P(Transports, SeveralLanes, ::testing::Values("tcp://127.0.0.1:0", "unix://"),
                         [](const auto& one) { return std::string(one.param).substr(0, 3) == "tcp" ? "tcp" : "unix"; });

}  // namespace
}  // namespace corbel::real_time
