// SPDX-License-Identifier: Apache-2.0
// References that lead to this process and to others: what the adapter here refuses, the others get, and nothing else.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <new>
#include <thread>

#include "calls_server.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/groups.hpp"
#include "corbel/orb/oneways.hpp"
#include "support.hpp"

namespace corbel::calls_test {
namespace {

using namespace std::chrono_literals;
using test::FakePeer;
using test::RefusingPort;
namespace answer = test::answer;
using PortableServer::POA;
using PoaRef = IDL::traits<POA>::ref_type;

/// Counts what it carries out.
class Local final : public CORBA::servant_traits<Calls::Thing>::base_type {
 public:
  std::string ask(const std::string& question) override {
    ++calls;
    if (act_on_ask) act_on_ask();
    return "here: " + question;
  }
  void act() override { ++calls; }
  void wide(const std::wstring&) override { ++calls; }
  void note(std::int32_t) override { ++calls; }

  std::function<void()> act_on_ask;
  std::atomic<int> calls{0};
};

/// A server in this process whose object has a place elsewhere, too.
class Collocated : public ::testing::Test {
 protected:
  void begin(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    here_ = std::make_unique<Client>(options);
    root_ = IDL::traits<POA>::narrow(orb()->resolve_initial_references("RootPOA"));
    poa_ = root_->create_POA("child", nullptr, {});
    manager_ = poa_->the_POAManager();
    manager_->activate();
    own_ = poa_->id_to_reference(poa_->activate_object(local_));
  }
  ~Collocated() override {
    own_ = nullptr;
    manager_ = nullptr;
    poa_ = nullptr;
    root_ = nullptr;
  }
  OrbRef orb() const { return here_->orb(); }
  /// A reference to the object here and to others, in this order or with the own place last.
  ThingRef with(const std::vector<test::ProfileData>& others, bool own_first = true) const {
    ior::Ior ior = own_->_target()->ior();
    const auto foreign = orb()->string_to_object(test::ior_string(others))->_target()->ior().profiles;
    ior.profiles.insert(own_first ? ior.profiles.end() : ior.profiles.begin(), foreign.begin(), foreign.end());
    auto& context = static_cast<corba::OrbContext&>(own_->_target()->context());
    return IDL::traits<Calls::Thing>::unchecked_narrow(context.make_object(ior));
  }

