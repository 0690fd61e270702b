// SPDX-License-Identifier: Apache-2.0
// Servants that answer later, called in their own process.
#include "support.hpp"

namespace corbel::deferred_test {
namespace {

TEST(DeferredReplyHere, IsWaitedForByTheCaller) {
  World world;
  EXPECT_EQ(world.local->ask("now"), "at once");
  Caller caller([&] { return world.local->ask("a"); });
  Keeper::Asked asked = world.servant->take();
  EXPECT_TRUE(asked.answer->_is_awaited());
  asked.answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
  EXPECT_FALSE(asked.answer->_is_awaited());
  EXPECT_THROW(asked.answer->ask("c"), CORBA::BAD_INV_ORDER);
}

TEST(DeferredReplyHere, HasEveryKindOfParameter) {
  World world;
  std::string head;
  std::string tail = "kept ";
  EXPECT_EQ(world.local->split("one=two", '=', head, tail), 3);
  EXPECT_EQ(head, "one");
  EXPECT_EQ(tail, "kept two");
  EXPECT_EQ(world.local->twice({1, 2, 3}), (Deferred::Numbers{2, 4, 6}));
  world.local->title("chief");
  EXPECT_EQ(world.local->title(), "chief");
  EXPECT_EQ(world.local->name(), "desk");
  CORBA::Any any;
  any <<= std::string("heavy");
  CORBA::Any back = world.local->weigh(any);
  std::string text;
  ASSERT_TRUE(back >>= text);
  EXPECT_EQ(text, "heavy");
  world.local->nothing();
  world.local->tell("news");
  EXPECT_EQ(world.servant->await_news(), "news");
}

TEST(DeferredReplyHere, EndsAsOverTheWire) {
  World world;
  EXPECT_EQ(Caller([&] { return world.local->ask("throw"); }).outcome(), "Refused thrown");
  EXPECT_EQ(Caller([&] { return world.local->ask("throw what is foreign"); }).outcome(), "UNKNOWN");
  EXPECT_EQ(Caller([&] { return world.local->ask("answer and throw"); }).outcome(), "first");
  Caller dropped([&] { return world.local->ask("drop"); });
  EXPECT_EQ(dropped.outcome(), "NO_RESPONSE");
  EXPECT_EQ(dropped.minor, corba::minor::kNeverAnswered);
  Caller refused([&] { return world.local->ask("a"); });
  world.servant->take().answer->ask_excep(Deferred::Refused("later"));
  EXPECT_EQ(refused.outcome(), "Refused later");
  Caller unlisted([&] { return world.local->ask("b"); });
  world.servant->take().answer->ask_excep(Deferred::Unlisted());
  EXPECT_EQ(unlisted.outcome(), "UNKNOWN");
  Caller wrong([&] { return world.local->ask("c"); });
  world.servant->take().answer->ask(std::string("NUL\0inside", 10));
  EXPECT_EQ(wrong.outcome(), "BAD_PARAM");
}

TEST(DeferredReplyHere, IsNotWaitedForLongerThanTheCallMayTake) {
  World world;
  const auto impatient = corbel::with_timeout(world.local, std::chrono::milliseconds(20));
  Caller caller([&] { return impatient->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  EXPECT_EQ(caller.outcome(), "TIMEOUT");
  EXPECT_EQ(caller.completed, CORBA::COMPLETED_MAYBE);
  EXPECT_FALSE(asked.answer->_is_awaited());
  asked.answer->ask("too late");
}

TEST(DeferredReplyHere, HasTheTimeThatTheServantHasLeft) {
  struct Slow final : Keeper {
    void ask(Answer answer, std::string question) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      Keeper::ask(std::move(answer), std::move(question));
    }
  };
  World world;
  const auto slow = CORBA::make_reference<Slow>();
  world.root->activate_object(slow);
  const auto desk = IDL::traits<Deferred::Desk>::unchecked_narrow(world.root->servant_to_reference(slow));
  const auto impatient = corbel::with_timeout(desk, std::chrono::milliseconds(600));
  for (int i = 0; i < 2; ++i) {  // also when the reference's policies are known
    Caller caller([&] { return impatient->ask("a"); });
    const Keeper::Asked asked = slow->take();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    asked.answer->ask("too late");
    EXPECT_EQ(caller.outcome(), "TIMEOUT");
  }
}

TEST(DeferredReplyHere, ComesToAsynchronousCallsToo) {
  World world;
  for (const auto& desk : {world.local, world.desk}) {
    auto future = desk->async_ask("a");
    world.servant->take().answer->ask("b");
    EXPECT_EQ(future.get(), "b");
  }
}

TEST(DeferredReplyHere, MayBeOfACallThatAnotherRequestMakes) {
  World world;
  Caller outer([&] { return world.desk->ask("outer"); });
  const Keeper::Asked asked = world.servant->take();
  Caller inner([&] { return world.local->ask("inner"); });
  world.servant->take().answer->ask("found");
  asked.answer->ask(inner.outcome());
  EXPECT_EQ(outer.outcome(), "found");
}

}  // namespace
}  // namespace corbel::deferred_test
