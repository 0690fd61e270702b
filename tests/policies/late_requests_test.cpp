// SPDX-License-Identifier: Apache-2.0
// Requests whose time is over while they wait: for a manager, for their turn, for a servant manager. They do not begin
// any more (CORBA 3.3 part 1, 17.2.4).
#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <thread>

#include "support.hpp"

namespace corbel::policies_test {
namespace {

using PortableServer::POA;
using PoaRef = IDL::traits<POA>::ref_type;
using Clock = std::chrono::steady_clock;

PolicyRef request_timeout(TimeBase::TimeT time) {
  return CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(time);
}
TimeBase::UtcT in(std::chrono::milliseconds time) {
  return utc(policy::utc_now() + static_cast<TimeBase::TimeT>(time.count()) * kMillisecond);
}
PolicyRef request_end(std::chrono::milliseconds time) {
  return CORBA::make_reference<Messaging::RequestEndTimePolicy>(in(time));
}
PolicyRef reply_end(std::chrono::milliseconds time) {
  return CORBA::make_reference<Messaging::ReplyEndTimePolicy>(in(time));
}

struct Counting final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string& question) override {
    ++calls;
    if (question == "wait") {
      entered.count_down();
      go.wait();
    }
    return question;
  }
  void note(std::int32_t) override { ++calls; }
  std::atomic<int> calls = 0;
  std::latch entered{1};
  std::latch go{1};
};

/// Makes, or finds, the servant after a while.
struct Slow final : PortableServer::ServantActivator {
  IDL::traits<PortableServer::Servant>::ref_type incarnate(const PortableServer::ObjectId&, PoaRef) override {
    std::this_thread::sleep_for(200ms);
    return servant;
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, IDL::traits<PortableServer::Servant>::ref_type, bool,
                   bool) override {}
  CORBA::servant_reference<Counting> servant;
};
struct SlowLocator final : PortableServer::ServantLocator {
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&,
                                                           Cookie&) override {
    std::this_thread::sleep_for(200ms);
    return servant;
  }
  void postinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&, Cookie,
                  IDL::traits<PortableServer::Servant>::ref_type) override {
    ++after;
  }
  CORBA::servant_reference<Counting> servant;
  int after = 0;
};

/// An ORB that holds requests for a minute, and calls its own objects directly or over a connection.
class Late : public ::testing::Test {
 protected:
  explicit Late(const char* collocation) : orb_({"-ORBHoldTimeout", "60000", "-ORBCollocation", collocation}) {
    root_->the_POAManager()->activate();
  }
  PoaRef threads(PortableServer::ThreadPolicyValue value) {
    return root_->create_POA("threads", root_->the_POAManager(), {root_->create_thread_policy(value)});
  }
  PoaRef held() { return root_->create_POA("held", nullptr, {}); }
  ThingRef thing_of(const PoaRef& poa) {
    poa->activate_object(servant_);
    return IDL::traits<Policies::Thing>::unchecked_narrow(poa->servant_to_reference(servant_));
  }
  template <class Manager>
  ThingRef managed_by(const char* name, CORBA::PolicyList policies, const Manager& manager) {
    using PortableServer::RequestProcessingPolicyValue;
    policies.push_back(root_->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER));
    const PoaRef poa = root_->create_POA(name, root_->the_POAManager(), policies);
    manager->servant = servant_;
    poa->set_servant_manager(manager);
    return IDL::traits<Policies::Thing>::unchecked_narrow(poa->create_reference("IDL:Policies/Thing:1.0"));
  }
  /// How the call ends, long before it would be held no longer.
  static std::string soon(const std::function<void()>& call) {
    const auto begin = Clock::now();
    std::string ending = ending_of(call);
    EXPECT_LT(Clock::now() - begin, 30s);
    return ending;
  }

  Orb orb_;
  PoaRef root_ = IDL::traits<POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  CORBA::servant_reference<Counting> servant_ = CORBA::make_reference<Counting>();
};

class LateHere : public Late {
 protected:
  LateHere() : Late("on") {}
};

