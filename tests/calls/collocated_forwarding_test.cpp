// SPDX-License-Identifier: Apache-2.0
// What an adapter of this process forwards obeys the rules of forwards from outside: the list of places, the way home,
// the limit and the time of one call.
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "calls_server.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "support.hpp"
#include "support/eventually.hpp"

namespace corbel::calls_test {
namespace {

using namespace std::chrono_literals;
using test::FakePeer;
using test::RefusingPort;
namespace answer = test::answer;
using PortableServer::POA;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using ServantRef = IDL::traits<PortableServer::Servant>::ref_type;

class Answering final : public CORBA::servant_traits<Calls::Thing>::base_type {
 public:
  std::string ask(const std::string& question) override {
    ++calls;
    if (on_ask) on_ask(question);
    return "here";
  }
  void act() override { ++calls; }
  void wide(const std::wstring&) override {}
  void note(std::int32_t) override { ++calls; }

  std::function<void(const std::string&)> on_ask;
  std::atomic<int> calls{0};
};

/// Forwards to `to`, or does what `act` says, which may serve.
class Forwarder final : public PortableServer::ServantLocator {
 public:
  ServantRef preinvoke(const PortableServer::ObjectId&, IDL::traits<POA>::ref_type, const std::string&,
                       Cookie&) override {
    ++asked;
    if (act) return act();
    throw PortableServer::ForwardRequest(to);
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<POA>::ref_type, const std::string&, Cookie,
                  ServantRef) override {}

  ObjectRef to;
  std::function<ServantRef()> act;
  std::atomic<int> asked{0};
};
using ForwarderRef = CORBA::object_reference<Forwarder>;

/// Adapters of this process that forward.
class ForwardedHere : public ::testing::Test {
 protected:
  void begin(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    here_ = std::make_unique<Client>(options);
    root_ = IDL::traits<POA>::narrow(here_->orb()->resolve_initial_references("RootPOA"));
    root_->the_POAManager()->activate();
  }
  ~ForwardedHere() override {
    for (const auto& each : forwarders_) each->to = nullptr;
    root_ = nullptr;
  }
  /// A reference to an object of a new adapter with that locator, and to other places.
  ObjectRef object_of(const ForwarderRef& forwarder, const std::vector<test::ProfileData>& others = {}) {
    using namespace PortableServer;
    const CORBA::PolicyList policies = {
        root_->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
        root_->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
        root_->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)};
    forwarders_.push_back(forwarder);
    const auto poa = root_->create_POA("forwards " + std::to_string(forwarders_.size()), nullptr, policies);
    poa->set_servant_manager(forwarder);
    poa->the_POAManager()->activate();
    managers_.push_back(poa->the_POAManager());
    return with(poa->create_reference_with_id({1}, "IDL:Calls/Thing:1.0"), others);
  }
  ObjectRef with(const ObjectRef& own, const std::vector<test::ProfileData>& others) const {
    if (others.empty()) return own;
    ior::Ior ior = own->_target()->ior();
    const auto more = elsewhere(others)->_target()->ior().profiles;
    ior.profiles.insert(ior.profiles.end(), more.begin(), more.end());
    return static_cast<corba::OrbContext&>(own->_target()->context()).make_object(ior);
  }
  ObjectRef elsewhere(const std::vector<test::ProfileData>& places) const {
    return here_->orb()->string_to_object(test::ior_string(places));
  }
  ObjectRef activated(const CORBA::servant_reference<Answering>& servant) const {
    return root_->id_to_reference(root_->activate_object(servant));
  }
  static ThingRef thing(const ObjectRef& object) { return IDL::traits<Calls::Thing>::unchecked_narrow(object); }

