// SPDX-License-Identifier: Apache-2.0
// What clients get of servants that answer later, and what those get of a handler.
#include "support.hpp"

namespace corbel::deferred_test {
namespace {

TEST(DeferredReply, ComesOverEveryTransportAndProtocol) {
  for (const std::string& endpoint : all_endpoints()) {
    SCOPED_TRACE(endpoint);
    World world(endpoint);
    Caller caller([&] { return world.desk->ask("what is it?"); });
    Keeper::Asked asked = world.servant->take();
    EXPECT_EQ(asked.question, "what is it?");
    // Others are answered before, over the same connection.
    EXPECT_EQ(world.desk->ask("now"), "at once");
    EXPECT_TRUE(asked.answer->_is_awaited());
    std::thread([&] { asked.answer->ask("it is this"); }).join();
    EXPECT_FALSE(asked.answer->_is_awaited());
    EXPECT_EQ(caller.outcome(), "it is this");
  }
}

TEST(DeferredReply, HasEveryKindOfParameter) {
  World world;
  std::string head;
  std::string tail = "kept ";
  EXPECT_EQ(world.desk->split("one=two", '=', head, tail), 3);
  EXPECT_EQ(head, "one");
  EXPECT_EQ(tail, "kept two");
  EXPECT_EQ(world.desk->twice({1, 2, 3}), (Deferred::Numbers{2, 4, 6}));
  world.desk->title("chief");
  EXPECT_EQ(world.desk->title(), "chief");
  EXPECT_EQ(world.desk->served(), 0);
  EXPECT_EQ(world.desk->name(), "desk");
  CORBA::Any any;
  any <<= std::string("heavy");
  CORBA::Any back = world.desk->weigh(any);
  std::string text;
  ASSERT_TRUE(back >>= text);
  EXPECT_EQ(text, "heavy");
  world.desk->nothing();
  world.desk->tell("news");
  EXPECT_EQ(world.servant->await_news(), "news");
}

TEST(DeferredReply, IsAnExceptionTheSameAsOneThrown) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  world.servant->take().answer->ask_excep(Deferred::Refused("later"));
  EXPECT_EQ(caller.outcome(), "Refused later");

  Caller system([&] { return world.desk->ask("b"); });
  world.servant->take().answer->ask_excep(CORBA::NO_PERMISSION(7, CORBA::COMPLETED_YES));
  EXPECT_EQ(system.outcome(), "NO_PERMISSION");
  EXPECT_EQ(system.minor, 7U);
  EXPECT_EQ(system.completed, CORBA::COMPLETED_YES);

  // By a reference to a base, as where it was caught.
  Caller base([&] { return world.desk->ask("b"); });
  const CORBA::NO_PERMISSION caught(8, CORBA::COMPLETED_NO);
  world.servant->take().answer->ask_excep(static_cast<const CORBA::SystemException&>(caught));
  EXPECT_EQ(base.outcome(), "NO_PERMISSION");
  EXPECT_EQ(base.minor, 8U);

  Caller pointer([&] { return world.desk->ask("c"); });
  world.servant->take().answer->ask_excep(std::make_exception_ptr(Deferred::Refused("pointed at")));
  EXPECT_EQ(pointer.outcome(), "Refused pointed at");

  Caller unlisted([&] { return world.desk->ask("d"); });
  world.servant->take().answer->ask_excep(Deferred::Unlisted());
  EXPECT_EQ(unlisted.outcome(), "UNKNOWN");
  EXPECT_EQ(unlisted.minor, corba::minor::kUnlistedUserException);

