// SPDX-License-Identifier: Apache-2.0
// Thread pools: which threads serve, how many, and which policies fit together.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <latch>
#include <mutex>

#include "RTCORBA.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "real_time_test_server.hpp"

#include "corbel_real_time.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::PriorityModel;
using ServantRef = IDL::traits<Timed::Servant>::ref_type;
using PoolId = RTCORBA::ThreadpoolId;

class Servant final : public virtual CORBA::servant_traits<Timed::Servant>::base_type {
 public:
  explicit Servant(std::function<std::int16_t()> action) : action_(std::move(action)) {}
  std::int16_t priority() override { return action_(); }
  std::int16_t pass(ServantRef, std::int16_t) override { return 0; }
  void refuse() override {}

 private:
  const std::function<std::int16_t()> action_;
};

class Threadpools : public ::testing::Test {
 protected:
  Threadpools() {
    std::vector<std::string> words{"test", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBCollocation", "off"};
    orb_ = CORBA::ORB_init(words, "pools " + std::to_string(++number_));
    root_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    rt_ = IDL::traits<RTCORBA::RTORB>::narrow(orb_->resolve_initial_references("RTORB"));
    current_ = IDL::traits<RTCORBA::Current>::narrow(orb_->resolve_initial_references("RTCurrent"));
    root_->the_POAManager()->activate();
  }
  ~Threadpools() override {
    root_ = nullptr;
    orb_->destroy();
  }

  PoolId pool(std::uint32_t threads, RTCORBA::Priority priority) {
    return rt_->create_threadpool(0, threads, 0, priority, false, 0, 0);
  }
  PoolId pool(const RTCORBA::ThreadpoolLanes& lanes) {
    return rt_->create_threadpool_with_lanes(0, lanes, false, false, 0, 0);
  }
  IDL::traits<PortableServer::POA>::ref_type adapter(CORBA::PolicyList policies) {
    return root_->create_POA("poa " + std::to_string(++number_), root_->the_POAManager(), policies);
  }
  ServantRef object(PoolId id, const CORBA::PolicyList& others, std::function<std::int16_t()> action) {
    CORBA::PolicyList policies = others;
    policies.push_back(rt_->create_threadpool_policy(id));
    const auto poa = adapter(policies);
    const auto servant = poa->activate_object(CORBA::make_reference<Servant>(std::move(action)));
    return IDL::traits<Timed::Servant>::narrow(poa->id_to_reference(servant));
  }
  IDL::traits<CORBA::Policy>::ref_type declared(RTCORBA::Priority priority) {
    return rt_->create_priority_model_policy(PriorityModel::SERVER_DECLARED, priority);
  }
  /// The index that create_POA blames; -1 if it blames none.
  int blamed(const CORBA::PolicyList& policies) try {
    adapter(policies);
    return -1;
  } catch (const PortableServer::POA::InvalidPolicy& exception) {
    return exception.index();
  }

  RealTime real_time_{{.lane_endpoints = {"tcp://127.0.0.1:0"}}};
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<PortableServer::POA>::ref_type root_;
  IDL::traits<RTCORBA::RTORB>::ref_type rt_;
  IDL::traits<RTCORBA::Current>::ref_type current_;
  inline static int number_ = 0;
};

TEST_F(Threadpools, ALaneWhoseThreadsAreAllBusyHoldsUpNoOther) {
  const PoolId id = pool({RTCORBA::ThreadpoolLane(10, 2, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)});
  std::latch entered{2};
  std::latch go{1};
  const auto low = object(id, {declared(10)}, [&] {
    entered.count_down();
    go.wait();
    return current_->the_priority();
  });
  const auto high = object(id, {declared(1000)}, [&] { return current_->the_priority(); });
  auto first = std::async(std::launch::async, [&] { return low->priority(); });
  auto second = std::async(std::launch::async, [&] { return low->priority(); });
  entered.wait();  // all of the lane's threads
  for (int i = 0; i < 100; ++i) EXPECT_EQ(high->priority(), 1000);
  go.count_down();
  EXPECT_EQ(first.get(), 10);
  EXPECT_EQ(second.get(), 10);
}

TEST_F(Threadpools, HaveNoMoreThreadsThanTheyWereGiven) {
  std::mutex mutex;
  int now = 0;
  int most = 0;
  int calls = 0;
  std::latch both{2};
  const auto busy = object(pool(2, 5), {}, [&] {
    {
      const std::lock_guard lock(mutex);
      most = std::max(most, ++now);
      if (++calls <= 2) both.count_down();
    }
    both.wait();  // the first two are there at the same time
    const std::lock_guard lock(mutex);
    --now;
    return current_->the_priority();
  });
  std::vector<std::future<std::int16_t>> all;
  for (int i = 0; i < 8; ++i) all.push_back(std::async(std::launch::async, [&] { return busy->priority(); }));
  for (auto& one : all) EXPECT_EQ(one.get(), 5);  // the pool's default
  EXPECT_EQ(most, 2);
  EXPECT_EQ(calls, 8);
}

TEST_F(Threadpools, WithoutLanesServeAdaptersOfEachModel) {
  const PoolId id = pool(1, 5);
  const auto priority = [&] { return current_->the_priority(); };
  const auto propagated = rt_->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 7);
  EXPECT_EQ(object(id, {}, priority)->priority(), 5);
  EXPECT_EQ(object(id, {declared(9)}, priority)->priority(), 9);
  const auto asked = object(id, {propagated}, priority);
  EXPECT_EQ(std::async(std::launch::async,
                       [&] {
                         current_->the_priority(42);
                         return asked->priority();
                       })
                .get(),
            42);
}

