// SPDX-License-Identifier: Apache-2.0
// The orderly end: nothing that was begun is lost, nothing is executed twice, and it has a bound.
#include "castle.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

class Ending : public testing::TestWithParam<std::string> {};

TEST_P(Ending, TheReplyToTheRequestThatEndsTheServerArrives) {
  for (int round = 0; round < 50; ++round) {
    Server server({}, GetParam());
    Client client(server.reference);
    ASSERT_EQ(client.castle->stop(), 42) << "round " << round;
    server.wait();
    EXPECT_EQ(server.servant->stops, 1);
  }
}

TEST_P(Ending, DestroyingAtOnceDoesNotCutRepliesOff) {
  for (int round = 0; round < 10; ++round) {
    auto server = std::make_unique<Server>(std::vector<std::string>{}, GetParam());
    Client client(server->reference);
    std::atomic<int> answered{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 6; ++i) {
      callers.emplace_back([&, i] {
        if (client.castle->slow(i) == i) ++answered;
      });
    }
    ASSERT_TRUE(eventually([&] { return server->servant->inside == 6; }));
    server->orb->shutdown(false);
    EXPECT_EQ(server->servant->inside, 6);
    server.reset();  // lets them go on, waits for run() and destroys
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(answered, 6) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ending, testing::ValuesIn(test::endpoints()));

// The system tells of room for more only when there is much of it: a peer that reads need not fill that in half a
// second.
TEST(EndingSlowly, WhoReadsSteadilyGetsAllOfItsReply) {
  constexpr std::uint32_t kOctets = 6U << 20;
  constexpr std::size_t kAtOnce = 75U << 10;
  std::size_t taken = 0;
  const auto until = std::chrono::steady_clock::now() + 60s;
  const auto in_time = [&] { return std::chrono::steady_clock::now() < until; };
  // Again if the machine has kept it from reading, or the server from seeing that it read.
  for (int tries = 0; tries < 6 && taken < kOctets && in_time(); ++tries) {
    Server server;
    const Target target(server.reference);
    test::RawPeer peer(target.port, 64 << 10);
    ASSERT_TRUE(peer.send(test::raw_request(1, target.key, "big", [&](test::Writer& w) { w.u32(kOctets); })));
    ASSERT_TRUE(eventually([&] { return server.servant->big_calls == 1; }));
    server.orb->shutdown(false);
    taken = 0;
    for (bool cut = false; !cut && taken < kOctets && in_time();) {
      const bool waits = peer.silent();
      const std::size_t some = peer.take(std::min(kAtOnce, kOctets - taken));
      taken += some;
      cut = !waits && some == 0;
      std::this_thread::sleep_for(50ms);
    }
  }
  EXPECT_EQ(taken, kOctets);
}

// Who comes over tcp while a server stops listening hears of it when he tries again, a second later.
TEST(EndingAtOnce, WhoIsToldOfTheEndFindsNobodyListening) {
  int late = 0;
  for (int round = 0; round < 30; ++round) {
    Server server({}, "tcp://127.0.0.1:0");
    Client client(server.reference);
    EXPECT_EQ(client.castle->fast(1), 1);
    std::thread caller([&] {
      try {
        for (;;) (void)client.castle->fast(2);
      } catch (const CORBA::SystemException& end) {
        EXPECT_EQ(end.completed(), CORBA::CompletionStatus::COMPLETED_NO) << end.what();
      }
    });
    std::this_thread::sleep_for(2ms);
    const auto begun = std::chrono::steady_clock::now();
    server.orb->shutdown(false);
    caller.join();
    late += std::chrono::steady_clock::now() - begun >= 900ms ? 1 : 0;
  }
  EXPECT_LE(late, 3);  // as a loaded machine may be sometimes
}

/// Comes anew for each request, until nobody listens any more; how many could not tell whether theirs was executed.
int come_until_the_end(const Target& target) {
  const auto request = test::raw_request(1, target.key, "fast", [](test::Writer& w) { w.u32(7); });
  for (int lost = 0;;) {
    test::RawPeer peer;
    if (!peer.connect(target.port)) return lost;
    (void)peer.send(request);
    const auto answer = peer.message();
    const bool told = answer && (answer->at(7) == 1 || *answer == test::raw_control(5));
    if (!told) ++lost;
  }
}

// A server's end is an instant, which clients that come all the time meet when there are many ends.
TEST(EndingUnderRush, WhoComesIsServedOrKnowsThatNothingWasExecuted) {
  constexpr int kServers = 30;
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<std::thread> clients;
  std::atomic<int> lost{0};
  for (int i = 0; i < kServers; ++i) {
    servers.push_back(std::make_unique<Server>(std::vector<std::string>{}, "tcp://127.0.0.1:0", std::to_string(i)));
  }
  for (auto& server : servers) {
    const auto calls = [&] { return server->servant->fast_calls.load(); };
    for (int i = 0; i < 3; ++i) clients.emplace_back([&] { lost += come_until_the_end(Target(server->reference)); });
    ASSERT_TRUE(eventually([&] { return calls() > 20; }));
    server->orb->shutdown(false);
    server->wait();
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(lost, 0);
}

// A client that took the end of the first for "not executed" would ask the second.
TEST(EndingReplicas, OneExecutesTheCallThatEndsIt) {
  for (int round = 0; round < 20; ++round) {
    Server one({}, "tcp://127.0.0.1:0", "one");
    Server two({}, "tcp://127.0.0.1:0", "two");
    auto both = *ior::from_string(one.reference);
    const auto second = *ior::from_string(two.reference);
    both.profiles.insert(both.profiles.end(), second.profiles.begin(), second.profiles.end());
    Client client(ior::to_string(both), {"-ORBConnectHeadStart", "10000"});  // the first is the one that is asked
    EXPECT_EQ(client.castle->stop(), 42);
    one.wait();
    EXPECT_EQ(one.servant->stops, 1);
    EXPECT_EQ(two.servant->stops, 0);
    EXPECT_EQ(client.castle->fast(7), 7);
    EXPECT_EQ(two.servant->fast_calls, 1);
  }
}

TEST(EndingWithin, NoMoreThanItsTimeWhateverRuns) {
  auto orb = make_orb("stuck", {"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBShutdownTimeout", "200"});
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<CastleServant>();
  poa->activate_object(servant);
  const std::string reference = orb->object_to_string(poa->servant_to_reference(servant));
  poa->the_POAManager()->activate();
  Client client(reference);
  std::thread caller([&] { EXPECT_THROW(client.castle->slow(1), CORBA::SystemException); });
  ASSERT_TRUE(eventually([&] { return servant->inside == 1; }));
  // The runner starts only now: before, it would have been the thread that is stuck.
  std::thread runner([&] {
    try {
      orb->run();
    } catch (const CORBA::BAD_INV_ORDER&) {  // it was ended before this thread came here
    }
  });
  orb->shutdown(false);
  runner.join();  // run() returns although a servant is stuck, and the connection is cut
  caller.join();
  EXPECT_EQ(servant->inside, 1);
  servant->open();
  ASSERT_TRUE(eventually([&] { return servant->inside == 0; }));
  orb->destroy();
}

// No thread is left to look at the time then, but one has to.
TEST(EndingWithin, ItsTimeWhenEveryThreadIsInARequest) {
  for (const bool running : {true, false}) {
    auto orb = make_orb("full", {"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBShutdownTimeout", "200",
                                 "-ORBThreads", "1", "-ORBCollocation", "off"});
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto servant = CORBA::make_reference<CastleServant>();
    poa->activate_object(servant);
    const std::string reference = orb->object_to_string(poa->servant_to_reference(servant));
    poa->the_POAManager()->activate();
    Client client(reference);
    std::thread runner;
    if (running) {
      runner = std::thread([&] {
        try {
          orb->run();
        } catch (const CORBA::BAD_INV_ORDER&) {  // it was ended before this thread came here
        }
      });
    }
    std::atomic<bool> told{false};
    std::thread caller([&] {
      EXPECT_THROW(client.castle->slow(1), CORBA::SystemException);
      told = true;
    });
    ASSERT_TRUE(eventually([&] { return servant->inside == 1; }));
    orb->shutdown(false);
    EXPECT_TRUE(eventually([&] { return told.load(); }, 20s));
    servant->open();
    caller.join();
    if (running) runner.join();
    orb->destroy();
  }
}

}  // namespace
}  // namespace corbel::siege