  const CORBA::servant_reference<Local> local_ = CORBA::make_reference<Local>();
  std::unique_ptr<Client> here_;
  PoaRef root_;
  PoaRef poa_;
  IDL::traits<PortableServer::POAManager>::ref_type manager_;
  IDL::traits<CORBA::Object>::ref_type own_;
};

/// Marshals a call inside the process without memory for its arguments, or its results.
Ending without_memory(const ThingRef& thing, bool arguments) {
  static constexpr corba::Operation kOperation{"ask"};
  const auto encode = [&](cdr::Encoder& encoder) {
    if (arguments) throw std::bad_alloc();
    encoder.put_string("?");
  };
  const auto decode = [](cdr::Decoder&) { throw std::bad_alloc(); };
  return ending_of([&] { thing->_target()->invoke({kOperation, encode, decode, nullptr}); });
}

TEST_F(Collocated, WithoutMemoryTheCallerIsToldWhetherTheServantRan) {
  begin();
  const auto thing = IDL::traits<Calls::Thing>::unchecked_narrow(own_);
  EXPECT_EQ(without_memory(thing, true).what, "NO_MEMORY NO");
  EXPECT_EQ(local_->calls, 0);
  EXPECT_EQ(without_memory(thing, false).what, "NO_MEMORY YES");
  EXPECT_EQ(local_->calls, 1);
}

TEST_F(Collocated, CallsStayHereWhileTheAdapterServes) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  for (const bool own_first : {true, false}) {
    const auto thing = with({other.profile()}, own_first);
    EXPECT_EQ(thing->ask("you"), "here: you");
    EXPECT_EQ(thing->async_ask("you").get(), "here: you");
    thing->note(1);
  }
  EXPECT_EQ(local_->calls, 6);
  EXPECT_EQ(other.connections(), 0U);
}

/// How an adapter comes to refuse, with what options, and with what exception.
struct Way {
  const char* name;
  std::vector<std::string> options;
  std::function<void(PortableServer::POAManager&)> refuse;
  std::string exception;
  std::uint32_t minor;
};

const Way kWays[] = {
    {"Discarding",
     {},
     [](auto& manager) { manager.discard_requests(false); },
     "TRANSIENT NO",
     corba::minor::kRequestDiscarded},
    {"HeldTooLong",
     {"-ORBHoldTimeout", "20", "-ORBLogLevel", "error"},
     [](auto& manager) { manager.hold_requests(false); },
     "TRANSIENT NO",
     corba::minor::kHeldTooLong},
    {"Inactive",
     {},
     [](auto& manager) { manager.deactivate(false, false); },
     "OBJ_ADAPTER NO",
     corba::minor::kAdapterInactive},
};

class Refused : public Collocated, public ::testing::WithParamInterface<Way> {
 protected:
  void refuse() {
    begin(GetParam().options);
    GetParam().refuse(*manager_);
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, Refused, ::testing::ValuesIn(kWays), [](const auto& test) { return test.param.name; });

TEST_P(Refused, CallsOfAllKindsGoOnToTheOtherPlaceAndAreCarriedOutOnce) {
  refuse();
  FakePeer other({answer::text("elsewhere")});
  for (const bool own_first : {true, false}) {
    const auto thing = with({other.profile()}, own_first);
    EXPECT_EQ(thing->ask(""), "elsewhere");
    EXPECT_EQ(thing->ask(""), "elsewhere");
    EXPECT_EQ(thing->async_ask("").get(), "elsewhere");
  }
  EXPECT_EQ(other.requests(), 6U);
  EXPECT_EQ(other.connections(), 1U);
  EXPECT_EQ(local_->calls, 0);
}

TEST_P(Refused, OnewaysGoOnToTheOtherPlace) {
  refuse();
  FakePeer other({answer::nothing()});
  const auto thing = with({other.profile()});
  thing->note(1);
  thing->note(2);
  EXPECT_TRUE(other.wait_for_messages(2));
  EXPECT_EQ(other.last().operation, "note");
  EXPECT_EQ(other.requests(), 2U);
  EXPECT_EQ(local_->calls, 0);
}

TEST_P(Refused, WhoeverCanBeReachedNowhereElseIsToldWhatTheAdapterSaid) {
  refuse();
  const RefusingPort closed;
  const auto thing = with({closed.profile()});
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { thing->ask(""); }, [&] { thing->async_ask("").get(); }, [&] { thing->note(1); }}) {
    const auto ending = ending_of(call);
    EXPECT_EQ(ending.what, GetParam().exception) << ending.text;
    EXPECT_EQ(ending.minor, GetParam().minor) << ending.text;
    EXPECT_NE(ending.text.find("tried: this process (raised IDL:omg.org/CORBA/"), std::string::npos) << ending.text;
    EXPECT_NE(ending.text.find(" (connect: refused"), std::string::npos) << ending.text;
  }
  EXPECT_EQ(local_->calls, 0);
}

TEST_P(Refused, WithoutOtherPlacesTheCallerIsTold) {
  refuse();
  const auto ending = ending_of([&] { IDL::traits<Calls::Thing>::unchecked_narrow(own_)->ask(""); });
  EXPECT_EQ(ending.what, GetParam().exception);
  EXPECT_EQ(ending.minor, GetParam().minor);
  EXPECT_EQ(ending.text.find("tried"), std::string::npos) << ending.text;
}

TEST_P(Refused, PlaceAfterPlaceIsTriedAsFromOutside) {
  refuse();
  FakePeer busy({answer::system_exception("TRANSIENT", 1)});
  FakePeer forwarding, last({answer::text("last")});
  forwarding.set({answer::forward({last.profile()})});
  const RefusingPort closed;
  EXPECT_EQ(with({busy.profile(), closed.profile(), forwarding.profile()})->ask(""), "last");
  EXPECT_EQ(busy.requests(), 1U);
  EXPECT_EQ(last.requests(), 1U);
}

