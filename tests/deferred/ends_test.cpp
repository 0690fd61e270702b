// SPDX-License-Identifier: Apache-2.0
// Ends of all kinds while requests wait for their answers.
#include <optional>

#include "support.hpp"

namespace corbel::deferred_test {
namespace {

TEST(EndOfDeferred, OfTheClientIsToldAndDropsTheAnswer) {
  for (const std::string& endpoint : all_endpoints()) {
    SCOPED_TRACE(endpoint);
    World world(endpoint);
    {
      Caller caller([&] { return world.desk->ask("a"); });
      const Keeper::Asked asked = world.servant->take();
      world.client->shutdown(false);
      EXPECT_NE(caller.outcome(), "late");
      EXPECT_TRUE(test::eventually([&] { return !asked.answer->_is_awaited(); }));
      asked.answer->ask("late");
      EXPECT_THROW(asked.answer->ask("again"), CORBA::BAD_INV_ORDER);
    }
    world.lose_client();
    EXPECT_EQ(world.local->ask("now"), "at once");
  }
}

/// Whoever asks keeps nothing alive that the answer lets go of: here the connection, which has ended.
TEST(EndOfDeferred, MayBeAskedAboutWhileAnotherThreadAnswers) {
  for (int round = 0; round < 20; ++round) {
    World world;
    Caller caller([&] { return world.desk->ask("a"); });
    const Keeper::Asked asked = world.servant->take();
    world.client->shutdown(false);
    EXPECT_NE(caller.outcome(), "late");
    EXPECT_TRUE(test::eventually([&] { return !asked.answer->_is_awaited(); }));
    std::atomic<bool> answered{false};
    std::atomic<bool> asks{false};
    std::thread asking([&] {
      while (!answered) {
        EXPECT_FALSE(asked.answer->_is_awaited());
        asks = true;
      }
    });
    EXPECT_TRUE(test::eventually([&] { return asks.load(); }));
    asked.answer->ask("late");
    answered = true;
    asking.join();
  }
}

TEST(EndOfDeferred, OfTheCallByTimeIsTold) {
  for (const char* endpoint : {"tcp://127.0.0.1:0", "giop_lite+unix://"}) {
    World world(endpoint);
    EXPECT_EQ(world.desk->ask("now"), "at once");  // connects
    const auto impatient = corbel::with_timeout(world.desk, std::chrono::milliseconds(1000));
    Caller caller([&] { return impatient->ask("a"); });
    const Keeper::Asked asked = world.servant->take();
    EXPECT_EQ(caller.outcome(), "TIMEOUT");
    // The client has said so: CancelRequest.
    EXPECT_TRUE(test::eventually([&] { return !asked.answer->_is_awaited(); }));
    asked.answer->ask("too late");
    EXPECT_TRUE(world.logs("nobody waits for the answer any more"));
    EXPECT_EQ(world.desk->ask("now"), "at once");
  }
}

TEST(EndOfDeferred, ShutdownThatWaitsWaitsForTheAnswer) {
  World world("tcp://127.0.0.1:0");
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  std::atomic<bool> over{false};
  std::thread ending([&] {
    world.server->shutdown(true);
    over = true;
  });
  EXPECT_TRUE(world.logs("shutting down"));
  EXPECT_FALSE(over);
  EXPECT_TRUE(asked.answer->_is_awaited());
  asked.answer->ask("in time");
  ending.join();
  EXPECT_EQ(caller.outcome(), "in time");
}

TEST(EndOfDeferred, ShutdownThatDoesNotWaitLetsTheAnswerLeave) {
  World world("tcp://127.0.0.1:0");
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  world.server->shutdown(false);
  EXPECT_TRUE(asked.answer->_is_awaited());
  asked.answer->ask("in time");
  EXPECT_EQ(caller.outcome(), "in time");
}

TEST(EndOfDeferred, IsBoundedByTheShutdownTimeout) {
  World world("tcp://127.0.0.1:0", {"-ORBShutdownTimeout", "50"});
  Caller caller([&] { return world.desk->ask("a"); });
  Caller here([&] { return world.local->ask("b"); });
  const Keeper::Asked one = world.servant->take();
  const Keeper::Asked other = world.servant->take();
  world.root.reset();
  world.server->destroy();
  EXPECT_EQ(caller.outcome(), "NO_RESPONSE");
  EXPECT_EQ(caller.minor, corba::minor::kNeverAnswered);
  EXPECT_EQ(here.outcome(), "NO_RESPONSE");
  EXPECT_TRUE(world.logs("requests that nobody has answered are answered by the end", 1));
  EXPECT_TRUE(world.logs("shut down", 1));
  world.local.reset();
  world.server.reset();
  // Handlers outlive the ORB. They then answer nobody, as the only ones who do not know of its end.
  EXPECT_FALSE(one.answer->_is_awaited());
  EXPECT_NO_THROW(one.answer->ask("too late"));
  EXPECT_NO_THROW(other.answer->ask_excep(Deferred::Refused("too late")));
}

TEST(EndOfDeferred, DestroyOfThePoaWaitsForTheAnswer) {
  World world;
  const auto poa = world.root->create_POA("child", world.root->the_POAManager(), {});
  const auto keeper = CORBA::make_reference<Keeper>();
  const auto id = poa->activate_object(keeper);
  const auto desk = world.remote(IDL::traits<Deferred::Desk>::narrow(poa->id_to_reference(id)));
  Caller caller([&] { return desk->ask("a"); });
  const Keeper::Asked asked = keeper->take();
  std::atomic<bool> over{false};
  std::thread ending([&] {
    poa->destroy(true, true);
    over = true;
  });
  EXPECT_TRUE(test::eventually([&] {
    try {
      (void)desk->ask("now");
      return false;
    } catch (const CORBA::SystemException&) {
      return true;
    }
  }));
  EXPECT_FALSE(over);
  asked.answer->ask("b");
  ending.join();
  EXPECT_EQ(caller.outcome(), "b");
}

TEST(EndOfDeferred, ManagersWaitForTheAnswer) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  std::atomic<bool> over{false};
  std::thread ending([&] {
    world.root->the_POAManager()->discard_requests(true);
    over = true;
  });
  EXPECT_TRUE(test::eventually(
      [&] { return world.root->the_POAManager()->get_state() == PortableServer::POAManager::State::DISCARDING; }));
  EXPECT_FALSE(over);
  asked.answer->ask("b");
  ending.join();
  EXPECT_EQ(caller.outcome(), "b");
}

TEST(EndOfDeferred, DeactivationEndsWithTheAnswer) {
  for (const bool collocated : {false, true}) {
    World world;
    const DeskRef& desk = collocated ? world.local : world.desk;
    EXPECT_EQ(desk->ask("now"), "at once");
    Caller caller([&] { return desk->ask("a"); });
    const Keeper::Asked asked = world.servant->take();
    world.root->deactivate_object(world.id);
    EXPECT_EQ(Caller([&] { return desk->ask("now"); }).outcome(), "OBJECT_NOT_EXIST");
    EXPECT_TRUE(asked.answer->_is_awaited());
    asked.answer->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
    // It has gone from the map: the id is free again.
    EXPECT_TRUE(test::eventually([&] {
      try {
        world.root->activate_object_with_id(world.id, world.servant);
        return true;
      } catch (const PortableServer::POA::ObjectAlreadyActive&) {
        return false;
      }
    }));
    EXPECT_EQ(desk->ask("now"), "at once");
  }
}

TEST(EndOfDeferred, OfTheObjectKeepsItsServantUntilTheAnswer) {
  World world;
  auto keeper = CORBA::make_reference<Keeper>();
  const CORBA::weak_servant_reference<Keeper> watched(keeper);
  const auto id = world.root->activate_object(keeper);
  const auto desk = world.remote(IDL::traits<Deferred::Desk>::narrow(world.root->id_to_reference(id)));
  Caller caller([&] { return desk->ask("a"); });
  const Keeper::Asked asked = keeper->take();
  world.root->deactivate_object(id);
  keeper.reset();
  // The thread that ran the request has left it.
  EXPECT_EQ(Caller([&] { return desk->ask("now"); }).outcome(), "OBJECT_NOT_EXIST");
  EXPECT_FALSE(watched.expired());
  asked.answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
  EXPECT_TRUE(test::eventually([&] { return watched.expired(); }));
}

TEST(EndOfDeferred, MayComeWhileThreadsAnswerAndDrop) {
  for (int round = 0; round < 10; ++round) {
    World world(round % 2 == 0 ? "tcp://127.0.0.1:0" : "unix://", {"-ORBShutdownTimeout", "2000"});
    std::atomic<bool> ending{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        while (!ending) (void)Caller([&] { return (i % 2 == 0 ? world.desk : world.local)->ask("a"); }).outcome();
      });
    }
    // Ends with the last request, so that those that the end lets in are answered, too.
    std::atomic<bool> ended{false};
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        for (int count = 0; !ended; ++count) {
          std::optional<Keeper::Asked> asked = world.servant->take_now();
          if (!asked) {
            std::this_thread::yield();
          } else if (count % 3 != 0) {
            asked->answer->ask("b");
          }
        }
      });
    }
    EXPECT_EQ(world.desk->ask("now"), "at once");
    ending = round % 3 == 0;
    world.server->shutdown(true);
    ending = true;
    ended = true;
    for (auto& thread : threads) thread.join();
  }
}

TEST(EndOfDeferred, OfASingleThreadIsNoMatterOfIts) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  std::thread running([&] { world.server->run(); });
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  EXPECT_EQ(world.desk->ask("now"), "at once");
  asked.answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
  world.server->shutdown(false);
  running.join();
}

}  // namespace
}  // namespace corbel::deferred_test