TEST_F(LateHere, ACallThatAManagerHoldsEndsInItsTime) {
  const PoaRef poa = held();
  const ThingRef thing = thing_of(poa);
  for (const PolicyRef& limit : {round_trip(50 * kMillisecond), request_timeout(50 * kMillisecond)}) {
    const ThingRef quick = with_policies(thing, {limit});
    for (int i = 0; i < 2; ++i) {  // that the reference's times are known already makes no difference
      const auto begin = Clock::now();
      EXPECT_EQ(soon([&] { quick->ask(""); }), "TIMEOUT NO 2");
      EXPECT_GE(Clock::now() - begin, 50ms);
    }
    EXPECT_EQ(soon([&] { quick->async_ask("").get(); }), "TIMEOUT NO 2");
    EXPECT_EQ(soon([&] { (void)quick->_non_existent(); }), "TIMEOUT NO 2");
    EXPECT_EQ(soon([&] { quick->note(1); }), "done") << "nobody is told of a oneway's end";
  }
  EXPECT_EQ(soon([&] { with_policies(thing, {request_end(50ms)})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(soon([&] { with_policies(thing, {reply_end(50ms)})->ask(""); }).substr(0, 10), "TIMEOUT NO");
  poa->the_POAManager()->activate();
  EXPECT_EQ(with_policies(thing, {round_trip(50'000 * kMillisecond)})->ask("well"), "well");
  EXPECT_EQ(servant_->calls, 1);
}

TEST_F(LateHere, ACallThatIsHeldIsMadeIfThereIsTimeLeft) {
  const PoaRef poa = held();
  const ThingRef thing = with_policies(thing_of(poa), {round_trip(50'000 * kMillisecond)});
  auto call = std::async(std::launch::async, [&] { return thing->ask("well"); });
  std::this_thread::sleep_for(50ms);
  poa->the_POAManager()->activate();
  EXPECT_EQ(call.get(), "well");
}

TEST_F(LateHere, ACallThatTheOrbLimitsEndsInItsTimeToo) {
  const ThingRef thing = thing_of(held());
  orb_.manager()->set_policy_overrides({round_trip(50 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(soon([&] { thing->ask(""); }), "TIMEOUT NO 2");
  orb_.manager()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  orb_.current()->set_policy_overrides({round_trip(50 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(soon([&] { thing->ask(""); }), "TIMEOUT NO 2");
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

TEST_F(LateHere, ACallThatWaitsForItsTurnEndsInItsTime) {
  const ThingRef thing = thing_of(threads(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL));
  auto busy = std::async(std::launch::async, [&] { return thing->ask("wait"); });
  servant_->entered.wait();
  const ThingRef quick = with_policies(thing, {round_trip(50 * kMillisecond)});
  EXPECT_EQ(soon([&] { quick->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(soon([&] { quick->async_ask("").get(); }), "TIMEOUT NO 2");
  EXPECT_EQ(servant_->calls, 1);
  servant_->go.count_down();
  EXPECT_EQ(busy.get(), "wait");
  EXPECT_EQ(with_policies(thing, {round_trip(50'000 * kMillisecond)})->ask("next"), "next");
}

TEST_F(LateHere, ACallThatWaitsForTheMainThreadEndsInItsTime) {
  const ThingRef thing = thing_of(threads(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL));
  const ThingRef quick = with_policies(thing, {round_trip(50 * kMillisecond)});
  auto call = std::async(std::launch::async, [&] { return soon([&] { quick->ask(""); }); });
  EXPECT_EQ(call.get(), "TIMEOUT NO 2");
  EXPECT_EQ(servant_->calls, 0);
}

TEST_F(LateHere, ACallForWhichTheServantIsFoundTooLateIsNotMade) {
  const auto activator = CORBA::make_reference<Slow>();
  const auto locator = CORBA::make_reference<SlowLocator>();
  const ThingRef activated = managed_by("activated", {}, activator);
  const ThingRef located = managed_by(
      "located", {root_->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN)},
      locator);
  EXPECT_EQ(soon([&] { with_policies(activated, {round_trip(50 * kMillisecond)})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(soon([&] { with_policies(located, {round_trip(50 * kMillisecond)})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(locator->after, 1) << "what was found is given back";
  EXPECT_EQ(servant_->calls, 0);
  EXPECT_EQ(activated->ask("well"), "well");
}

class LateThere : public Late {
 protected:
  LateThere() : Late("off") {}
};

TEST_F(LateThere, ARequestThatAManagerHoldsEndsAtItsEndTime) {
  const PoaRef poa = held();
  const ThingRef thing = thing_of(poa);
  EXPECT_EQ(soon([&] { with_policies(thing, {request_end(200ms)})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(soon([&] { with_policies(thing, {reply_end(200ms)})->ask(""); }).substr(0, 7), "TIMEOUT");
  (void)soon([&] { with_policies(thing, {request_end(200ms)})->note(1); });
  std::this_thread::sleep_for(300ms);
  poa->the_POAManager()->activate();
  EXPECT_EQ(with_policies(thing, {request_end(50'000ms)})->ask("well"), "well");
  EXPECT_EQ(servant_->calls, 1);
}

TEST_F(LateThere, ARequestThatWaitsForItsTurnEndsAtItsEndTime) {
  const ThingRef thing = thing_of(threads(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL));
  auto busy = std::async(std::launch::async, [&] { return thing->ask("wait"); });
  servant_->entered.wait();
  EXPECT_EQ(soon([&] { with_policies(thing, {request_end(200ms)})->ask(""); }), "TIMEOUT NO 2");
  servant_->go.count_down();
  EXPECT_EQ(busy.get(), "wait");
  EXPECT_EQ(servant_->calls, 1);
}

TEST_F(LateThere, ARequestForWhichTheServantIsFoundTooLateIsNotServed) {
  const ThingRef thing = managed_by("activated", {}, CORBA::make_reference<Slow>());
  EXPECT_EQ(soon([&] { with_policies(thing, {request_end(100ms)})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(servant_->calls, 0);
}

}  // namespace
}  // namespace corbel::policies_test