  Caller foreign([&] { return world.desk->ask("e"); });
  world.servant->take().answer->ask_excep(std::runtime_error("not of CORBA"));
  EXPECT_EQ(foreign.outcome(), "UNKNOWN");
  EXPECT_EQ(foreign.minor, corba::minor::kForeignException);
}

TEST(DeferredReply, SaysOfACallOfTheServantsNoMoreThanIsKnown) {
  World world;
  const auto nobody =
      IDL::traits<Deferred::Desk>::unchecked_narrow(world.server->string_to_object("corbaloc::127.0.0.1:1/nobody"));
  for (const auto& desk : {world.desk, world.local}) {
    Caller caller([&] { return desk->ask("a"); });
    const Answer answer = world.servant->take().answer;
    try {
      nobody->nothing();
      ADD_FAILURE() << "there is somebody";
    } catch (const CORBA::SystemException& exception) {
      EXPECT_EQ(exception.completed(), CORBA::COMPLETED_NO);
      answer->ask_excep(std::current_exception());
    }
    EXPECT_EQ(caller.outcome(), "TRANSIENT");
    EXPECT_EQ(caller.completed, CORBA::COMPLETED_MAYBE);
  }
}

TEST(DeferredReply, IsWhatTheOperationThrows) {
  World world;
  EXPECT_EQ(Caller([&] { return world.desk->ask("throw"); }).outcome(), "Refused thrown");
  EXPECT_EQ(Caller([&] { return world.desk->ask("throw what is foreign"); }).outcome(), "UNKNOWN");
  EXPECT_TRUE(world.logs("servant threw a foreign exception", 1));
  // An answer is not taken back.
  EXPECT_EQ(Caller([&] { return world.desk->ask("answer and throw"); }).outcome(), "first");
  EXPECT_TRUE(world.logs("a servant threw after it had answered the request", 1));
}

TEST(DeferredReply, IsGivenOnce) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  const Answer answer = world.servant->take().answer;
  answer->ask("one");
  const auto refuses = [](const auto& act) {
    try {
      act();
      ADD_FAILURE() << "answered again";
    } catch (const CORBA::BAD_INV_ORDER& exception) {
      EXPECT_EQ(exception.minor(), corba::minor::kAnsweredBefore);
      EXPECT_EQ(exception.completed(), CORBA::COMPLETED_NO);
    }
  };
  refuses([&] { answer->ask("two"); });
  refuses([&] { answer->ask_excep(Deferred::Refused("two")); });
  EXPECT_EQ(caller.outcome(), "one");
  EXPECT_EQ(world.desk->ask("now"), "at once");
}

TEST(DeferredReply, IsGivenByTheFirstOfManyThreads) {
  World world("tcp://127.0.0.1:0");
  for (int round = 0; round < 20; ++round) {
    Caller caller([&] { return world.desk->ask("a"); });
    const Answer answer = world.servant->take().answer;
    std::atomic<int> given{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        try {
          answer->ask(std::to_string(i));
          ++given;
        } catch (const CORBA::BAD_INV_ORDER&) {
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(given, 1);
    EXPECT_EQ(caller.outcome().size(), 1U);
  }
}

TEST(DeferredReply, IsOfTheOperationThatWasCalled) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  const Answer answer = world.servant->take().answer;
  EXPECT_THROW(answer->nothing(), CORBA::BAD_PARAM);
  EXPECT_THROW(answer->ask_excep(std::exception_ptr()), CORBA::BAD_PARAM);
  EXPECT_TRUE(answer->_is_awaited());
  answer->ask("after all");
  EXPECT_EQ(caller.outcome(), "after all");
}

TEST(DeferredReply, ThatCannotBeMarshalledIsAnException) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  world.servant->take().answer->ask(std::string("NUL\0inside", 10));
  EXPECT_EQ(caller.outcome(), "BAD_PARAM");
  EXPECT_EQ(caller.completed, CORBA::COMPLETED_YES);
  EXPECT_TRUE(world.logs("results cannot be marshalled", 1));
}

TEST(DeferredReply, ThatWasDroppedIsNoResponse) {
  World world;
  Caller at_once([&] { return world.desk->ask("drop"); });
  EXPECT_EQ(at_once.outcome(), "NO_RESPONSE");
  EXPECT_EQ(at_once.minor, corba::minor::kNeverAnswered);
  EXPECT_EQ(at_once.completed, CORBA::COMPLETED_MAYBE);
  Caller later([&] { return world.desk->ask("a"); });
  (void)world.servant->take();
  EXPECT_EQ(later.outcome(), "NO_RESPONSE");
  EXPECT_TRUE(world.logs("the servant has dropped a request without an answer", 2));
}

TEST(DeferredReply, OfLargeResultsLeavesFromWhereTheyLie) {
  World world("tcp://127.0.0.1:0");
  const Deferred::Numbers many(1U << 20, 21);
  EXPECT_EQ(world.desk->twice(many), Deferred::Numbers(1U << 20, 42));
}

TEST(DeferredReply, IsServedInParallelWithOthersOfOneConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBThreads", "2"});
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 20; ++i)
    callers.push_back(std::make_unique<Caller>([&, i] { return world.desk->ask(std::to_string(i)); }));
  world.servant->await(20);
  for (int i = 0; i < 20; ++i) {
    const Keeper::Asked asked = world.servant->take();
    asked.answer->ask(asked.question + "!");
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(callers[static_cast<std::size_t>(i)]->outcome(), std::to_string(i) + "!");
}

}  // namespace
}  // namespace corbel::deferred_test
