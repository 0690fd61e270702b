// SPDX-License-Identifier: Apache-2.0
// Calls that are cancelled: what they end in, what their peer is told, and who comes first.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <thread>

#include "cancelling.hpp"

namespace corbel::async_test {
namespace {

using namespace std::chrono_literals;

class OfCombination : public testing::TestWithParam<std::string> {};

TEST_P(OfCombination, EndsAtOnceAndLeavesTheConnectionUsable) {
  World world(GetParam());
  (void)world.echo->echo("first");
  for (int i = 0; i < 3; ++i) {
    auto future = world.echo->async_wait();
    world.servant->await_waiting(i + 1);
    EXPECT_TRUE(future.cancel());
    EXPECT_FALSE(future.cancel());
    EXPECT_TRUE(future.ready());
    EXPECT_EQ(outcome([&] { future.get(); }), "CANCELLED MAYBE");
    EXPECT_THROW((void)future.cancel(), CORBA::BAD_INV_ORDER);
    EXPECT_EQ(world.echo->async_echo("next").get(), "next");
  }
  world.servant->release();  // the replies nobody waits for
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.echo->echo("after"), "after");
}

INSTANTIATE_TEST_SUITE_P(Cancelling, OfCombination, testing::ValuesIn(all_endpoints()));

TEST(Cancelling, TellsThePeerOnceAndDropsTheReplyThatComesNevertheless) {
  std::promise<void> late;
  FakePeer peer({[told = late.get_future().share()](auto& conversation, const auto& request) {
                   told.wait();
                   answer::text("late")(conversation, request);
                 },
                 answer::text("next")});
  const Client client;
  const auto object = client.to(peer);
  auto future = object->async_echo("");
  ASSERT_TRUE(peer.wait_for_messages(1));
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(outcome([&] { future.get(); }), "CANCELLED MAYBE");
  late.set_value();
  ASSERT_TRUE(peer.wait_for_messages(2));
  const auto messages = peer.messages();
  EXPECT_EQ(messages[1].type, test::kCancelRequest);
  EXPECT_EQ(messages[1].request_id, messages[0].request_id);
  EXPECT_EQ(object->async_echo("").get(), "next");
  EXPECT_EQ(object->echo(""), "next");
  EXPECT_EQ(peer.connections(), 1U);
  EXPECT_EQ(peer.messages().size(), 4U);
}

TEST(Cancelling, LeavesACallThatIsOverAsItIs) {
  World world;
  for (const auto& object : {world.echo, world.local}) {
    auto future = object->async_echo("result");
    const Canceller canceller = future.canceller();
    future.wait();
    EXPECT_FALSE(future.cancel());
    EXPECT_FALSE(canceller.cancel());
    EXPECT_EQ(future.get(), "result");
    EXPECT_FALSE(canceller.cancel());
  }
  EXPECT_FALSE(Canceller().cancel());
}

TEST(Cancelling, LeavesACallThatCouldNotBeSentAsItIs) {
  World world;
  world.client->destroy();
  auto future = world.echo->async_echo("nobody");
  EXPECT_FALSE(future.canceller().cancel());
  EXPECT_FALSE(future.cancel());
  EXPECT_EQ(outcome([&] { (void)future.get(); }), "OBJECT_NOT_EXIST NO");
  world.client = nullptr;
}

/// While another thread waits in get().
void cancel_while_waiting(World& world, const EchoRef& object, const char* expected) {
  auto future = object->async_wait();
  const Canceller canceller = future.canceller();
  world.servant->await_waiting(1);  // else the thread that waits might become the servant's
  auto waits = std::async(std::launch::async, [&] { return outcome([&] { future.get(); }); });
  std::this_thread::sleep_for(50ms);  // for that thread to sleep, or to read
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(canceller.cancel());
  EXPECT_EQ(waits.wait_for(5s), std::future_status::ready);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
  world.servant->release();
  EXPECT_EQ(waits.get(), expected);
}

TEST(Cancelling, WakesWhoWaits) {
  for (const bool warm : {false, true}) {
    World world;
    if (warm) world.echo->async_nothing().get();
    cancel_while_waiting(world, world.echo, "CANCELLED MAYBE");
  }
}

TEST(Cancelling, WakesWhoReadsBecauseThereIsNobodyElse) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  world.echo->async_nothing().get();
  cancel_while_waiting(world, world.echo, "CANCELLED MAYBE");
}

