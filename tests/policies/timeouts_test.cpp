// SPDX-License-Identifier: Apache-2.0
// Times of calls (CORBA 3.3 part 1, 17.2.4): of references, threads and ORBs, for calls of all kinds.
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "corbel/corba/buffering_policy.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/policy/client_policies.hpp"
#include "eventually.hpp"
#include "raw_peer.hpp"
#include "support.hpp"

namespace corbel::policies_test {
namespace {

using test::eventually;
using test::FakePeer;
using test::SilentPort;
namespace answer = test::answer;

using Clock = std::chrono::steady_clock;

/// True if it took less than a call without policies: those time out after a minute.
template <class Run>
bool is_quick(const Run& run) {
  const auto begin = Clock::now();
  run();
  return Clock::now() - begin < 50s;
}

/// How a call ends that has begun.
std::string ending_in_time(Future<std::string> future) {
  std::string ending;
  EXPECT_TRUE(is_quick([&] { ending = ending_of([&] { future.get(); }); }));
  return ending;
}

/// A server that does not answer, and how a call to it ends.
class Silence : public ::testing::Test {
 protected:
  std::string ask(const ThingRef& thing) {
    std::string ending;
    EXPECT_TRUE(is_quick([&] { ending = ending_of([&] { thing->ask(""); }); }));
    return ending;
  }
  /// The same of a call that leaves.
  std::string ask_in_time(const ThingRef& thing) {
    return ending_of_sent([&] { return ask(thing); });
  }
  /// Opens the connection, so that it is the answer that takes too long.
  void connect() {
    peer_.set({answer::text("first")});
    EXPECT_EQ(orb_.thing(peer_.ior())->ask(""), "first");
    peer_.set({answer::nothing()});
  }

