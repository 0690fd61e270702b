// SPDX-License-Identifier: Apache-2.0
// Which connections get the threads.
#include <set>

#include "castle.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

struct Limit {
  const char* mode;
  int threads;
};

class Threads : public testing::TestWithParam<Limit> {};

// Sixteen at once from as many connections as they like: what runs at the same time is what -ORBThreads says.
TEST_P(Threads, AsManyServantsRunAtOnceAsTheOptionSays) {
  const auto [mode, threads] = GetParam();
  Server server({"-ORBConcurrency", mode, "-ORBThreads", std::to_string(threads)});
  Client client(server.reference, {"-ORBConnectionsPerEndpoint", "16"});
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) callers.emplace_back([&, i] { EXPECT_EQ(client.castle->slow(i), i); });
  ASSERT_TRUE(eventually([&] { return server.servant->inside == threads; }));
  server.servant->open();
  for (auto& caller : callers) caller.join();
  callers.clear();
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(client.castle->fast(k), k);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(server.servant->most_inside, threads);
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         testing::Values(Limit{"adaptive", 1}, Limit{"adaptive", 4}, Limit{"pool", 1}, Limit{"pool", 4},
                                         Limit{"adaptive", 2}, Limit{"thread_per_connection", 1},
                                         Limit{"thread_per_connection", 4}),
                         [](const auto& each) {
                           return std::string(each.param.mode) + std::to_string(each.param.threads);
                         });

// More of them than keep one by default, and idle for longer than those keep it.
TEST(ThreadPerConnection, EachConnectionKeepsItsThread) {
  Server server({"-ORBConcurrency", "thread_per_connection"});
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(
        std::make_unique<Client>(server.reference, std::vector<std::string>{}, "client" + std::to_string(i)));
    ASSERT_EQ(clients.back()->castle->fast(i), i);
    threads.push_back(server.servant->last_thread);
  }
  EXPECT_EQ(std::set<std::thread::id>(threads.begin(), threads.end()).size(), clients.size());
  std::this_thread::sleep_for(200ms);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ASSERT_EQ(clients[i]->castle->fast(1), 1);
    EXPECT_EQ(server.servant->last_thread.load(), threads[i]) << i;
  }
  // The end does not wait for their minute.
  const auto begin = std::chrono::steady_clock::now();
  server.orb->shutdown(false);
  server.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

// "single" is one thread at a time, however many the application gives.
TEST(Single, OneOfTheThreadsInRunServesAndAllOfThemReturn) {
  for (const std::string& endpoint : test::endpoints()) {
    Server server({"-ORBConcurrency", "single"}, endpoint);
    const auto run = [&] {
      try {
        server.orb->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // it was ended before this thread came here
      }
    };
    std::vector<std::thread> runners;
    for (int i = 0; i < 3; ++i) runners.emplace_back(run);
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&, i] {
        Client client(server.reference, {}, "client" + std::to_string(i));
        for (int k = 0; k < 50; ++k) EXPECT_EQ(client.castle->fast(k), k);
      });
    }
    for (int i = 0; i < 100; ++i) {
      server.orb->perform_work();
      (void)server.orb->work_pending();
    }
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(server.servant->fast_calls, 400);
    EXPECT_EQ(server.servant->most_inside, 1) << endpoint;
    server.orb->shutdown(false);
    for (auto& runner : runners) runner.join();
    server.wait();
  }
}

// While requests are short nobody waits for the next meanwhile. One that is not, after many that were, keeps nobody.
TEST(ShortRequests, OneThatWaitsForAnotherConnectionAfterManyThatDidNotIsAnswered) {
  for (const std::vector<std::string>& mode :
       std::vector<std::vector<std::string>>{{"-ORBConcurrency", "pool"}, {"-ORBStickyConnections", "0"}}) {
    Server server(mode);
    Client one(server.reference, {}, "one");
    Client other(server.reference, {}, "other");
    for (int round = 0; round < 3; ++round) {
      server.servant->close();
      for (int i = 0; i < 2000; ++i) ASSERT_EQ(one.castle->fast(i), i);
      std::thread waits([&] { EXPECT_EQ(one.castle->slow(round), round); });
      ASSERT_TRUE(eventually([&] { return server.servant->inside == 1; }));
      for (int i = 0; i < 10; ++i) ASSERT_EQ(other.castle->fast(i), i);
      server.servant->open();
      waits.join();
    }
  }
}