TEST(Cancelling, OfACallInsideTheProcessLeavesItsServantToRun) {
  World world;
  cancel_while_waiting(world, world.local, "CANCELLED MAYBE");
  EXPECT_EQ(world.local->async_echo("next").get(), "next");
}

TEST(Cancelling, OfACallInsideTheProcessThatHasNotBegunKeepsItFromBeginning) {
  const OrbRef orb = make_orb("alone", {"-ORBConcurrency", "single"});  // whoever waits runs the servant
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<EchoServant>();
  root->activate_object(servant);
  const auto object = IDL::traits<Async::Peer>::narrow(root->servant_to_reference(servant));
  auto first = object->async_nothing();
  auto second = object->async_nothing();
  EXPECT_TRUE(first.cancel());
  EXPECT_EQ(outcome([&] { first.get(); }), "CANCELLED NO");
  second.get();
  EXPECT_EQ(servant->served(), 1);
  orb->destroy();
}

struct Awaited {
  std::promise<std::string> outcome;
  std::thread::id ran_on;
  bool cancelled_itself = false;
};

Task await(Future<std::string> future, Awaited& awaited) {
  const Canceller canceller = future.canceller();
  std::string ended = "done";
  std::exception_ptr failure;
  try {
    (void)co_await std::move(future);
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure != nullptr) ended = outcome([&] { std::rethrow_exception(failure); });
  awaited.cancelled_itself = canceller.cancel();
  awaited.ran_on = std::this_thread::get_id();
  awaited.outcome.set_value(ended);
}

TEST(Cancelling, ThrowsInTheCoroutineThatAwaitsTheCallInAThreadOfTheOrb) {
  World world;
  for (const auto& object : {world.echo, world.local}) {
    auto future = object->async_echo("over");
    future.wait();
    Awaited over;
    await(std::move(future), over);
    EXPECT_EQ(over.outcome.get_future().get(), "done");
    EXPECT_FALSE(over.cancelled_itself);

    FakePeer silent({answer::nothing()});
    auto endless =
        IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(silent.ior()))->async_echo("");
    const Canceller canceller = endless.canceller();
    Awaited awaited;
    await(std::move(endless), awaited);
    EXPECT_TRUE(canceller.cancel());
    EXPECT_EQ(awaited.outcome.get_future().get(), "CANCELLED MAYBE");
    EXPECT_FALSE(awaited.cancelled_itself);
    EXPECT_NE(awaited.ran_on, std::this_thread::get_id());
  }
}

// --- races: each call ends once, and cancel() says truly whether it was that which ended it ---

void spin(std::chrono::nanoseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) continue;
}

/// Lets two threads do something at about the same time, the second later or earlier from turn to turn.
template <class First, class Second>
void at_once(int turn, const First& first, const Second& second) {
  std::atomic<bool> go{false};
  std::thread other([&] {
    while (!go) continue;
    spin(turn % 40 * 2us);
    second();
  });
  go = true;
  spin(turn % 7 * 5us);
  first();
  other.join();
}

constexpr int kTurns = 600;

/// Races cancel() of calls that `begin` begins against what ends them.
template <class Begin>
void race(const Begin& begin, const std::vector<std::string>& otherwise, int turns = kTurns,
          const std::function<void(int)>& end = nullptr) {
  int cancelled = 0;
  for (int turn = 0; turn < turns; ++turn) {
    auto future = begin();
    const Canceller canceller = future.canceller();
    bool mine = false;
    std::string ended;
    if (end) {
      std::thread ending([&] { end(turn); });
      at_once(
          turn, [&] { ended = outcome([&] { (void)future.get(); }); }, [&] { mine = canceller.cancel(); });
      ending.join();
    } else {
      at_once(
          turn, [&] { ended = outcome([&] { (void)future.get(); }); }, [&] { mine = canceller.cancel(); });
    }
    cancelled += mine ? 1 : 0;
    if (mine) {
      EXPECT_TRUE(ended == "CANCELLED MAYBE" || ended == "CANCELLED NO") << ended;
    } else {
      EXPECT_NE(std::find(otherwise.begin(), otherwise.end(), ended), otherwise.end()) << ended;
    }
  }
  testing::Test::RecordProperty("cancelled", cancelled);
}

