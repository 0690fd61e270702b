// SPDX-License-Identifier: Apache-2.0
// Priorities on their way from clients to servants.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <optional>

#include "RTCORBA.hpp"
#include "corbel/ior/profile.hpp"
#include "real_time_test_server.hpp"
#include "wire.hpp"

#include "corbel_real_time.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::PriorityModel;
using ServantRef = IDL::traits<Timed::Servant>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

class Servant final : public virtual CORBA::servant_traits<Timed::Servant>::base_type {
 public:
  explicit Servant(IDL::traits<RTCORBA::Current>::ref_type current) : current_(std::move(current)) {}
  std::int16_t priority() override {
    try {
      return current_->the_priority();
    } catch (const CORBA::INITIALIZE&) {
      return -1;
    }
  }
  std::int16_t pass(ServantRef next, std::int16_t set) override {
    if (set >= 0) current_->the_priority(set);
    return next->priority();
  }
  void refuse() override { throw Timed::Refused(); }

 private:
  const IDL::traits<RTCORBA::Current>::ref_type current_;
};

/// Not on the thread of the test, which is to have no priority.
template <class Do>
auto on_a_thread(Do action) {
  return std::async(std::launch::async, std::move(action)).get();
}

class Prioritised : public ::testing::TestWithParam<const char*> {
 protected:
  Prioritised() : Prioritised(Settings{}) {}
  explicit Prioritised(Settings settings) : real_time_(std::move(settings)) {
    std::vector<std::string> words{"test", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBCollocation", GetParam()};
    orb_ = CORBA::ORB_init(words, "real time " + std::to_string(++number_));
    root_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    rt_ = IDL::traits<RTCORBA::RTORB>::narrow(orb_->resolve_initial_references("RTORB"));
    current_ = IDL::traits<RTCORBA::Current>::narrow(orb_->resolve_initial_references("RTCurrent"));
    root_->the_POAManager()->activate();
  }
  ~Prioritised() override {
    root_ = nullptr;
    orb_->destroy();
  }

  PoaRef adapter(CORBA::PolicyList policies) {
    policies.push_back(
        root_->create_implicit_activation_policy(PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION));
    return root_->create_POA("poa " + std::to_string(++number_), root_->the_POAManager(), policies);
  }
  ServantRef object(const PoaRef& poa) {
    const auto id = poa->activate_object(CORBA::make_reference<Servant>(current_));
    return IDL::traits<Timed::Servant>::narrow(poa->id_to_reference(id));
  }
  ServantRef object(PriorityModel model, std::int16_t priority) {
    return object(adapter({rt_->create_priority_model_policy(model, priority)}));
  }
  /// What a call tells of the priority it runs with, on a thread that has one, or none.
  std::int16_t seen_by(const ServantRef& object, std::optional<std::int16_t> caller = std::nullopt) {
    return on_a_thread([&] {
      if (caller) current_->the_priority(*caller);
      return object->priority();
    });
  }

  RealTime real_time_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  PoaRef root_;
  IDL::traits<RTCORBA::RTORB>::ref_type rt_;
  IDL::traits<RTCORBA::Current>::ref_type current_;
  inline static int number_ = 0;
};

TEST_P(Prioritised, CurrentIsOfTheThreadAndEmptyAtFirst) {
  on_a_thread([&] {
    EXPECT_THROW(current_->the_priority(), CORBA::INITIALIZE);
    current_->the_priority(7);
    EXPECT_EQ(current_->the_priority(), 7);
    EXPECT_THROW(current_->the_priority(-1), CORBA::BAD_PARAM);
    EXPECT_EQ(current_->the_priority(), 7);
    return 0;
  });
  on_a_thread([&] {
    EXPECT_THROW(current_->the_priority(), CORBA::INITIALIZE);
    return 0;
  });
}

TEST_P(Prioritised, ServantsRunWithThePriorityOfTheirClients) {
  const auto propagated = object(PriorityModel::CLIENT_PROPAGATED, 3);
  EXPECT_EQ(seen_by(propagated, 42), 42);
  EXPECT_EQ(seen_by(propagated, 32767), 32767);
  EXPECT_EQ(seen_by(propagated), 0);  // that of a thread which has none
}

TEST_P(Prioritised, ServantsRunWithThePriorityThatTheServerDeclares) {
  const auto declared = object(PriorityModel::SERVER_DECLARED, 100);
  EXPECT_EQ(seen_by(declared, 42), 100);
  EXPECT_EQ(seen_by(declared), 100);
}

TEST_P(Prioritised, ServantsOfAdaptersWithoutAModelHaveNone) {
  const auto plain = object(root_);
  EXPECT_EQ(seen_by(plain), -1);
  // A thread of the server's knows nothing of the request before.
  EXPECT_EQ(seen_by(object(PriorityModel::SERVER_DECLARED, 100)), 100);
  EXPECT_EQ(seen_by(plain), -1);
}

TEST_P(Prioritised, ThePriorityEndsWithTheRequestHoweverThatEnds) {
  const auto declared = object(PriorityModel::SERVER_DECLARED, 100);
  on_a_thread([&] {
    current_->the_priority(5);
    EXPECT_THROW(declared->refuse(), Timed::Refused);
    EXPECT_EQ(declared->pass(declared, 77), 100);
    EXPECT_EQ(current_->the_priority(), 5);
    return 0;
  });
  EXPECT_EQ(seen_by(object(root_)), -1);
}

TEST_P(Prioritised, CallsOfServantsTakeThePriorityAlong) {
  const auto declared = object(PriorityModel::SERVER_DECLARED, 100);
  const auto propagated = object(PriorityModel::CLIENT_PROPAGATED, 3);
  on_a_thread([&] {
    EXPECT_EQ(declared->pass(propagated, -1), 100);
    EXPECT_EQ(declared->pass(propagated, 77), 77);
    current_->the_priority(9);
    EXPECT_EQ(propagated->pass(propagated, -1), 9);
    return 0;
  });
}

TEST_P(Prioritised, ReferencesSayOfWhichModelTheyAre) {
  const auto says = [&](const ServantRef& object) {
    std::vector<std::optional<Model>> models;
    for (const auto& profile : object->_target()->ior().profiles) {
      const auto iiop = ior::decode_iiop_profile(profile, {});
      const auto components = iiop ? iiop->components : std::vector<ior::TaggedComponent>();
      const auto found =
          std::find_if(components.begin(), components.end(), [](const auto& one) { return one.tag == kTagPolicies; });
      models.push_back(found == components.end()
                           ? std::nullopt
                           : decode_policies(Octets(found->data.begin(), found->data.end())).model);
    }
    return models;
  };
  using Models = std::vector<std::optional<Model>>;
  EXPECT_EQ(says(object(PriorityModel::SERVER_DECLARED, 100)), (Models{Model{true, 100}}));
  EXPECT_EQ(says(object(PriorityModel::CLIENT_PROPAGATED, 3)), (Models{Model{false, 3}}));
  EXPECT_EQ(says(object(root_)), (Models{std::nullopt}));
}

TEST_P(Prioritised, PrioritiesAndModelsThatThereAreNoneOfAreRefused) {
  EXPECT_THROW(rt_->create_priority_model_policy(PriorityModel::SERVER_DECLARED, -1), CORBA::BAD_PARAM);
  EXPECT_THROW(rt_->create_priority_model_policy(static_cast<PriorityModel>(2), 1), CORBA::BAD_PARAM);
  const auto policy = rt_->create_priority_model_policy(PriorityModel::SERVER_DECLARED, 1);
  EXPECT_EQ(policy->policy_type(), 40U);
  EXPECT_EQ(policy->server_priority(), 1);
  EXPECT_EQ(policy->priority_model(), PriorityModel::SERVER_DECLARED);
  // It is the server's: clients cannot have it.
  const auto object = this->object(root_);
  EXPECT_THROW(object->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE), CORBA::NO_PERMISSION);
  try {
    adapter({policy, rt_->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 1)});
    FAIL();
  } catch (const PortableServer::POA::InvalidPolicy& exception) {
    EXPECT_EQ(exception.index(), 1);
  }
}