TEST_P(Refused, WhatAnotherPlaceMayHaveExecutedIsNotRepeated) {
  refuse();
  FakePeer dies({answer::end()}), other({answer::text("other")});
  EXPECT_EQ(ending_of([&] { with({dies.profile(), other.profile()})->ask(""); }).what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(other.requests(), 0U);
}

TEST_F(Collocated, CallsComeBackWhenTheAdapterServesAgain) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  const auto thing = with({other.profile()});
  manager_->discard_requests(false);
  EXPECT_EQ(thing->ask("1"), "elsewhere");
  manager_->activate();
  EXPECT_EQ(thing->ask("2"), "here: 2");
  manager_->discard_requests(false);
  EXPECT_EQ(thing->ask("3"), "elsewhere");
  EXPECT_EQ(local_->calls, 1);
}

TEST_F(Collocated, CallsGoOnWhenTheirAdapterIsBeingDestroyed) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  const auto thing = with({other.profile()});
  std::latch entered{1}, go{1};
  local_->act_on_ask = [&] {
    entered.count_down();
    go.wait();
  };
  auto first = std::async(std::launch::async, [&] { return thing->ask("first"); });
  entered.wait();
  poa_->destroy(false, false);
  EXPECT_EQ(thing->ask(""), "elsewhere");
  EXPECT_EQ(thing->async_ask("").get(), "elsewhere");
  go.count_down();
  EXPECT_EQ(first.get(), "here: first");
  EXPECT_EQ(local_->calls, 1);
}

/// What a servant says of the calls that it made itself does not mean that nothing of it ran.
TEST_F(Collocated, WhatAServantThrowsDoesNotGoOn) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  const auto thing = with({other.profile()});
  const PoaRef closed = root_->create_POA("closed", nullptr, {});
  closed->the_POAManager()->discard_requests(false);
  const auto servant = CORBA::make_reference<Local>();
  const auto nested =
      IDL::traits<Calls::Thing>::unchecked_narrow(closed->id_to_reference(closed->activate_object(servant)));
  local_->act_on_ask = [&] { nested->ask(""); };
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT MAYBE");
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what, "TRANSIENT MAYBE");
  local_->act_on_ask = [] { throw CORBA::OBJ_ADAPTER(corba::minor::kAdapterInactive); };
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "OBJ_ADAPTER NO");
  EXPECT_EQ(local_->calls, 3);
  EXPECT_EQ(other.connections(), 0U);
}

/// From outside, too: the nested call was not executed, but the call was.
TEST_F(Collocated, WhatEndedACallOfAServantIsNotRepeatedByTheServantsCaller) {
  begin();
  const RefusingPort closed;
  const auto nested = here_->thing({closed.profile()});
  FakePeer other({answer::text("elsewhere")});
  FakePeer gone({answer::system_exception("OBJECT_NOT_EXIST", 1)});
  const auto gone_there = here_->thing({gone.profile()});
  const Client client;
  const auto thing = client.thing(orb()->object_to_string(with({other.profile()})));
  local_->act_on_ask = [&] { nested->ask(""); };
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT MAYBE");
  local_->act_on_ask = [&] { nested->async_ask("").get(); };
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT MAYBE");
  local_->act_on_ask = [&] { gone_there->ask(""); };
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "OBJECT_NOT_EXIST MAYBE");
  EXPECT_EQ(local_->calls, 3);
  EXPECT_EQ(other.requests(), 0U);
  // A servant that says so itself is believed.
  local_->act_on_ask = [&] {
    try {
      nested->ask("");
    } catch (CORBA::SystemException& exception) {
      exception.completed(CORBA::CompletionStatus::COMPLETED_NO);
      throw;
    }
  };
  EXPECT_EQ(thing->ask(""), "elsewhere");
  local_->act_on_ask = [] { throw CORBA::TRANSIENT(); };
  EXPECT_EQ(thing->ask(""), "elsewhere");
}