TEST(ShortRequests, MayCallBackAfterManyThatDidNot) {
  const std::vector<std::string> pool = {"-ORBConcurrency", "pool", "-ORBSlowUpcall", "60000"};
  Server one(pool, "tcp://127.0.0.1:0", "one");
  Server two(pool, "tcp://127.0.0.1:0", "two");
  const auto first = IDL::traits<Siege::Castle>::unchecked_narrow(two.orb->string_to_object(one.reference));
  const auto second = IDL::traits<Siege::Castle>::unchecked_narrow(two.orb->string_to_object(two.reference));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(first->fast(i), i);
    EXPECT_EQ(first->nest(second, 50), 50);
  }
}

// Were it the tick that lets the next request of a connection begin, this would not end: it comes once a minute.
TEST(Nesting, CallsInsideCallsWaitForNoTick) {
  Server one({"-ORBSlowUpcall", "60000"}, "tcp://127.0.0.1:0", "one");
  Server two({"-ORBSlowUpcall", "60000"}, "tcp://127.0.0.1:0", "two");
  const auto first = IDL::traits<Siege::Castle>::unchecked_narrow(two.orb->string_to_object(one.reference));
  const auto second = IDL::traits<Siege::Castle>::unchecked_narrow(two.orb->string_to_object(two.reference));
  for (int round = 0; round < 3; ++round) EXPECT_EQ(first->nest(second, 50), 50);
}

// Four connections, fifty requests on each: that one of them is slow tells that the others need not be waited for.
TEST(Nesting, ManySlowCallsOverFewConnectionsRunAtTheSameTime) {
  Server server;
  Client client(server.reference);
  std::vector<std::thread> callers;
  for (int i = 0; i < 200; ++i) callers.emplace_back([&, i] { EXPECT_EQ(client.castle->slow(i), i); });
  EXPECT_TRUE(eventually([&] { return server.servant->inside == 200; }));
  server.servant->open();
  for (auto& caller : callers) caller.join();
}

TEST(Pipelining, OneConnectionGetsAsManyThreadsAsItMayAndOthersAreServed) {
  Server server({"-ORBThreads", "16", "-ORBMaxRequestsPerConnection", "5"});
  const Target target(server.reference);
  test::RawPeer greedy(target.port);
  constexpr int kRequests = 300;
  for (std::uint32_t i = 1; i <= kRequests; ++i) {
    ASSERT_TRUE(greedy.send(test::raw_request(i, target.key, "slow", [&](test::Writer& w) { w.u32(i); })));
  }
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 5; }));
  Client honest(server.reference);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(honest.castle->fast(i), i);
  EXPECT_EQ(server.servant->inside, 5);
  server.servant->open();
  std::vector<bool> answered(kRequests + 1);
  for (int i = 1; i <= kRequests; ++i) {
    const auto reply = greedy.message();
    ASSERT_TRUE(reply);
    answered.at(test::Reader(*reply, true, 12).u32()) = true;
  }
  EXPECT_EQ(std::count(answered.begin(), answered.end(), true), kRequests);
  EXPECT_EQ(server.servant->slow_calls, kRequests);
  EXPECT_LE(server.servant->most_inside, 6);
}

// A client that never stops sending gets its turns, not the only thread.
TEST(Pipelining, AStreamOfRequestsTakesTurnsWithOthers) {
  for (const char* mode : {"adaptive", "pool"}) {
    Server server({"-ORBThreads", "1", "-ORBConcurrency", mode});
    const Target target(server.reference);
    std::atomic<bool> enough{false};
    std::thread stream([&] {
      test::RawPeer peer(target.port);
      test::Octets many;
      for (int i = 0; i < 1000; ++i) {
        const auto one = test::raw_request(
            1, target.key, "fast", [](test::Writer& w) { w.u32(5); }, 0);
        many.insert(many.end(), one.begin(), one.end());
      }
      while (!enough && peer.send(many)) {
      }
    });
    ASSERT_TRUE(eventually([&] { return server.servant->fast_calls > 1000; }));
    Client honest(server.reference);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(honest.castle->fast(i), i);
    enough = true;
    stream.join();
  }
}

TEST(Pipelining, WithAllTheThreadsInTheWorldOneIsLeftForOthers) {
  Server server({"-ORBThreads", "3"});
  const Target target(server.reference);
  test::RawPeer greedy(target.port);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(greedy.send(test::raw_request(i, target.key, "slow", [&](test::Writer& w) { w.u32(i); })));
  }
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 2; }));
  Client honest(server.reference);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(honest.castle->fast(i), i);
  EXPECT_EQ(server.servant->slow_calls, 2);
}

}  // namespace
}  // namespace corbel::siege
