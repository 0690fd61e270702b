// SPDX-License-Identifier: Apache-2.0
// -ORBClientIdleTimeout: connections end that no call uses, and no call ends for it.
#include <atomic>
#include <thread>

#include "support.hpp"

namespace corbel::policies_test {
namespace {

namespace answer = test::answer;
using test::FakePeer;

TEST(ClientIdleTimeout, WhatNoCallUsesIsClosedAndTheNextCallOpensAnother) {
  FakePeer peer({answer::text("here")});
  const Orb orb({"-ORBClientIdleTimeout", "100"});
  const ThingRef held = orb.thing(peer.ior());
  for (unsigned connections = 1; connections <= 3; ++connections) {
    EXPECT_EQ(held->ask(""), "here");
    EXPECT_EQ(peer.connections(), connections);
    ASSERT_TRUE(peer.wait_for_open(0)) << "a reference that is held holds no connection";
  }
  EXPECT_EQ(orb.thing(peer.ior())->ask(""), "here");
  EXPECT_TRUE(peer.wait_for_open(0));
}

TEST(ClientIdleTimeout, LeavesTheConnectionOfACallThatTakesLonger) {
  FakePeer peer({[](test::Conversation& client, const test::Received& request) {
    std::this_thread::sleep_for(400ms);
    answer::text("late")(client, request);
  }});
  const Orb orb({"-ORBClientIdleTimeout", "20"});
  const ThingRef thing = orb.thing(peer.ior());
  EXPECT_EQ(thing->ask(""), "late");
  EXPECT_EQ(thing->async_ask("").get(), "late");
  EXPECT_EQ(peer.requests(), 2U);
}

struct CountingThing final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string& question) override {
    ++calls;
    return question;
  }
  void note(std::int32_t) override { ++notes; }
  std::atomic<int> calls{0};
  std::atomic<int> notes{0};
};

TEST(ClientIdleTimeout, CallsThatBeginWhileTheirConnectionEndsAreMadeOnce) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 800;
  const Orb server;
  auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<CountingThing>();
  const std::string reference = server->object_to_string(root->servant_to_reference(servant));
  const Orb client({"-ORBClientIdleTimeout", "1"});
  const ThingRef shared = client.thing(reference);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const ThingRef own = client.thing(reference);
      for (int i = 0; i < kRounds; ++i) {
        const ThingRef& thing = (i + t) % 2 == 0 ? shared : own;
        const std::string ending = ending_of([&] {
          EXPECT_EQ((i % 3 == 0 ? thing->async_ask("x").get() : thing->ask("x")), "x");
          if (i % 4 == 0) thing->note(i);
        });
        if (ending != "done") {
          ++failed;
          ADD_FAILURE() << ending;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));  // some idle times are long enough
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(servant->calls, kThreads * kRounds);
  for (int waited = 0; waited < 2000 && servant->notes < kThreads * kRounds / 4; ++waited)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(servant->notes, kThreads * kRounds / 4);
}

}  // namespace
}  // namespace corbel::policies_test
