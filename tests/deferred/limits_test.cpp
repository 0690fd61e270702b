// SPDX-License-Identifier: Apache-2.0
// What peers can make a server keep by not being answered.
#include "support.hpp"

namespace corbel::deferred_test {
namespace {

TEST(LimitOfDeferred, OfOneConnectionRefusesMore) {
  World world("tcp://127.0.0.1:0", {"-ORBMaxDeferredPerConnection", "3"}, {"-ORBConnectionsPerEndpoint", "1"});
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 3; ++i) callers.push_back(std::make_unique<Caller>([&] { return world.desk->ask("a"); }));
  world.servant->await(3);
  Caller refused([&] { return world.desk->ask("b"); });
  EXPECT_EQ(refused.outcome(), "TRANSIENT");
  EXPECT_EQ(refused.minor, corba::minor::kTooManyDeferred);
  EXPECT_EQ(refused.completed, CORBA::COMPLETED_NO);
  EXPECT_TRUE(world.logs("request refused: too many of its connection wait for their answers"));
  EXPECT_EQ(world.servant->waiting(), 3U);
  // An answer makes room.
  world.servant->take().answer->ask("a");
  Caller next([&] { return world.desk->ask("c"); });
  world.servant->await(3);
  while (world.servant->waiting() != 0) world.servant->take().answer->ask("d");
  for (auto& caller : callers) (void)caller->outcome();
  EXPECT_EQ(next.outcome(), "d");
}

TEST(LimitOfDeferred, OfMemoryCountsArgumentsUntilTheyAreAnswered) {
  World world("tcp://127.0.0.1:0", {"-ORBMaxInputMemory", "1000000"}, {"-ORBConnectionsPerEndpoint", "16"});
  const std::string large(200'000, 'x');
  std::vector<std::unique_ptr<Caller>> callers;
  std::size_t refused = 0;
  // One after the other, so that no message is in the way of another.
  for (std::size_t i = 0; i < 10; ++i) {
    const auto over = std::make_shared<std::atomic<bool>>(false);
    callers.push_back(std::make_unique<Caller>([&, over] {
      try {
        return world.desk->ask(large);
      } catch (const CORBA::SystemException& exception) {
        EXPECT_EQ(exception.completed(), CORBA::COMPLETED_NO);
        *over = true;
        throw;
      }
    }));
    while (!*over && world.servant->waiting() + refused == i) std::this_thread::yield();
    if (!*over) continue;
    EXPECT_EQ(callers.back()->outcome(), "NO_RESOURCES");
    ++refused;
  }
  EXPECT_GT(refused, 4U);
  EXPECT_GT(world.servant->waiting(), 1U);
  while (world.servant->waiting() != 0) world.servant->take().answer->ask("done");
  for (auto& caller : callers) (void)caller->outcome();
  // All of it has been given back.
  Caller again([&] { return world.desk->ask(large); });
  world.servant->take().answer->ask("done");
  EXPECT_EQ(again.outcome(), "done");
}

TEST(LimitOfDeferred, DoesNotTakeThoseWhoWaitForIdle) {
  // The second client finds no room: the first one waits for an answer.
  World world("tcp://127.0.0.1:0", {"-ORBMaxConnections", "1", "-ORBMaxConnectionsPerPeer", "1"});
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  const OrbRef second = make_orb("second");
  const auto other = IDL::traits<Deferred::Desk>::unchecked_narrow(
      second->string_to_object(world.server->object_to_string(world.local)));
  EXPECT_NE(Caller([&] { return corbel::with_timeout(other, std::chrono::milliseconds(200))->ask("now"); }).outcome(),
            "at once");
  asked.answer->ask("still here");
  EXPECT_EQ(caller.outcome(), "still here");
  EXPECT_TRUE(test::eventually([&] { return Caller([&] { return other->ask("now"); }).outcome() == "at once"; }));
  second->destroy();
}

}  // namespace
}  // namespace corbel::deferred_test