  const ForwarderRef forwarder_ = CORBA::make_reference<Forwarder>();
  const CORBA::servant_reference<Answering> servant_ = CORBA::make_reference<Answering>();
  std::unique_ptr<Client> here_;
  IDL::traits<POA>::ref_type root_;
  std::list<ForwarderRef> forwarders_;
  std::vector<IDL::traits<PortableServer::POAManager>::ref_type> managers_;
};

test::Answer not_there() {
  return answer::system_exception("OBJECT_NOT_EXIST", 1, 0x4f4d0001);
}

TEST_F(ForwardedHere, AfterAFailedForwardTheNextPlaceOfTheReferenceIsTried) {
  begin();
  const RefusingPort closed;
  FakePeer second({answer::text("second")});
  forwarder_->to = elsewhere({closed.profile()});
  const auto reference = thing(object_of(forwarder_, {second.profile()}));
  EXPECT_EQ(reference->ask(""), "second");
  EXPECT_EQ(reference->async_ask("").get(), "second");
  reference->note(1);
  EXPECT_TRUE(second.wait_for_messages(3));
  EXPECT_EQ(forwarder_->asked, 3) << "each call begins here";
}

TEST_F(ForwardedHere, PlacesAreTriedInTheOrderOfTheList) {
  begin();
  test::Journal journal;
  std::list<FakePeer> peers;
  const auto add = [&](const std::string& name, const test::Answer& answer) -> FakePeer& {
    FakePeer::Settings settings;
    settings.name = name;
    settings.journal = &journal;
    return peers.emplace_back(std::vector<test::Answer>{answer}, std::move(settings));
  };
  const auto busy = answer::system_exception("TRANSIENT", 1);
  auto& p5 = add("P5", busy);
  auto& p6 = add("P6", busy);
  auto& p7 = add("P7", busy);
  p6.set({answer::forward({p7.profile()})});
  forwarder_->to = elsewhere({p5.profile(), p6.profile()});
  const auto reference = thing(object_of(forwarder_, {add("P2", busy).profile(), add("P3", busy).profile()}));
  const auto ending = ending_of([&] { reference->ask(""); });
  EXPECT_EQ(journal.all(), "P5 P6 P7 P2 P3");
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_NE(ending.text.find("; tried: this process (forwarded to tcp://"), std::string::npos) << ending.text;
}

TEST_F(ForwardedHere, WhatIsNotThereAnyMoreIsLookedForHereOnceMore) {
  begin();
  FakePeer left({not_there()});
  forwarder_->act = [&]() -> ServantRef {
    if (forwarder_->asked % 2 == 0) return servant_;
    throw PortableServer::ForwardRequest(elsewhere({left.profile()}));
  };
  const auto reference = thing(object_of(forwarder_));
  EXPECT_EQ(reference->ask(""), "here");
  EXPECT_EQ(reference->async_ask("").get(), "here");
  EXPECT_EQ(left.requests(), 2U);
  EXPECT_EQ(servant_->calls, 2);
}

TEST_F(ForwardedHere, TheWayHomeIsGoneOnce) {
  begin();
  FakePeer left({not_there()});
  forwarder_->to = elsewhere({left.profile()});
  const auto reference = thing(object_of(forwarder_));
  EXPECT_EQ(ending_of([&] { reference->ask(""); }).what, "OBJECT_NOT_EXIST NO");
  EXPECT_LE(forwarder_->asked, 2);
  EXPECT_LE(left.requests(), 2U);
}

TEST_F(ForwardedHere, AForwardThatLeadsNowhereLeadsToTheNextPlaceOrIsTransient) {
  begin();
  FakePeer second({answer::text("second")});
  ior::Ior unknown = elsewhere({second.profile()})->_target()->ior();
  unknown.profiles.resize(1);
  unknown.profiles[0].tag = 0x43424242;
  const auto alone = object_of(forwarder_);
  forwarder_->to = static_cast<corba::OrbContext&>(alone->_target()->context()).make_object(unknown);
  EXPECT_EQ(thing(with(alone, {second.profile()}))->ask(""), "second");
  const auto ending = ending_of([&] { thing(alone)->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO") << ending.text;
  EXPECT_EQ(ending.minor, corba::minor::kNoUsableProfile) << ending.text;
}

TEST_F(ForwardedHere, CallsWithinCallsAreNotForwardsOfOneCall) {
  begin({"-ORBForwardLimit", "2"});
  forwarder_->to = activated(servant_);
  const auto reference = thing(object_of(forwarder_));
  servant_->on_ask = [&](const std::string& question) {
    if (question.size() < 50) reference->ask(question + '.');
  };
  EXPECT_EQ(reference->ask("."), "here");
  EXPECT_EQ(servant_->calls, 50);
}

TEST_F(ForwardedHere, CirclesAreFollowedAsFarAsTheLimit) {
  begin({"-ORBForwardLimit", "4"});
  FakePeer second({answer::text("second")});
  const auto other = CORBA::make_reference<Forwarder>();
  const auto there = object_of(other);
  const auto alone = object_of(forwarder_);
  forwarder_->to = there;
  other->to = alone;
  const auto ending = ending_of([&] { thing(alone)->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_EQ(ending.minor, 0x43420399U) << ending.text;
  EXPECT_EQ(forwarder_->asked + other->asked, 5);
  EXPECT_EQ(thing(with(alone, {second.profile()}))->ask(""), "second");
}

TEST_F(ForwardedHere, AnObjectOfThisProcessIsAskedWithoutAConnection) {
  begin({"-ORBConcurrency", "single"});
  forwarder_->to = activated(servant_);
  const auto reference = thing(object_of(forwarder_));
  EXPECT_EQ(reference->ask(""), "here") << "nothing reads what comes from outside";
  reference->note(1);
  EXPECT_EQ(servant_->calls, 2);
}

TEST_F(ForwardedHere, WhatAnAdapterOfThisProcessRefusesGoesOnBehindIt) {
  begin();
  FakePeer last({answer::text("last")});
  const auto refusing = CORBA::make_reference<Forwarder>();
  forwarder_->to = object_of(refusing, {last.profile()});
  managers_.back()->discard_requests(false);
  const auto reference = thing(object_of(forwarder_));
  EXPECT_EQ(reference->ask(""), "last");
  EXPECT_EQ(reference->async_ask("").get(), "last");
  EXPECT_EQ(refusing->asked, 0);
}

TEST_F(ForwardedHere, WhatAServantThrowsBehindAForwardIsForTheCaller) {
  begin();
  FakePeer second({answer::text("second")});
  forwarder_->to = activated(servant_);
  servant_->on_ask = [](const std::string&) { throw CORBA::TRANSIENT(7); };
  const auto ending = ending_of([&] { thing(object_of(forwarder_, {second.profile()}))->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_EQ(ending.minor, 7U);
  EXPECT_EQ(servant_->calls, 1);
  EXPECT_EQ(second.requests(), 0U);
}

/// The second adapter takes all of the time that the first left.
TEST_F(ForwardedHere, AForwardHasNoTimeOfItsOwn) {
  begin({"-ORBCallTimeout", "50"});
  FakePeer late({answer::text("too late")});
  const auto slow = CORBA::make_reference<Forwarder>();
  slow->act = [&]() -> ServantRef {
    const auto end = base::Deadline::after(60ms);
    while (!end.expired()) std::this_thread::yield();
    throw PortableServer::ForwardRequest(elsewhere({late.profile()}));
  };
  forwarder_->to = object_of(slow);
  const auto ending = ending_of([&] { thing(object_of(forwarder_))->ask(""); });
  EXPECT_EQ(ending.what, "TIMEOUT NO") << ending.text;
  EXPECT_EQ(late.requests(), 0U);
}

TEST_F(ForwardedHere, TheTimeOfACallBeginsOnce) {
  begin();
  FakePeer late({[](test::Conversation& conversation, const test::Received& request) {
    std::this_thread::sleep_for(400ms);
    answer::text("too late")(conversation, request);
  }});
  forwarder_->act = [&]() -> ServantRef {
    std::this_thread::sleep_for(400ms);
    throw PortableServer::ForwardRequest(elsewhere({late.profile()}));
  };
  const auto quick = corbel::with_timeout(thing(object_of(forwarder_)), 600ms);
  for (int i = 0; i < 2; ++i) {  // also when the reference's policies are known
    const auto ending = ending_of([&] { quick->ask(""); });
    EXPECT_EQ(ending.what.substr(0, 7), "TIMEOUT") << ending.text;
  }
}

TEST_F(ForwardedHere, OnewaysThatWaitForNothingAreForwarded) {
  begin({"-ORBSyncScope", "none"});
  FakePeer there({answer::nothing()});
  forwarder_->to = elsewhere({there.profile()});
  const auto far = thing(object_of(forwarder_));
  EXPECT_TRUE(test::eventually([&] {  // the first are dropped if connecting takes its time
    far->note(1);
    return there.requests() != 0;
  }));
}

}  // namespace
}  // namespace corbel::calls_test
