// SPDX-License-Identifier: Apache-2.0
// Policy objects, and the levels at which they are set (CORBA 3.3 part 1, 8.9 and 8.10).
#include <algorithm>
#include <thread>

#include "corbel/dynamic/buffering_types.hpp"
#include "corbel/dynamic/portable_server_types.hpp"
#include "support.hpp"

namespace corbel::policies_test {
namespace {

using Types = std::vector<CORBA::PolicyType>;

/// A policy of the application's as the OMG's mapping has it, which the ORB only keeps.
class Colour final : public virtual IDL::traits<CORBA::Policy>::base_type {
 public:
  static constexpr CORBA::PolicyType kType = 4711;
  explicit Colour(std::string called) : name(std::move(called)) {}
  CORBA::PolicyType policy_type() override { return kType; }
  PolicyRef copy() override { return CORBA::make_reference<Colour>(name); }
  void destroy() override { ++destroyed; }
  const std::string name;
  int destroyed = 0;
};

Types types_of(const CORBA::PolicyList& policies) {
  Types types;
  for (const auto& policy : policies) types.push_back(policy->policy_type());
  std::sort(types.begin(), types.end());
  return types;
}

template <class P>
typename IDL::traits<P>::ref_type as(const PolicyRef& policy) {
  return IDL::traits<P>::narrow(policy);
}

TimeBase::TimeT round_trip_of(const PolicyRef& policy) {
  return as<Messaging::RelativeRoundtripTimeoutPolicy>(policy)->relative_expiry();
}

/// Why create_policy refuses; -1 if it does not.
template <class T>
int refusal(const Orb& orb, CORBA::PolicyType type, const T& value) {
  CORBA::Any any;
  any <<= value;
  try {
    orb->create_policy(type, any);
  } catch (const CORBA::PolicyError& error) {
    return error.reason();
  }
  return -1;
}

TEST(CreatePolicy, MakesThoseOfMessagingFromAnys) {
  const Orb orb;
  CORBA::Any any;
  any <<= TimeBase::TimeT{250 * kMillisecond};
  EXPECT_EQ(round_trip_of(orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, any)), 250 * kMillisecond);
  const auto request = orb->create_policy(Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE, any);
  EXPECT_EQ(as<Messaging::RelativeRequestTimeoutPolicy>(request)->relative_expiry(), 250 * kMillisecond);
  const auto connect = orb->create_policy(CONNECTION_TIMEOUT_POLICY_TYPE, any);
  EXPECT_EQ(as<ConnectionTimeoutPolicy>(connect)->relative_expiry(), 250 * kMillisecond);
  any <<= Messaging::SYNC_WITH_TARGET;
  const auto scope = orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, any);
  EXPECT_EQ(as<Messaging::SyncScopePolicy>(scope)->synchronization(), Messaging::SYNC_WITH_TARGET);
  any <<= Messaging::NO_REBIND;
  const auto rebind = orb->create_policy(Messaging::REBIND_POLICY_TYPE, any);
  EXPECT_EQ(as<Messaging::RebindPolicy>(rebind)->rebind_mode(), Messaging::NO_REBIND);
  any <<= TimeBase::UtcT(7, 6, 5, 4);
  const auto end = orb->create_policy(Messaging::REPLY_END_TIME_POLICY_TYPE, any);
  EXPECT_EQ(as<Messaging::ReplyEndTimePolicy>(end)->end_time(), TimeBase::UtcT(7, 6, 5, 4));
  const auto leave = orb->create_policy(Messaging::REQUEST_END_TIME_POLICY_TYPE, any);
  EXPECT_EQ(as<Messaging::RequestEndTimePolicy>(leave)->end_time(), TimeBase::UtcT(7, 6, 5, 4));
}

TEST(MakeReference, MakesNoPolicyOfAModeThatThereIsNot) {
  EXPECT_THROW(Messaging::SyncScopePolicy(4), CORBA::BAD_PARAM);
  EXPECT_THROW(Messaging::RebindPolicy(-1), CORBA::BAD_PARAM);
  EXPECT_THROW(BiDirPolicy::BidirectionalPolicy(2), CORBA::BAD_PARAM);
  EXPECT_NO_THROW((void)BiDirPolicy::BidirectionalPolicy(BiDirPolicy::BOTH));
}