TEST_P(Prioritised, MutexesAreMadeAndDestroyed) {
  const auto mutex = rt_->create_mutex();
  mutex->lock();
  mutex->unlock();
  rt_->destroy_mutex(mutex);
  EXPECT_THROW(mutex->lock(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(rt_->destroy_mutex(nullptr), CORBA::BAD_PARAM);
  bool created = false;
  const auto door = rt_->create_named_mutex("door", created);
  EXPECT_TRUE(created);
  EXPECT_EQ(rt_->open_named_mutex("door")._shared(), door._shared());
  rt_->destroy_mutex(door);
  EXPECT_THROW(rt_->open_named_mutex("door"), RTCORBA::RTORB::MutexNotFound);
}

INSTANTIATE_TEST_SUITE_P(Collocation, Prioritised, ::testing::Values("off", "on"),
                         [](const auto& one) { return std::string(one.param); });

TEST(RealTime, OrbsAreRefusedWhileThereAreTwo) {
  const RealTime one;
  std::vector<std::string> words{"test"};
  {
    const RealTime another;
    try {
      CORBA::ORB_init(words, "real time twice");
      FAIL();
    } catch (const CORBA::INITIALIZE& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("two corbel::real_time::RealTime"), std::string::npos);
    }
  }
  CORBA::ORB_init(words, "real time once")->destroy();
}

/// Knows 0 to 9.
class Few final : public RTCORBA::PriorityMapping {
 public:
  bool to_native(std::int16_t corba_priority, std::int16_t& native_priority) override {
    native_priority = corba_priority;
    return corba_priority >= 0 && corba_priority < 10;
  }
  bool to_CORBA(std::int16_t, std::int16_t&) override { return false; }
};

class Mapped : public Prioritised {
 protected:
  Mapped() : Prioritised(Settings{.mapping = std::make_shared<Few>()}) {}
};

TEST_P(Mapped, PrioritiesThatCannotBeMappedAreNoData) {
  on_a_thread([&] {
    current_->the_priority(9);
    EXPECT_THROW(current_->the_priority(10), CORBA::DATA_CONVERSION);
    EXPECT_EQ(current_->the_priority(), 9);
    return 0;
  });
  EXPECT_THROW(rt_->create_priority_model_policy(PriorityModel::SERVER_DECLARED, 10), CORBA::DATA_CONVERSION);
}

INSTANTIATE_TEST_SUITE_P(Collocation, Mapped, ::testing::Values("off"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace corbel::real_time