  FakePeer peer_{{answer::nothing()}};
  Orb orb_;
  ThingRef thing_ = orb_.thing(peer_.ior());
  const CORBA::PolicyList short_ = {round_trip(1'000 * kMillisecond)};
};

TEST_F(Silence, AReferencesTimeEndsItsCalls) {
  connect();
  EXPECT_EQ(ask_in_time(with_timeout(thing_, 1s)), "TIMEOUT MAYBE");
  EXPECT_TRUE(eventually([&] { return peer_.requests() >= 2; }));
  EXPECT_EQ(peer_.requests(), 2U);
}

TEST_F(Silence, AReferencesTimeIsStrongerThanTheThreadsAndThatThanTheOrbs) {
  connect();
  const auto took = [&](const ThingRef& thing) {
    Clock::duration last{};
    const auto ask_timed = [&] {
      const auto begin = Clock::now();
      std::string ending = ask(thing);
      last = Clock::now() - begin;
      return ending;
    };
    EXPECT_EQ(ending_of_sent(ask_timed), "TIMEOUT MAYBE");
    return last;
  };
  const CORBA::PolicyList medium = {round_trip(25'000 * kMillisecond)};
  orb_.current()->set_policy_overrides(medium, SetOverrideType::SET_OVERRIDE);
  EXPECT_LT(took(with_timeout(thing_, 1s)), 20s);
  orb_.manager()->set_policy_overrides(medium, SetOverrideType::SET_OVERRIDE);
  orb_.current()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
  EXPECT_LT(took(thing_), 20s);
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

TEST_F(Silence, AReferencesTimeIsNeverOverEarly) {
  for (const auto time : {1ms, 2ms, 5ms, 9ms}) {
    const ThingRef quick = with_timeout(thing_, time);
    for (int i = 0; i < 10; ++i) {
      const auto begin = Clock::now();
      EXPECT_EQ(ask(quick).substr(0, 7), "TIMEOUT");
      EXPECT_GE(Clock::now() - begin, time);
      const auto asynchronous = Clock::now();
      EXPECT_EQ(ending_of([&] { quick->async_ask("").get(); }).substr(0, 7), "TIMEOUT");
      EXPECT_GE(Clock::now() - asynchronous, time);
    }
  }
}

TEST_F(Silence, AReferencesTimeEndsAsynchronousCalls) {
  connect();
  const ThingRef quick = with_timeout(thing_, 1s);
  EXPECT_EQ(ending_of_sent([&] { return ending_in_time(quick->async_ask("")); }), "TIMEOUT MAYBE");
}

TEST_F(Silence, AReferencesTimeEndsCallsWithReplyHandlers) {
  struct Handler final : CORBA::amic_traits<Policies::Thing>::replyhandler_base_type {
    void ask(const std::string&) override { ended.set_value("done"); }
    void ask_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
      ended.set_value(ending_of([&] { holder->raise_exception(); }));
    }
    std::promise<std::string> ended;
  };
  auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  connect();
  const auto ending = ending_of_sent([&] {
    auto servant = CORBA::make_reference<Handler>();
    auto handler =
        CORBA::amic_traits<Policies::Thing>::replyhandler_traits::narrow(root->servant_to_reference(servant));
    const auto quick = CORBA::amic_traits<Policies::Thing>::narrow(with_timeout(thing_, 1s));
    const std::string unsent = ending_of([&] { quick->sendc_ask(handler, ""); });
    if (unsent != "done") return unsent;
    auto ended = servant->ended.get_future();
    return ended.wait_for(50s) == std::future_status::ready ? ended.get() : std::string("not told");
  });
  EXPECT_EQ(ending, "TIMEOUT MAYBE");
}

TEST_F(Silence, AThreadsTimeEndsItsCallsAndNobodyElses) {
  peer_.set({answer::text("first")});
  thing_->ask("");  // the connection is there, and calls take the short way
  orb_.current()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
  std::thread([&] { EXPECT_EQ(thing_->ask(""), "first"); }).join();
  peer_.set({answer::nothing()});
  EXPECT_EQ(ask_in_time(thing_), "TIMEOUT MAYBE");
  const auto ask_and_change = [&] {
    orb_.current()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
    auto future = thing_->async_ask("");
    orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);  // what began keeps its policies
    return ending_in_time(std::move(future));
  };
  EXPECT_EQ(ending_of_sent(ask_and_change), "TIMEOUT MAYBE");
  peer_.set({answer::text("again")});
  EXPECT_EQ(thing_->ask(""), "again");
}

test::Answer after_a_while() {
  return [](test::Conversation& conversation, const test::Received& request) {
    std::this_thread::sleep_for(1200ms);  // longer than short_ allows
    answer::text("late")(conversation, request);
  };
}

TEST_F(Silence, AThreadThatChangesItsPoliciesAgainIsGovernedByTheLast) {
  connect();
  orb_.current()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ask_in_time(thing_), "TIMEOUT MAYBE");
  peer_.set({after_a_while()});
  orb_.current()->set_policy_overrides({round_trip(50'000 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing_->ask(""), "late");
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

TEST_F(Silence, InAThreadWithPoliciesEachReferenceHasItsOwn) {
  connect();
  orb_.current()->set_policy_overrides({scope(Messaging::SYNC_WITH_TARGET)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ask_in_time(with_timeout(thing_, 1s)), "TIMEOUT MAYBE");
  peer_.set({after_a_while()});
  EXPECT_EQ(thing_->ask(""), "late");
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

TEST_F(Silence, AThreadWithPoliciesSeesTheOrbsChange) {
  connect();
  orb_.current()->set_policy_overrides({scope(Messaging::SYNC_WITH_TARGET)}, SetOverrideType::SET_OVERRIDE);
  orb_.manager()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ask_in_time(thing_), "TIMEOUT MAYBE");
  peer_.set({after_a_while()});
  orb_.manager()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing_->ask(""), "late");
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

TEST_F(Silence, TheOrbsTimeEndsCallsOfReferencesThatAreInUse) {
  peer_.set({answer::text("well")});
  const ThingRef patient = with_timeout(thing_, 0ms);
  EXPECT_EQ(thing_->ask(""), "well");
  EXPECT_EQ(patient->ask(""), "well");
  orb_.manager()->set_policy_overrides({round_trip(50'000 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing_->ask(""), "well");  // the short way under the new policies
  peer_.set({answer::nothing()});
  orb_.manager()->set_policy_overrides(short_, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ask_in_time(thing_), "TIMEOUT MAYBE");
  EXPECT_EQ(ask_in_time(orb_.thing(peer_.ior())), "TIMEOUT MAYBE");
  // The reference's own is stronger.
  auto future = patient->async_ask("");
  EXPECT_EQ(ask_in_time(thing_), "TIMEOUT MAYBE");
  EXPECT_FALSE(future.ready());
}

TEST_F(Silence, AStrongerLevelMayAllowMoreTime) {
  orb_.manager()->set_policy_overrides({round_trip(1)}, SetOverrideType::SET_OVERRIDE);
  peer_.set({[](test::Conversation& conversation, const test::Received& request) {
    std::this_thread::sleep_for(30ms);  // longer than the ORB allows
    answer::text("late")(conversation, request);
  }});
  EXPECT_EQ(ask(thing_).substr(0, 7), "TIMEOUT");
  EXPECT_EQ(with_timeout(thing_, 50s)->ask(""), "late");
}

// 17.2.4 with 8.6.3 of the object's policies: they survive forwarding.
TEST_F(Silence, OverridesSurviveForwards) {
  std::unique_ptr<FakePeer> gate;
  ThingRef quick;
  std::string ending;
  // On a loaded machine the time may be over before the call is where it is forwarded to: once more, then.
  for (int tries = 0; tries < 5 && peer_.requests() == 0; ++tries) {
    gate = std::make_unique<FakePeer>(std::vector{answer::forward({peer_.profile()})});
    quick = with_timeout(orb_.thing(gate->ior()), 2s);
    ending = ask(quick);
    (void)eventually([&] { return peer_.requests() != 0; }, 6s);
  }
  EXPECT_EQ(ending, "TIMEOUT MAYBE");
  EXPECT_EQ(gate->requests(), 1U);
  EXPECT_EQ(ask_in_time(quick), "TIMEOUT MAYBE");  // where it was forwarded to at once
  EXPECT_TRUE(eventually([&] { return peer_.requests() >= 2; }));
  EXPECT_EQ(gate->requests(), 1U);
  EXPECT_EQ(peer_.requests(), 2U);
}

// 17.2.4.4: absolute times.
TEST_F(Silence, AReplysEndTimeEndsCalls) {
  const auto end = [](std::chrono::milliseconds from_now) {
    return PolicyRef(CORBA::make_reference<Messaging::ReplyEndTimePolicy>(
        utc(policy::utc_now() + static_cast<TimeBase::TimeT>(from_now.count()) * kMillisecond)));
  };
  connect();
  const auto soon = [&] { return with_policies(thing_, {end(1000ms)}); };
  EXPECT_EQ(ending_of_sent([&] { return ask(soon()); }), "TIMEOUT MAYBE");
  EXPECT_EQ(ending_of_sent([&] { return ending_in_time(soon()->async_ask("")); }), "TIMEOUT MAYBE");
  EXPECT_EQ(ask_in_time(with_policies(thing_, {end(100'000ms), round_trip(1'000 * kMillisecond)})), "TIMEOUT MAYBE");
  peer_.set({answer::text("well")});
  EXPECT_EQ(with_policies(thing_, {end(50'000ms)})->ask(""), "well");
}

// 17.2.4.2: nothing leaves after the request's end.
TEST_F(Silence, ARequestsEndTimeKeepsTheRequestBack) {
  peer_.set({answer::text("well")});
  thing_->ask("");
  const PolicyRef past = CORBA::make_reference<Messaging::RequestEndTimePolicy>(utc(policy::utc_now() - 1));
  const ThingRef late = with_policies(thing_, {past});
  EXPECT_EQ(ask(late), "TIMEOUT NO 2");
  EXPECT_EQ(ending_of([&] { late->note(1); }), "TIMEOUT NO 2");
  EXPECT_EQ(ending_of([&] { late->async_ask("").get(); }), "TIMEOUT NO 2");
  EXPECT_EQ(peer_.requests(), 1U);
  const PolicyRef future =
      CORBA::make_reference<Messaging::RequestEndTimePolicy>(utc(policy::utc_now() + 50'000 * kMillisecond));
  EXPECT_EQ(with_policies(thing_, {future})->ask(""), "well");
}

// 17.2.4 and part 2, 9.7.3: what the server is told.
TEST_F(Silence, EndTimesAreToldTheServerAndRelativeTimesAreNot) {
  peer_.set({answer::text("well")});
  const auto told = [&](const ThingRef& thing, bool later) {
    later ? thing->async_ask("").get() : thing->ask("");
    const auto contexts = peer_.last().contexts;
    return std::count(contexts.begin(), contexts.end(), 7U);
  };
  const PolicyRef end =
      CORBA::make_reference<Messaging::ReplyEndTimePolicy>(utc(policy::utc_now() + 50'000 * kMillisecond));
  for (const bool later : {false, true}) {
    EXPECT_EQ(told(with_policies(thing_, {end}), later), 1);
    EXPECT_EQ(told(with_timeout(thing_, 50s), later), 0);
    EXPECT_EQ(told(thing_, later), 0);
  }
}

TEST(EndTimes, AServerBeginsNoRequestThatComesTooLate) {
  // Registered by name, so that a request made by hand can name it.
  const Orb server;
  auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  struct Servant final : CORBA::servant_traits<Policies::Thing>::base_type {
    std::string ask(const std::string& question) override { return ++calls, question; }
    void note(std::int32_t) override { ++calls; }
    std::atomic<int> calls = 0;
  };
  auto servant = CORBA::make_reference<Servant>();
  const ObjectRef object = root->servant_to_reference(servant);
  const ior::Ior& ior = object->_target()->ior();
  const auto profile = ior::decode_iiop_profile(ior.profiles.at(0), {});
  ASSERT_TRUE(profile);
  test::RawPeer peer(profile->port);
  const auto ask_until = [&](std::uint32_t id, policy::UtcTime end) {
    policy::ClientPolicies policies;
    policies.request_end = end;
    const base::Bytes context = orb::encode_invocation_policies(policies);
    test::Writer writer;
    writer.giop(0, 2).u32(id).octet(3).octet(0).octet(0).octet(0).u16(0).align(4);
    writer.octets(profile->object_key).string("ask").align(4);
    writer.u32(1).u32(orb::kInvocationPoliciesContext).octets(context).align(8).string("well");
    EXPECT_TRUE(peer.send(writer.finish()));
    const auto reply = peer.message();
    return reply ? test::Reader(*reply, ((*reply)[6] & 1) != 0, 16).u32() : 99;
  };
  EXPECT_EQ(ask_until(2, policy::utc_now() + 100'000 * kMillisecond), 0U);  // results
  EXPECT_EQ(servant->calls, 1);
  EXPECT_EQ(ask_until(4, policy::utc_now() - 1), 2U);  // a system exception
  EXPECT_EQ(servant->calls, 1);
}

TEST(RequestTimes, ARequestThatCannotLeaveInTimeIsNotWaitedFor) {
  const SilentPort silent;
  const Orb orb;
  const ThingRef thing =
      with_policies(orb.thing(test::ior_string({silent.profile()})),
                    {CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(50 * kMillisecond)});
  EXPECT_TRUE(is_quick([&] { EXPECT_EQ(ending_of([&] { thing->ask(""); }).substr(0, 10), "TIMEOUT NO"); }));
}

// Kept for the time that it may be kept, it could not leave in its time.
TEST(RequestTimes, ABufferedOnewayLeavesInItsTime) {
  FakePeer peer({answer::nothing()});
  const Orb orb;
  const BufferingConstraint hours(BUFFER_TIMEOUT, 3'600'000 * kMillisecond, 0, 0);
  const ThingRef thing = with_policies(
      orb.thing(peer.ior()), {scope(Messaging::SYNC_NONE), CORBA::make_reference<BufferingConstraintPolicy>(hours),
                              CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(2'000 * kMillisecond)});
  // On a loaded machine its time may be over before there is a connection, or it has left: then another one must.
  for (int tries = 0; tries < 6 && peer.requests() == 0; ++tries) {
    CORBA::PolicyList unfit;
    (void)ending_of([&] { thing->_validate_connection(unfit); });
    const std::string ending = ending_of([&] { thing->note(1); });
    EXPECT_TRUE(ending == "done" || ending.starts_with("TIMEOUT NO")) << ending;
    (void)eventually([&] { return peer.requests() != 0; }, 8s);
  }
  EXPECT_GE(peer.requests(), 1U);
}

TEST(RequestTimes, TheReplyMayTakeLongerThanTheRequest) {
  const test::Answer late = [](test::Conversation& conversation, const test::Received& request) {
    std::this_thread::sleep_for(1200ms);
    answer::text("late")(conversation, request);
  };
  FakePeer peer({answer::text("first"), late});
  const Orb orb;
  const ThingRef plain = orb.thing(peer.ior());
  EXPECT_EQ(plain->ask(""), "first");  // the connection is there
  const ThingRef thing =
      with_policies(plain, {CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(1'000 * kMillisecond)});
  const auto ask = [&] {
    std::string result;
    const std::string ending = ending_of([&] { result = thing->ask(""); });
    return ending == "done" ? result : ending;
  };
  EXPECT_EQ(ending_of_sent(ask), "late");
}

TEST(ConnectionTimeout, GoesOnToTheNextProfile) {
  const SilentPort silent;
  FakePeer peer({answer::text("well")});
  const Orb orb({"-ORBConnectTimeout", "60000"});
  const ThingRef thing = with_policies(orb.thing(test::ior_string({silent.profile(), peer.profile()})),
                                       {CORBA::make_reference<ConnectionTimeoutPolicy>(30 * kMillisecond)});
  EXPECT_TRUE(is_quick([&] { EXPECT_EQ(thing->ask(""), "well"); }));
}

TEST(Texts, SpeakOfTheTimeThatWasOver) {
  FakePeer peer({answer::nothing()});
  const Orb orb;
  const auto soon = utc(policy::utc_now() + 50 * kMillisecond);
  const ThingRef thing =
      with_policies(orb.thing(peer.ior()), {CORBA::make_reference<Messaging::ReplyEndTimePolicy>(soon)});
  for (int i = 0; i < 2; ++i) {  // while it waits, and before it leaves
    try {
      thing->ask("");
      ADD_FAILURE() << "nobody answers";
    } catch (const CORBA::TIMEOUT& exception) {
      const std::string text = exception.what();
      EXPECT_NE(text.find("its reply end time being over"), std::string::npos) << text;
      EXPECT_EQ(text.find("60000"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace corbel::policies_test