TEST(CreatePolicy, MakesConstraintsOfBuffering) {
  const Orb orb;
  const BufferingConstraint constraint(BUFFER_TIMEOUT | BUFFER_MESSAGE_BYTES, 7 * kMillisecond, 6, 5);
  CORBA::Any any;
  any <<= constraint;
  const auto policy = orb->create_policy(BUFFERING_CONSTRAINT_POLICY_TYPE, any);
  EXPECT_EQ(as<BufferingConstraintPolicy>(policy)->buffering_constraint(), constraint);
  EXPECT_EQ(as<BufferingConstraintPolicy>(policy->copy())->buffering_constraint(), constraint);
  EXPECT_TRUE(policy->_is_a("IDL:corbel.org/BufferingConstraintPolicy:1.0"));
  EXPECT_EQ(refusal(orb, BUFFERING_CONSTRAINT_POLICY_TYPE, BufferingConstraint(8, 0, 0, 0)), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refusal(orb, BUFFERING_CONSTRAINT_POLICY_TYPE, std::uint32_t{1}), CORBA::BAD_POLICY_TYPE);
  EXPECT_THROW(BufferingConstraintPolicy(BufferingConstraint(16, 0, 0, 0)), CORBA::BAD_PARAM);
  // What calls make of it: limits of 0 keep nothing back.
  const auto limits = [](BufferingConstraintMode mode, TimeBase::TimeT time, std::uint32_t count,
                         std::uint32_t octets) {
    policy::ClientOverrides overrides;
    BufferingConstraintPolicy(BufferingConstraint(mode, time, count, octets))._override(overrides);
    return *overrides.buffering;
  };
  EXPECT_FALSE(limits(BUFFER_FLUSH, 1, 2, 3).keeps());
  EXPECT_TRUE(limits(BUFFER_TIMEOUT, ~TimeBase::TimeT{0}, 2, 3).keeps()) << "more than a century";
  EXPECT_FALSE(limits(BUFFER_TIMEOUT, 0, 2, 3).keeps());
  EXPECT_FALSE(limits(BUFFER_MESSAGE_COUNT, 1, 1, 3).keeps());
  EXPECT_FALSE(limits(BUFFER_MESSAGE_COUNT, 1, 0, 3).keeps());
  EXPECT_FALSE(limits(BUFFER_MESSAGE_BYTES | BUFFER_MESSAGE_COUNT, 1, 9, 0).keeps());
  EXPECT_EQ(limits(BUFFER_TIMEOUT, 10, 2, 3),
            (policy::Buffering{std::chrono::microseconds(1), policy::Buffering::kAnyNumber}));
  EXPECT_EQ(limits(BUFFER_MESSAGE_COUNT | BUFFER_MESSAGE_BYTES, 10, 2, 3),
            (policy::Buffering{base::Duration::max(), 2, 3}));
}

TEST(CreatePolicy, MakesThoseOfObjectAdapters) {
  const Orb orb;
  CORBA::Any any;
  any <<= PortableServer::LifespanPolicyValue::PERSISTENT;
  const auto policy = orb->create_policy(PortableServer::LIFESPAN_POLICY_ID, any);
  EXPECT_EQ(as<PortableServer::LifespanPolicy>(policy)->value(), PortableServer::LifespanPolicyValue::PERSISTENT);
}

