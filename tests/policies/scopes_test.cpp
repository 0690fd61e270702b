// SPDX-License-Identifier: Apache-2.0
// What a oneway call of a reference waits for (CORBA 3.3 part 1, 17.2.2).
#include <future>
#include <thread>

#include "support.hpp"

namespace corbel::policies_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;

// GIOP 1.2 says it in the request's response_flags (part 2, 9.4.2.1).
TEST(Scopes, AreWhatTheRequestSays) {
  FakePeer peer({answer::done()});
  const Orb orb;
  const ThingRef thing = orb.thing(peer.ior());
  const auto flags_of = [&](const ThingRef& reference) {
    CORBA::PolicyList unfit;
    EXPECT_TRUE(reference->_validate_connection(unfit));  // who waits for nothing does not wait for that either
    const std::size_t before = peer.messages().size();
    reference->note(1);
    EXPECT_TRUE(peer.wait_for_messages(before + 1));
    return static_cast<int>(peer.messages().at(before).response_flags);
  };
  peer.set({answer::nothing()});
  EXPECT_EQ(flags_of(thing), 0);
  EXPECT_EQ(flags_of(with_policies(thing, {scope(Messaging::SYNC_NONE)})), 0);
  EXPECT_EQ(flags_of(with_policies(thing, {scope(Messaging::SYNC_WITH_TRANSPORT)})), 0);
  peer.set({answer::done()});
  EXPECT_EQ(flags_of(with_policies(thing, {scope(Messaging::SYNC_WITH_SERVER)})), 1);
  EXPECT_EQ(flags_of(with_policies(thing, {scope(Messaging::SYNC_WITH_TARGET)})), 3);
  orb.manager()->set_policy_overrides({scope(Messaging::SYNC_WITH_TARGET)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(flags_of(thing), 3);
  orb.current()->set_policy_overrides({scope(Messaging::SYNC_WITH_SERVER)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(flags_of(thing), 1);
}

// With NONE the caller goes on although the peer takes nothing; with TRANSPORT it waits until its time is over.
TEST(Scopes, NoneDoesNotWaitForThePeerAndTransportDoes) {
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  FakePeer peer({[opened](test::Conversation&, const test::Received&) { opened.wait(); }});
  const Orb orb({"-ORBOnewayQueue", "65536", "-ORBSendBuffer", "8192"});
  orb.thing(peer.ior())->note(0);
  EXPECT_TRUE(peer.wait_for_messages(1));  // the connection is there
  const ThingRef thing = with_timeout(orb.thing(peer.ior()), 200ms);
  const ThingRef hasty = with_policies(thing, {scope(Messaging::SYNC_NONE)});
  const ThingRef patient = with_policies(thing, {scope(Messaging::SYNC_WITH_TRANSPORT)});
  std::string ending = "done";  // until the system between them can take no more
  for (int tries = 0; tries < 10'000 && ending == "done"; ++tries) {
    for (int n = 0; n < 1000; ++n) hasty->note(n);
    ending = ending_of([&] { patient->note(1); });
  }
  EXPECT_EQ(ending, "TIMEOUT NO");
  EXPECT_EQ(ending_of([&] { hasty->note(1); }), "done");
  gate.set_value();
}

/// A servant that waits for the test, and then throws; remote or in the process.
class Oneways : public ::testing::TestWithParam<bool> {
 protected:
  struct Servant final : CORBA::servant_traits<Policies::Thing>::base_type {
    std::string ask(const std::string& question) override { return question; }
    void note(std::int32_t number) override {
      if (number == 0) go.get_future().wait();
      returned.set_value();
      throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_YES);
    }
    std::promise<void> go;
    std::promise<void> returned;
  };

  Oneways() {
    auto root = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    const Orb& caller = GetParam() ? server_ : client_;
    thing_ = caller.thing(server_->object_to_string(root->servant_to_reference(servant_)));
  }

  Orb server_;
  Orb client_;
  CORBA::servant_reference<Servant> servant_ = CORBA::make_reference<Servant>();
  ThingRef thing_;
};
INSTANTIATE_TEST_SUITE_P(RemoteAndLocal, Oneways, ::testing::Bool());

TEST_P(Oneways, UpToTheServerSaysNothingOfTheServant) {
  EXPECT_EQ(ending_of([&] { with_policies(thing_, {scope(Messaging::SYNC_WITH_SERVER)})->note(1); }), "done");
  servant_->returned.get_future().wait();
}

TEST_P(Oneways, TheTargetTellsWhatBecameOfIt) {
  EXPECT_EQ(ending_of([&] { with_policies(thing_, {scope(Messaging::SYNC_WITH_TARGET)})->note(1); }),
            "NO_PERMISSION YES");
}

TEST_P(Oneways, TheScopeOfAThreadAndOfTheOrbCountsToo) {
  const Orb& caller = GetParam() ? server_ : client_;
  caller.manager()->set_policy_overrides({scope(Messaging::SYNC_WITH_TARGET)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ending_of([&] { thing_->note(1); }), "NO_PERMISSION YES");
  servant_->returned = {};
  caller.current()->set_policy_overrides({scope(Messaging::SYNC_WITH_SERVER)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ending_of([&] { thing_->note(1); }), "done");
  servant_->returned.get_future().wait();
}

TEST(Oneways, TheServerAnswersBeforeTheServantRuns) {
  struct Servant final : CORBA::servant_traits<Policies::Thing>::base_type {
    std::string ask(const std::string& question) override { return question; }
    void note(std::int32_t) override { go.get_future().wait(); }
    std::promise<void> go;
  };
  const Orb server;
  const Orb client;
  auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  auto servant = CORBA::make_reference<Servant>();
  const ThingRef thing = client.thing(server->object_to_string(root->servant_to_reference(servant)));
  with_policies(thing, {scope(Messaging::SYNC_WITH_SERVER)})->note(1);  // returns although the servant does not
  servant->go.set_value();
}

// Ignored for calls with results.
TEST(Scopes, MeanNothingForTwowayCalls) {
  FakePeer peer({answer::text("well")});
  const Orb orb;
  EXPECT_EQ(with_policies(orb.thing(peer.ior()), {scope(Messaging::SYNC_NONE)})->ask(""), "well");
  EXPECT_EQ(peer.last().response_flags, 3);
}

}  // namespace
}  // namespace corbel::policies_test
