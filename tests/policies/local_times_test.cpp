// SPDX-License-Identifier: Apache-2.0
// Times of calls that stay in the process (CORBA 3.3 part 1, 17.2.4).
#include <thread>

#include "support.hpp"

namespace corbel::policies_test {
namespace {

struct Countable final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string& question) override { return ++calls, question; }
  void note(std::int32_t) override { ++calls; }
  int calls = 0;
};

ThingRef serve_here(const Orb& orb, const CORBA::servant_reference<Countable>& servant) {
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  return IDL::traits<Policies::Thing>::narrow(root->servant_to_reference(servant));
}

/// Asynchronous ones begin when a thread gets round to them.
TEST(LocalCalls, WhoseTimeIsOverBeforeAThreadMakesThemAreNotMade) {
  const Orb orb({"-ORBConcurrency", "single"});
  const auto servant = CORBA::make_reference<Countable>();
  const ThingRef thing = serve_here(orb, servant);
  auto late = with_policies(thing, {round_trip(kMillisecond)})->async_ask("late");
  auto early = with_policies(thing, {round_trip(50'000 * kMillisecond)})->async_ask("early");
  std::this_thread::sleep_for(20ms);  // no thread works for the ORB meanwhile, and clocks are coarse
  EXPECT_EQ(ending_of([&] { late.get(); }), "TIMEOUT NO 2");
  EXPECT_EQ(early.get(), "early");
  EXPECT_EQ(servant->calls, 1);
}

/// In the process nothing can be left, but what comes too late does not begin.
TEST(LocalCalls, BeginInTimeOrNotAtAll) {
  const Orb orb;
  const auto servant = CORBA::make_reference<Countable>();
  const ThingRef thing = serve_here(orb, servant);
  const PolicyRef past = CORBA::make_reference<Messaging::RequestEndTimePolicy>(utc(1));
  const PolicyRef no_reply = CORBA::make_reference<Messaging::ReplyEndTimePolicy>(utc(1));
  const PolicyRef future =
      CORBA::make_reference<Messaging::ReplyEndTimePolicy>(utc(policy::utc_now() + 50'000 * kMillisecond));
  EXPECT_EQ(ending_of([&] { with_policies(thing, {past})->ask(""); }), "TIMEOUT NO 2");
  EXPECT_EQ(ending_of([&] { with_policies(thing, {no_reply})->ask(""); }), "TIMEOUT NO 3");
  EXPECT_EQ(ending_of([&] { with_policies(thing, {past})->note(1); }), "TIMEOUT NO 2");
  EXPECT_EQ(ending_of([&] { with_policies(thing, {past})->async_ask("").get(); }), "TIMEOUT NO 2");
  EXPECT_EQ(servant->calls, 0);
  EXPECT_EQ(with_policies(thing, {future})->ask("well"), "well");
  orb.current()->set_policy_overrides({past}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "TIMEOUT NO 2");
  orb.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing->ask("again"), "again");
  orb.manager()->set_policy_overrides({past}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "TIMEOUT NO 2");
}

}  // namespace
}  // namespace corbel::policies_test
