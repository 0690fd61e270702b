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

#include "RTCORBA.hpp"
#include "endpoints.hpp"
#include "real_time_test_server.hpp"

#include "corbel_real_time.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::PriorityModel;
using ServantRef = IDL::traits<Timed::Servant>::ref_type;

class Servant final : public virtual CORBA::servant_traits<Timed::Servant>::base_type {
 public:
  explicit Servant(std::function<std::int16_t()> action) : action_(std::move(action)) {}
  std::int16_t priority() override { return action_(); }
  std::int16_t pass(ServantRef, std::int16_t) override { return 0; }
  void refuse() override {}

 private:
  const std::function<std::int16_t()> action_;
};

/// A server and a client, each with an ORB of its own. The parameter is where the lanes listen.
class SeveralLanes : public ::testing::TestWithParam<const char*> {
 protected:
  SeveralLanes() {
    std::vector<std::string> words{"test", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBCollocation", "off"};
    server_ = CORBA::ORB_init(words, "lanes server " + std::to_string(++number_));
    words = {"test", "-ORBListenEndpoints", "tcp://127.0.0.1:0"};
    client_ = CORBA::ORB_init(words, "lanes client " + std::to_string(++number_));
    rt_ = IDL::traits<RTCORBA::RTORB>::narrow(server_->resolve_initial_references("RTORB"));
    current_ = IDL::traits<RTCORBA::Current>::narrow(server_->resolve_initial_references("RTCurrent"));
    const auto root = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    const auto pool = rt_->create_threadpool_with_lanes(
        0, {RTCORBA::ThreadpoolLane(10, 1, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)}, false, false, 0, 0);
    poa_ = root->create_POA("laned", root->the_POAManager(),
                            {rt_->create_threadpool_policy(pool),
                             rt_->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 10)});
  }
  ~SeveralLanes() override {
    poa_ = nullptr;
    client_->destroy();
    server_->destroy();
  }

  /// The object as the client has it.
  ServantRef object(std::function<std::int16_t()> action) {
    const auto id = poa_->activate_object(CORBA::make_reference<Servant>(std::move(action)));
    const std::string text = server_->object_to_string(poa_->id_to_reference(id));
    return IDL::traits<Timed::Servant>::narrow(client_->string_to_object(text));
  }
  /// On a thread of this priority, or with none.
  std::future<std::int16_t> call(const ServantRef& object, int priority) {
    return std::async(std::launch::async, [this, object, priority] {
      if (priority >= 0) current_->the_priority(static_cast<std::int16_t>(priority));
      return object->priority();
    });
  }

  RealTime real_time_{{.lane_endpoints = {GetParam()}}};
  IDL::traits<CORBA::ORB>::ref_type server_;
  IDL::traits<CORBA::ORB>::ref_type client_;
  IDL::traits<RTCORBA::RTORB>::ref_type rt_;
  IDL::traits<RTCORBA::Current>::ref_type current_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  inline static int number_ = 0;
};

TEST_P(SeveralLanes, UrgentCallsAreServedWhileTheLowLaneIsBusy) {
  std::latch entered{1};
  std::latch go{1};
  const auto one = object([&] {
    const std::int16_t priority = current_->the_priority();
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
  const auto one = object([&] { return current_->the_priority(); });
  std::vector<std::future<bool>> all;
  for (int thread = 0; thread < 4; ++thread) {
    all.push_back(std::async(std::launch::async, [&, thread] {
      bool right = true;
      for (int i = 0; i < 200; ++i) {
        const auto priority = static_cast<std::int16_t>((i + thread) % 2 == 0 ? 10 : 1000);
        current_->the_priority(priority);
        right = one->priority() == priority && right;
      }
      return right;
    }));
  }
  for (auto& each : all) EXPECT_TRUE(each.get());
}

TEST_P(SeveralLanes, WhoHasNoPriorityUsesTheFirst) {
  const auto one = object([&] { return current_->the_priority(); });
  EXPECT_EQ(call(one, -1).get(), 0);
}

TEST_P(SeveralLanes, OrbsWithoutPrioritiesReachTheObjectToo) {
  const auto one = object([&] { return current_->the_priority(); });
  EXPECT_EQ(lanes_of(one->_target()->ior()), (std::vector<std::int16_t>{10, 1000}));
  // Whatever is called through a reference without the list goes to the lane of the adapter's own priority.
  ior::Ior plain = only_lane(one->_target()->ior(), 10);
  EXPECT_FALSE(plain.profiles.empty());
  const auto foreign = IDL::traits<Timed::Servant>::narrow(client_->string_to_object(ior::to_string(plain)));
  EXPECT_EQ(call(foreign, 1000).get(), 1000);
}

TEST_P(SeveralLanes, ALaneThatListensNoMoreIsNotReplacedByAnother) {
  const auto one = object([&] { return current_->the_priority(); });
  const ior::Ior high = only_lane(one->_target()->ior(), 1000);
  for (const auto& profile : high.profiles) {
    const auto iiop = ior::decode_iiop_profile(profile);
    const auto uiop = ior::decode_uiop_profile(profile);
    const std::string at = iiop && iiop->port != 0 ? "tcp://" + iiop->host + ':' + std::to_string(iiop->port)
                           : uiop                  ? "unix://" + uiop->path
                                                   : std::string();
    if (!at.empty()) {
      EXPECT_TRUE(orb::stop_listening(*server_._shared(), at)) << at;
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