TEST(CancellingRace, AgainstTheReply) {
  for (const char* concurrency : {"adaptive", "single"}) {
    World world("unix://", {"-ORBConcurrency", concurrency});
    race([&] { return world.echo->async_echo("x"); }, {"done"});
    race([&] { return world.local->async_echo("x"); }, {"done"});
    EXPECT_EQ(world.echo->echo("after"), "after");
  }
}

TEST(CancellingRace, AgainstTheDeadline) {
  World world("tcp://127.0.0.1:0", {"-ORBCallTimeout", "2"});
  FakePeer silent({answer::nothing()});
  const auto object = IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(silent.ior()));
  race(
      [&] {
        auto future = object->async_echo("");
        std::this_thread::sleep_for(1900us);
        return future;
      },
      {"TIMEOUT MAYBE", "TIMEOUT NO"}, 200);
}

TEST(CancellingRace, AgainstTheEndOfTheConnection) {
  FakePeer peer({answer::nothing()});
  const Client client;
  const auto object = client.to(peer);
  race([&] { return object->async_echo(""); }, {"COMM_FAILURE MAYBE", "TRANSIENT NO"}, 150,
       [&](int turn) {
         if (turn % 2 == 0) std::this_thread::sleep_for(20us * (turn % 10));
         // One that comes back while it ends is ended, too.
         for (int i = 0; i < 2; ++i) peer.close_all(false), std::this_thread::sleep_for(1ms);
         peer.close_all(false);
       });
}

TEST(CancellingRace, AgainstTheEndOfTheOrb) {
  FakePeer peer({answer::nothing()});
  for (int turn = 0; turn < 60; ++turn) {
    Client client;
    auto future = client.to(peer)->async_echo("");
    const Canceller canceller = future.canceller();
    bool mine = false;
    at_once(
        turn, [&] { client.orb->shutdown(true); }, [&] { mine = canceller.cancel(); });
    EXPECT_EQ(outcome([&] { (void)future.get(); }), mine ? "CANCELLED MAYBE" : "BAD_INV_ORDER MAYBE");
    EXPECT_FALSE(canceller.cancel());
  }
}

TEST(CancellingRace, AgainstAnotherOne) {
  World world("unix://");
  FakePeer silent({answer::nothing()});
  const auto object = IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(silent.ior()));
  for (int turn = 0; turn < kTurns; ++turn) {
    auto future = object->async_echo("");
    const Canceller canceller = future.canceller();
    std::atomic<int> won{0};
    at_once(
        turn, [&] { won += future.cancel() ? 1 : 0; }, [&] { won += canceller.cancel() ? 1 : 0; });
    EXPECT_EQ(won, 1);
    EXPECT_EQ(outcome([&] { (void)future.get(); }), "CANCELLED MAYBE");
  }
}

TEST(CancellingRace, AgainstTheReplyThatACoroutineAwaits) {
  World world("unix://");
  for (int turn = 0; turn < kTurns; ++turn) {
    auto future = (turn % 3 == 0 ? world.local : world.echo)->async_echo("x");
    const Canceller canceller = future.canceller();
    Awaited awaited;
    bool mine = false;
    at_once(
        turn, [&] { await(std::move(future), awaited); }, [&] { mine = canceller.cancel(); });
    EXPECT_EQ(awaited.outcome.get_future().get().starts_with("CANCELLED"), mine);
    EXPECT_FALSE(awaited.cancelled_itself);
  }
}

TEST(CancellingRace, AgainstAForward) {
  FakePeer last({answer::text("there")});
  FakePeer first({answer::forward({last.profile()})});
  for (int turn = 0; turn < 100; ++turn) {
    const Client client;
    race([&, object = client.to(first)] { return object->async_echo(""); }, {"done"}, 4);
  }
}

}  // namespace
}  // namespace corbel::async_test