// 8.9.2.1: the five reasons.
TEST(CreatePolicy, SaysWhyItRefuses) {
  const Orb orb;
  EXPECT_EQ(refusal(orb, 999'999, std::int16_t{1}), CORBA::BAD_POLICY);
  EXPECT_EQ(refusal(orb, Messaging::MAX_HOPS_POLICY_TYPE, std::uint16_t{1}), CORBA::UNSUPPORTED_POLICY);
  EXPECT_EQ(refusal(orb, Messaging::REPLY_START_TIME_POLICY_TYPE, TimeBase::UtcT()), CORBA::UNSUPPORTED_POLICY);
  EXPECT_EQ(refusal(orb, Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, std::string("soon")), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refusal(orb, Messaging::SYNC_SCOPE_POLICY_TYPE, std::int32_t{1}), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refusal(orb, PortableServer::THREAD_POLICY_ID, std::int16_t{1}), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refusal(orb, Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SyncScope{4}), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refusal(orb, Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SyncScope{-1}), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refusal(orb, Messaging::REBIND_POLICY_TYPE, Messaging::RebindMode{3}), CORBA::BAD_POLICY_VALUE);
}

TEST(Policies, AreCopiedWithTheirValuesAndKnowTheirTypes) {
  const PolicyRef policy = scope(Messaging::SYNC_WITH_SERVER);
  EXPECT_EQ(policy->policy_type(), Messaging::SYNC_SCOPE_POLICY_TYPE);
  const auto copy = as<Messaging::SyncScopePolicy>(policy->copy());
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->synchronization(), Messaging::SYNC_WITH_SERVER);
  EXPECT_TRUE(policy->_is_a("IDL:omg.org/Messaging/SyncScopePolicy:1.0"));
  EXPECT_FALSE(policy->_is_a("IDL:omg.org/Messaging/RebindPolicy:1.0"));
  EXPECT_EQ(as<Messaging::RebindPolicy>(policy), nullptr);
}

/// Both managers obey the same rules (8.10.3).
class Managers : public ::testing::TestWithParam<const char*> {
 protected:
  Orb orb_;
  ManagerRef manager_ = IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Both, Managers, ::testing::Values("ORBPolicyManager", "PolicyCurrent"));

TEST_P(Managers, SetReplacesAllAndAddReplacesTheSameType) {
  EXPECT_TRUE(manager_->get_policy_overrides({}).empty());
  manager_->set_policy_overrides({round_trip(1), CORBA::make_reference<Colour>("red")}, SetOverrideType::SET_OVERRIDE);
  manager_->set_policy_overrides({round_trip(2), scope(3)}, SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(types_of(manager_->get_policy_overrides({})), (Types{24, 32, Colour::kType}));
  EXPECT_EQ(round_trip_of(manager_->get_policy_overrides({32}).at(0)), 2U);
  manager_->set_policy_overrides({scope(0)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(types_of(manager_->get_policy_overrides({})), (Types{24}));
  manager_->set_policy_overrides({}, SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(types_of(manager_->get_policy_overrides({})), (Types{24}));
  manager_->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(manager_->get_policy_overrides({}).empty());
}

TEST_P(Managers, GetLeavesOutWhatIsNotThere) {
  manager_->set_policy_overrides({round_trip(1), scope(3)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(types_of(manager_->get_policy_overrides({23, 24})), (Types{24}));
  EXPECT_TRUE(manager_->get_policy_overrides({23}).empty());
}

TEST_P(Managers, RefuseWithoutChangingAnything) {
  manager_->set_policy_overrides({round_trip(7)}, SetOverrideType::SET_OVERRIDE);
  const auto refused = [&](const CORBA::PolicyList& list, SetOverrideType how = SetOverrideType::SET_OVERRIDE) {
    const std::string ending = ending_of([&] { manager_->set_policy_overrides(list, how); });
    EXPECT_EQ(round_trip_of(manager_->get_policy_overrides({}).at(0)), 7U) << ending;
    return ending;
  };
  EXPECT_EQ(refused({round_trip(1), scope(0), round_trip(2)}), "BAD_PARAM NO 30");
  EXPECT_EQ(refused({round_trip(1), CORBA::make_reference<PortableServer::LifespanPolicy>(
                                        PortableServer::LifespanPolicyValue::PERSISTENT)}),
            "NO_PERMISSION NO");
  EXPECT_EQ(refused({round_trip(1)}, static_cast<SetOverrideType>(2)), "BAD_PARAM NO");
  try {
    manager_->set_policy_overrides({nullptr, round_trip(1), nullptr}, SetOverrideType::ADD_OVERRIDE);
    ADD_FAILURE();
  } catch (const CORBA::InvalidPolicies& invalid) {
    EXPECT_EQ(invalid.indicies(), (std::vector<std::uint16_t>{0, 2}));
  }
  EXPECT_EQ(types_of(manager_->get_policy_overrides({})), (Types{32}));
}

// 8.10.4
TEST(PolicyCurrent, IsTheThreadsOwnAndTheOrbsOwn) {
  const Orb orb;
  const Orb other;
  ASSERT_NE(IDL::traits<CORBA::PolicyCurrent>::narrow(orb->resolve_initial_references("PolicyCurrent")), nullptr);
  orb.current()->set_policy_overrides({round_trip(1)}, SetOverrideType::SET_OVERRIDE);
  std::size_t seen = 99;
  std::thread([&] { seen = orb.current()->get_policy_overrides({}).size(); }).join();
  EXPECT_EQ(seen, 0U);
  EXPECT_TRUE(other.current()->get_policy_overrides({}).empty());
  EXPECT_TRUE(orb.manager()->get_policy_overrides({}).empty());
  EXPECT_EQ(orb.current()->get_policy_overrides({}).size(), 1U);
}

/// An object in another ORB, or in the same.
class References : public ::testing::TestWithParam<bool> {
 protected:
  References() {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    class Servant : public virtual CORBA::servant_traits<Policies::Thing>::base_type {
      std::string ask(const std::string& question) override { return question; }
      void note(std::int32_t) override {}
    };
    const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Servant>());
    thing_ = caller().thing(orb_->object_to_string(object));
  }
  Orb& caller() { return GetParam() ? orb_ : client_; }

  Orb orb_;
  Orb client_;
  ThingRef thing_;
};
INSTANTIATE_TEST_SUITE_P(LocalAndRemote, References, ::testing::Bool());

// 8.3.9
TEST_P(References, OverridesGoToANewReferenceAndTheOldOneStaysAsItIs) {
  const ObjectRef changed =
      thing_->_set_policy_overrides({round_trip(9 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(thing_->_get_policy_overrides({}).empty());
  EXPECT_EQ(types_of(changed->_get_policy_overrides({})), (Types{32}));
  EXPECT_TRUE(changed->_is_equivalent(thing_));
  EXPECT_EQ(changed->_hash(1000), thing_->_hash(1000));
  const auto more = changed->_set_policy_overrides({scope(2)}, SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(types_of(more->_get_policy_overrides({})), (Types{24, 32}));
  EXPECT_EQ(types_of(more->_get_policy_overrides({24, 23})), (Types{24}));
  EXPECT_EQ(types_of(more->_set_policy_overrides({}, SetOverrideType::SET_OVERRIDE)->_get_policy_overrides({})),
            Types{});
}

TEST_P(References, NarrowingKeepsTheOverrides) {
  const ObjectRef changed = thing_->_set_policy_overrides({round_trip(0)}, SetOverrideType::SET_OVERRIDE);
  const ThingRef thing = IDL::traits<Policies::Thing>::narrow(changed);
  EXPECT_EQ(types_of(thing->_get_policy_overrides({})), (Types{32}));
  EXPECT_EQ(thing->ask("well"), "well");
}

TEST_P(References, ATimeOutIsOneLine) {
  const ThingRef quick = with_timeout(thing_, 1500ms);
  EXPECT_EQ(quick->ask("well"), "well");
  EXPECT_EQ(round_trip_of(quick->_get_policy(32)), 1500 * kMillisecond);
  EXPECT_EQ(round_trip_of(with_timeout(thing_, 0ms)->_get_policy(32)), 0U) << "unbounded";
  // What is left of a time that is over bounds the call, too.
  EXPECT_EQ(round_trip_of(with_timeout(thing_, -1ms)->_get_policy(32)), 1U);
}

// 8.3.7 and 8.3.8, 8.10: the strongest level first.
TEST_P(References, TheEffectivePolicyIsTheReferencesThenTheThreadsThenTheOrbs) {
  const auto effective = [&](const ObjectRef& object) { return round_trip_of(object->_get_client_policy(32)); };
  EXPECT_EQ(effective(thing_), 60'000 * kMillisecond);  // -ORBCallTimeout
  caller().manager()->set_policy_overrides({round_trip(3)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(effective(thing_), 3U);
  caller().current()->set_policy_overrides({round_trip(2)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(effective(thing_), 2U);
  const auto changed = with_policies(thing_, {round_trip(1)});
  EXPECT_EQ(effective(changed), 1U);
  EXPECT_EQ(round_trip_of(changed->_get_policy(32)), 1U);
  std::thread([&] { EXPECT_EQ(effective(thing_), 3U); }).join();
  caller().current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(effective(thing_), 3U);
  caller().manager()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(effective(thing_), 60'000 * kMillisecond);
}

TEST_P(References, WhatIsNotSetIsTheDefaultOrNilOrInvPolicy) {
  EXPECT_EQ(as<Messaging::SyncScopePolicy>(thing_->_get_policy(24))->synchronization(), Messaging::SYNC_WITH_TRANSPORT);
  EXPECT_EQ(as<Messaging::RebindPolicy>(thing_->_get_policy(23))->rebind_mode(), Messaging::TRANSPARENT);
  EXPECT_EQ(as<ConnectionTimeoutPolicy>(thing_->_get_policy(CONNECTION_TIMEOUT_POLICY_TYPE))->relative_expiry(),
            10'000 * kMillisecond);
  EXPECT_EQ(thing_->_get_client_policy(Colour::kType), nullptr);
  EXPECT_EQ(thing_->_get_client_policy(30), nullptr);
  EXPECT_EQ(ending_of([&] { thing_->_get_policy(Colour::kType); }), "INV_POLICY NO 2");
  const auto red = with_policies(thing_, {CORBA::make_reference<Colour>("red")});
  const auto kept = red->_get_policy(Colour::kType);
  EXPECT_EQ(dynamic_cast<const Colour&>(*kept).name, "red");
  kept->destroy();
  EXPECT_EQ(dynamic_cast<const Colour&>(*kept).destroyed, 1);
}

TEST_P(References, ValidatingConnectsAndFindsNothingToObjectTo) {
  CORBA::PolicyList inconsistent = {round_trip(1)};
  EXPECT_TRUE(thing_->_validate_connection(inconsistent));
  EXPECT_TRUE(inconsistent.empty());
}

TEST_P(References, AndThreadsDoNotTakeBidirectionalPolicyWhichIsTheOrbs) {
  const auto both = CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH);
  const CORBA::PolicyList list = {round_trip(1), both};
  const auto manager = [&](const char* name) {
    return IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references(name));
  };
  EXPECT_EQ(ending_of([&] { thing_->_set_policy_overrides(list, SetOverrideType::ADD_OVERRIDE); }), "NO_PERMISSION NO");
  const auto current = manager("PolicyCurrent");
  EXPECT_EQ(ending_of([&] { current->set_policy_overrides(list, SetOverrideType::ADD_OVERRIDE); }), "NO_PERMISSION NO");
  EXPECT_TRUE(current->get_policy_overrides({}).empty()) << "nothing has changed";
  manager("ORBPolicyManager")->set_policy_overrides({both}, SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(manager("ORBPolicyManager")->get_policy_overrides({BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE}).size(), 1U);
}

// 8.3.9 for local objects: NO_IMPLEMENT.
TEST(LocalObjects, HaveNoPolicies) {
  const ObjectRef local = scope(0);
  CORBA::PolicyList list;
  EXPECT_EQ(ending_of([&] { local->_set_policy_overrides({}, SetOverrideType::SET_OVERRIDE); }), "NO_IMPLEMENT NO 8");
  EXPECT_EQ(ending_of([&] { local->_get_policy_overrides({}); }), "NO_IMPLEMENT NO 8");
  EXPECT_EQ(ending_of([&] { local->_get_policy(32); }), "NO_IMPLEMENT NO 8");
  EXPECT_EQ(ending_of([&] { local->_get_client_policy(32); }), "NO_IMPLEMENT NO 8");
  EXPECT_EQ(ending_of([&] { local->_validate_connection(list); }), "NO_IMPLEMENT NO 8");
}

TEST(DestroyedOrb, MakesNoPolicyAndTakesNone) {
  std::vector<std::string> options;
  const OrbRef orb = CORBA::ORB_init(options, "destroyed");
  const auto find = [&](const char* name) {
    return IDL::traits<CORBA::PolicyManager>::narrow(orb->resolve_initial_references(name));
  };
  const auto manager = find("ORBPolicyManager");
  const auto current = find("PolicyCurrent");
  orb->destroy();
  CORBA::Any any;
  any <<= Messaging::SYNC_WITH_TARGET;
  EXPECT_THROW(orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, any), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(manager->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(current->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE), CORBA::OBJECT_NOT_EXIST);
}

}  // namespace
}  // namespace corbel::policies_test