/// Its key names a group; a client that knows the group can write it into a reference to this process.
TEST_F(Collocated, AReferenceToAGroupByTheServersOwnAddressIsServedLikeTheGroup) {
  begin();
  const auto group = orb()->string_to_object("corbaloc:miop:1.0@1.0-Collocated-1/239.255.77.99:45999");
  const auto second = CORBA::make_reference<Local>();
  orb::join_group(*orb(), group, own_);
  orb::join_group(*orb(), group, poa_->id_to_reference(poa_->activate_object(second)));
  ior::Ior ior = own_->_target()->ior();
  auto profile = ior::decode_iiop_profile(ior.profiles.front());
  ASSERT_TRUE(profile);
  profile->object_key = group->_target()->ior().profiles.front().data;
  ior.profiles = {ior::encode_profile(*profile)};
  auto& context = static_cast<corba::OrbContext&>(own_->_target()->context());
  const auto false_one = IDL::traits<Calls::Thing>::unchecked_narrow(context.make_object(ior));
  EXPECT_TRUE(false_one->_target()->is_local());
  EXPECT_EQ(false_one->ask("all"), "here: all");
  EXPECT_EQ(false_one->async_ask("all").get(), "here: all");
  EXPECT_EQ(local_->calls, 2);
  EXPECT_EQ(second->calls, 2);
}

TEST_F(Collocated, WhatIsNotHereAnyMoreDoesNotGoOn) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  const auto thing = with({other.profile()});
  poa_->deactivate_object(poa_->reference_to_id(own_));
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "OBJECT_NOT_EXIST NO");
  here_->orb()->shutdown(true);
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "BAD_INV_ORDER NO");
  EXPECT_EQ(other.connections(), 0U);
}

/// The places of this ORB do not count as others, though the reference names two and both take connections.
TEST_F(Collocated, OwnPlacesAreNotCalledOverAConnection) {
  begin({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  std::size_t endpoints = 0;
  const RefusingPort closed;
  manager_->discard_requests(false);
  const auto ending = ending_of([&] { with({closed.profile()})->ask(""); });
  for (std::size_t at = 0; (at = ending.text.find("tcp://", at)) != std::string::npos; ++at) ++endpoints;
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_EQ(endpoints, 2U) << ending.text;  // the closed one, as what failed last and as what was tried
}

TEST_F(Collocated, TheTimeThatACallWasHeldIsOver) {
  begin({"-ORBHoldTimeout", "500", "-ORBCallTimeout", "400", "-ORBLogLevel", "error"});
  FakePeer other({answer::text("too late")});
  manager_->hold_requests(false);
  const auto thing = with({other.profile()});
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).minor, corba::minor::kRequestEndTimePassed);
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).minor, corba::minor::kRequestEndTimePassed);
  EXPECT_EQ(other.connections(), 0U);
}

TEST_F(Collocated, OtherPlacesHaveWhatIsLeftOfTheTimeOfACallThatWasHeld) {
  begin({"-ORBHoldTimeout", "300", "-ORBCallTimeout", "600", "-ORBLogLevel", "error"});
  FakePeer other({[](test::Conversation& conversation, const test::Received& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    answer::text("too late")(conversation, request);
  }});
  manager_->hold_requests(false);
  const auto thing = with({other.profile()});
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what.substr(0, 7), "TIMEOUT");
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what.substr(0, 7), "TIMEOUT");
}

TEST_F(Collocated, WhoMustNotBeBoundAnewStaysHere) {
  begin();
  FakePeer other({answer::text("elsewhere")});
  const CORBA::PolicyList stay = {CORBA::make_reference<Messaging::RebindPolicy>(Messaging::NO_REBIND)};
  const auto fixed = with({other.profile()})->_set_policy_overrides(stay, CORBA::SetOverrideType::ADD_OVERRIDE);
  manager_->discard_requests(false);
  EXPECT_EQ(ending_of([&] { IDL::traits<Calls::Thing>::unchecked_narrow(fixed)->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(other.connections(), 0U);
}

TEST_F(Collocated, OnewaysThatAreKeptBackElsewhereCanBeFlushed) {
  begin({"-ORBSyncScope", "none"});
  FakePeer other({answer::text("elsewhere"), answer::nothing()});
  const auto thing = with({other.profile()});
  EXPECT_TRUE(orb::flush_oneways(thing)) << "nothing has gone on yet";
  manager_->discard_requests(false);
  EXPECT_EQ(thing->ask(""), "elsewhere");  // connects: without, what nobody waits for may be given up
  thing->note(1);
  EXPECT_TRUE(orb::flush_oneways(thing));
  EXPECT_TRUE(other.wait_for_messages(2));
}

}  // namespace
}  // namespace corbel::calls_test
