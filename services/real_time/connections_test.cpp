// SPDX-License-Identifier: Apache-2.0
// Which calls share connections: bands of priorities, and references of their own.
#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <corbel/orb/peer.hpp>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::PriorityModel;
using Band = RTCORBA::PriorityBand;

class Connections : public ::testing::Test, public TwoOrbs {
 protected:
  Connections() : TwoOrbs(Settings{}) {}

  ServantRef object(const CORBA::PolicyList& policies) {
    return TwoOrbs::object(adapter(policies), [this] {
      const std::lock_guard lock(mutex_);
      seen_.push_back(request_peer()->address);
      return std::int16_t{0};
    });
  }
  ServantRef propagated(CORBA::PolicyList policies = {}) {
    policies.push_back(rt->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 0));
    return object(policies);
  }
  static ServantRef with(const ServantRef& object, const IDL::traits<CORBA::Policy>::ref_type& policy) {
    return IDL::traits<Timed::Servant>::narrow(
        object->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE));
  }
  /// The client's end of the connection that a call of this priority goes over.
  std::string over(const ServantRef& object, int priority) {
    (void)call(object, priority).get();
    const std::lock_guard lock(mutex_);
    return seen_.back();
  }
  IDL::traits<CORBA::Policy>::ref_type bands(const RTCORBA::PriorityBands& all) {
    return rt->create_priority_banded_connection_policy(all);
  }

  std::mutex mutex_;
  std::vector<std::string> seen_;
};

TEST_F(Connections, OfDifferentBandsAreDifferent) {
  const auto plain = propagated();
  const auto banded = with(plain, bands({Band(0, 99), Band(100, 32767)}));
  const std::string low = over(banded, 5);
  const std::string high = over(banded, 100);
  EXPECT_NE(low, high);
  EXPECT_EQ(over(banded, 99), low);
  EXPECT_EQ(over(banded, 32767), high);
  EXPECT_EQ(over(banded, -1), low);  // the priority of a thread without one is 0
  // Nor do they share with calls that have no bands.
  EXPECT_FALSE((std::set{low, high}).contains(over(plain, 5)));
  // Another reference with the same bands has the same connections.
  EXPECT_EQ(over(with(propagated(), bands({Band(0, 99)})), 7), low);
}

TEST_F(Connections, OfABandAreNotHeldUpByAnothersCalls) {
  std::latch entered{1};
  std::latch go{1};
  const auto slow =
      TwoOrbs::object(adapter({rt->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 0)}), [&] {
        if (current->the_priority() < 100) {
          entered.count_down();
          go.wait();
        }
        return std::int16_t{1};
      });
  const auto banded = with(slow, bands({Band(0, 99), Band(100, 200)}));
  auto waits = call(banded, 1);
  entered.wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(call(banded, 100 + i).get(), 1);
  go.count_down();
  EXPECT_EQ(waits.get(), 1);
}

TEST_F(Connections, APriorityInNoBandIsAnInvalidPolicy) {
  const auto banded = with(propagated(), bands({Band(10, 20), Band(30, 40)}));
  EXPECT_THROW(call(banded, 25).get(), CORBA::INV_POLICY);
  EXPECT_THROW(call(banded, -1).get(), CORBA::INV_POLICY);
  EXPECT_TRUE(seen_.empty());
  EXPECT_NO_THROW(call(banded, 35).get());
}

/// What _validate_connection says on a thread of that priority: "true", or the policies.
std::string validated(const TwoOrbs& orbs, const ServantRef& object, std::int16_t priority) {
  return std::async(std::launch::async,
                    [&] {
                      orbs.current->the_priority(priority);
                      CORBA::PolicyList inconsistent = {nullptr};
                      if (object->_validate_connection(inconsistent))
                        return std::string(inconsistent.empty() ? "true" : "true?");
                      std::string all;
                      for (const auto& one : inconsistent) {
                        all += std::to_string(one->policy_type());
                        const auto banded = IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::narrow(one);
                        if (banded != nullptr) all += " from " + std::to_string(banded->priority_bands().front().low());
                      }
                      return all;
                    })
      .get();
}