TEST_F(Threadpools, PoliciesThatDoNotFitAreInvalid) {
  const PoolId laned = pool({RTCORBA::ThreadpoolLane(10, 1, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)});
  const auto policy = rt_->create_threadpool_policy(laned);
  EXPECT_EQ(policy->threadpool(), laned);
  EXPECT_EQ(blamed({declared(10), policy}), -1);
  EXPECT_EQ(blamed({policy, declared(1000)}), -1);
  EXPECT_EQ(blamed({declared(11), policy}), 1);  // no lane of this priority
  EXPECT_EQ(blamed({policy}), 0);                // lanes without a model
  EXPECT_EQ(blamed({policy, rt_->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 7)}), -1);
  EXPECT_EQ(blamed({declared(10), policy, policy}), 2);
  EXPECT_EQ(blamed({declared(10), policy, CORBA::make_reference<poa::LanePolicy>("")}), 1);
  rt_->destroy_threadpool(laned);
  EXPECT_EQ(blamed({declared(10), policy}), 1);
  EXPECT_THROW(rt_->destroy_threadpool(laned), RTCORBA::RTORB::InvalidThreadpool);
  EXPECT_THROW(rt_->create_threadpool_policy(laned), CORBA::BAD_PARAM);
}

TEST_F(Threadpools, PoliciesOfOtherOrbsAreInvalid) {
  std::vector<std::string> words{"test"};
  const auto other = CORBA::ORB_init(words, "other pools " + std::to_string(++number_));
  const auto rt = IDL::traits<RTCORBA::RTORB>::narrow(other->resolve_initial_references("RTORB"));
  EXPECT_EQ(blamed({rt->create_threadpool_policy(rt->create_threadpool(0, 1, 0, 1, false, 0, 0))}), 0);
  other->destroy();
  EXPECT_THROW(rt->create_threadpool(0, 1, 0, 1, false, 0, 0), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Threadpools, ThatMakeNoSenseAreRefused) {
  EXPECT_THROW(pool(0, 1), CORBA::BAD_PARAM);
  EXPECT_THROW(pool(1, -1), CORBA::BAD_PARAM);
  EXPECT_THROW(pool(UINT32_MAX, 1), CORBA::IMP_LIMIT);
  EXPECT_THROW(rt_->create_threadpool(0, 1, UINT32_MAX, 1, false, 0, 0), CORBA::IMP_LIMIT);
  EXPECT_THROW(pool(RTCORBA::ThreadpoolLanes{}), CORBA::BAD_PARAM);
  EXPECT_THROW(pool({RTCORBA::ThreadpoolLane(1, 0, 5)}), CORBA::BAD_PARAM);
  EXPECT_THROW(pool({RTCORBA::ThreadpoolLane(1, 1, 0), RTCORBA::ThreadpoolLane(1, 1, 0)}), CORBA::BAD_PARAM);
  EXPECT_THROW(rt_->create_threadpool(0, 1, 0, 1, true, 10'000, 0), CORBA::IMP_LIMIT);
  EXPECT_THROW(rt_->create_threadpool(0, 1, 0, 1, true, UINT32_MAX, 0), CORBA::IMP_LIMIT);
  EXPECT_THROW(rt_->create_threadpool_with_lanes(
                   0, {RTCORBA::ThreadpoolLane(1, 9'999, 0), RTCORBA::ThreadpoolLane(2, 2, 0)}, true, false, 0, 0),
               CORBA::IMP_LIMIT);
  // Lanes are made until there are enough, and then no more.
  int made = 0;
  EXPECT_THROW(for (; made < 100; ++made) pool(1, 1), CORBA::IMP_LIMIT);
  EXPECT_EQ(made, 63);
}

}  // namespace
}  // namespace corbel::real_time
