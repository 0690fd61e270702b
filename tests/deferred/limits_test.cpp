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
  World world("tcp://127.0.0.1:0", {"-ORBMaxInputMemory", "1000000"});
  const std::string large(200'000, 'x');
  std::vector<std::unique_ptr<Caller>> callers;
  std::atomic<int> refused{0};
  for (int i = 0; i < 10; ++i) {
    callers.push_back(std::make_unique<Caller>([&] {
      try {
        return world.desk->ask(large);
      } catch (const CORBA::NO_RESOURCES& exception) {
        EXPECT_EQ(exception.completed(), CORBA::COMPLETED_NO);
        ++refused;
        throw;
      }
    }));
    if (i == 0) world.servant->await(1);
  }
  // Not all fit; what was refused is answered at once.
  while (static_cast<std::size_t>(refused) + world.servant->waiting() < 10) std::this_thread::yield();
  EXPECT_GT(refused, 4);
  EXPECT_GT(world.servant->waiting(), 0U);
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