TEST_F(Connections, ValidatingNamesTheBandsThatKeepACallFromThem) {
  const auto exposed = propagated({bands({Band(7, 99)})});
  const auto banded = with(propagated(), bands({Band(10, 20), Band(30, 40)}));
  EXPECT_EQ(validated(*this, banded, 25), "45 from 10");
  EXPECT_EQ(validated(*this, banded, 35), "true");
  EXPECT_EQ(validated(*this, exposed, 100), "45 from 7");  // the server's
  EXPECT_EQ(validated(*this, exposed, 99), "true");
  EXPECT_EQ(validated(*this, with(exposed, bands({Band(0, 300)})), 50), "45 from 0");  // both sides'
  EXPECT_EQ(validated(*this, with(exposed, rt->create_private_connection_policy()), 50), "true");
  EXPECT_EQ(validated(*this, with(exposed, rt->create_private_connection_policy()), 5), "45 from 7");
  const auto declared = object({rt->create_priority_model_policy(PriorityModel::SERVER_DECLARED, 50)});
  EXPECT_EQ(validated(*this, with(declared, bands({Band(0, 49)})), 1), "45 from 0");
}

TEST_F(Connections, WhatTheServerDeclaresChoosesTheBand) {
  const auto declared = object({rt->create_priority_model_policy(PriorityModel::SERVER_DECLARED, 50)});
  const auto banded = with(declared, bands({Band(0, 49), Band(50, 60)}));
  EXPECT_EQ(over(banded, 1), over(banded, 60));
  EXPECT_THROW(call(with(declared, bands({Band(0, 49)})), 1).get(), CORBA::INV_POLICY);
}

TEST_F(Connections, BandsOfAnAdapterComeWithItsReferences) {
  const auto exposed = propagated({bands({Band(0, 99), Band(100, 200)})});
  EXPECT_NE(over(exposed, 1), over(exposed, 100));
  EXPECT_THROW(call(exposed, 201).get(), CORBA::INV_POLICY);
  // Both sides at once contradict each other.
  EXPECT_THROW(call(with(exposed, bands({Band(0, 300)})), 1).get(), CORBA::INV_POLICY);
}

TEST_F(Connections, BandsOfTheOrbConcernAllReferences) {
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(client->resolve_initial_references("ORBPolicyManager"));
  const auto one = propagated();
  EXPECT_NO_THROW(call(one, 9).get());
  manager->set_policy_overrides({bands({Band(0, 5)})}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_THROW(call(one, 9).get(), CORBA::INV_POLICY);
  manager->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_NO_THROW(call(one, 9).get());
}

TEST_F(Connections, PrivateOnesAreOfOneReference) {
  const auto shared = propagated();
  const auto one = with(shared, rt->create_private_connection_policy());
  const auto other = with(shared, rt->create_private_connection_policy());
  const std::string of_all = over(shared, 1);
  const std::string of_one = over(one, 1);
  EXPECT_EQ((std::set{of_all, of_one, over(other, 1)}).size(), 3U);
  EXPECT_EQ(over(one, 700), of_one);
  EXPECT_EQ(over(propagated(), 1), of_all);
}

TEST_F(Connections, ManyBandsOfOneReferenceDoNotGrowForEver) {
  const auto one = propagated();
  const auto manager = IDL::traits<CORBA::PolicyCurrent>::narrow(client->resolve_initial_references("PolicyCurrent"));
  std::async(std::launch::async, [&] {
    for (std::int16_t i = 0; i < 150; ++i) {
      current->the_priority(i);
      manager->set_policy_overrides({bands({Band(i, i)})}, CORBA::SetOverrideType::SET_OVERRIDE);
      EXPECT_EQ(one->priority(), 0);
    }
    manager->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  }).get();
  EXPECT_EQ(seen_.size(), 150U);
}

TEST_F(Connections, BandsThatMakeNoSenseAreRefused) {
  for (const RTCORBA::PriorityBands& bad :
       {RTCORBA::PriorityBands{}, {Band(2, 1)}, {Band(-1, 5)}, {Band(0, 5), Band(5, 9)}, {Band(0, 9), Band(3, 4)}}) {
    EXPECT_THROW(bands(bad), CORBA::BAD_PARAM);
  }
  RTCORBA::PriorityBands many;
  for (std::int16_t i = 0; i < 65; ++i) many.emplace_back(i, i);
  EXPECT_THROW(bands(many), CORBA::IMP_LIMIT);
  const auto policy = rt->create_priority_banded_connection_policy({Band(1, 2), Band(3, 3)});
  EXPECT_EQ(policy->priority_bands().size(), 2U);
  EXPECT_EQ(policy->priority_bands()[1].low(), 3);
  EXPECT_EQ(policy->policy_type(), 45U);
  EXPECT_EQ(rt->create_private_connection_policy()->policy_type(), 44U);
  EXPECT_THROW(adapter({rt->create_private_connection_policy()}), PortableServer::POA::InvalidPolicy);  // the client's
}

}  // namespace
}  // namespace corbel::real_time
