// SPDX-License-Identifier: Apache-2.0
// Connections that end while the other way is in use: nothing is executed twice, and no caller is told what is not so.
#include <condition_variable>

#include "raw_guest.hpp"

namespace corbel::bidirectional_test {
namespace {

using BiDirPolicy::BOTH;
using test::ProfileData;

/// A gate that upcalls wait at.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait_for(lock, 20s, [&] { return open_; });
  }
  bool await_waiting() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return waiting_ != 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

class Endings : public ::testing::Test {
 protected:
  /// How a call of the raw guest ends if it does `act` when it is asked.
  std::string ending_if(const std::function<void(RawGuest&, std::uint32_t id)>& act) {
    RawGuest guest(server_);
    ProfileData profile;
    profile.host = "127.0.0.1";
    profile.port = 1;
    EXPECT_TRUE(guest.enter(profile, points_context({{profile.host, profile.port}})));
    std::thread acts([&] { act(guest, guest.await_request()); });
    const std::string ending = ending_of([&] { (void)server_.servant->guest()->ask(""); });
    acts.join();
    return ending;
  }

  ServerSide server_;
};

TEST_F(Endings, InOrderSayThatNothingWasExecuted) {
  // Then there is no other way.
  EXPECT_EQ(ending_if([](RawGuest& guest, std::uint32_t) {
              guest.peer().send(test::raw_control(test::kCloseConnection));
              guest.peer().end_sending();
            }),
            "TRANSIENT NO");
}

TEST_F(Endings, WithoutAWordSayNothing) {
  EXPECT_EQ(ending_if([](RawGuest& guest, std::uint32_t) { guest.peer().end_sending(); }), "COMM_FAILURE MAYBE");
  EXPECT_EQ(ending_if([](RawGuest& guest, std::uint32_t) {
              guest.peer().send(test::raw_control(test::kMessageError));
              guest.peer().end_sending();
            }),
            "COMM_FAILURE MAYBE");
  EXPECT_EQ(ending_if([](RawGuest& guest, std::uint32_t) { guest.peer().send(test::octets_of("no GIOP at all")); }),
            "MARSHAL MAYBE");
}

TEST_F(Endings, LeaveReferencesThatAreCalledAsOthersAre) {
  {
    ClientSide client;
    client.host(server_.ior())->enter(client.guest);
    EXPECT_EQ(server_.servant->guest()->ask(""), "guest: ");
  }
  EXPECT_EQ(ending_of([&] { (void)server_.servant->guest()->ask(""); }), "TRANSIENT NO");
  ClientSide another;
  another.host(server_.ior())->enter(another.guest);
  EXPECT_EQ(server_.servant->guest()->ask(""), "guest: ");
}

// What runs is answered before a side ends, whichever it is.
TEST_F(Endings, OfAClientsOrbWaitForWhatRunsThere) {
  Gate gate;
  auto client = std::make_unique<ClientSide>();
  client->servant->on_ask = [&] { gate.pass(); };
  client->host(server_.ior())->enter(client->guest);
  auto asked = server_.servant->guest()->async_ask("last");
  ASSERT_TRUE(gate.await_waiting());
  std::thread ends([&] { client->orb->shutdown(true); });
  EXPECT_TRUE(eventually([&] { return ending_of([&] { (void)client->guest->_is_a("x"); }) != "done"; }));
  gate.open();
  EXPECT_EQ(asked.get(), "guest: last");
  ends.join();
}

// What runs there may be waiting for the server, and that for another call-back: it is told at once that there is none.
TEST_F(Endings, OfAClientsOrbRefuseCallBacksThatComeMeanwhile) {
  Gate gate;
  auto client = std::make_unique<ClientSide>();
  const HostRef host = client->host(server_.ior());
  host->enter(client->guest);
  std::string inner;
  client->servant->on_ask = [&] {
    if (client->servant->asked != 1) return;
    gate.pass();
    inner = ending_of([&] { (void)host->call_back("too late"); });
  };
  auto asked = server_.servant->guest()->async_ask("last");
  ASSERT_TRUE(gate.await_waiting());
  std::thread ends([&] { client->orb->shutdown(true); });
  // Calls from here are refused a moment before those that come.
  EXPECT_TRUE(eventually([&] { return ending_of([&] { (void)server_.servant->guest()->_is_a("x"); }) != "done"; }));
  const auto begun = std::chrono::steady_clock::now();
  gate.open();
  EXPECT_EQ(asked.get(), "guest: last");
  EXPECT_EQ(inner, "TRANSIENT MAYBE 4") << "the outer one had begun";
  ends.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s) << "nobody waits for a time-out";
}

TEST(EndingsOfOrbs, OfAServersOrbWaitForTheCallBacksOfWhatRunsThere) {
  Gate gate;
  ServerSide server;
  ClientSide client(BOTH, {"-ORBConnectionsPerEndpoint", "1"});
  client.servant->on_ask = [&] { gate.pass(); };
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  auto called = host->async_call_back("x");
  ASSERT_TRUE(gate.await_waiting());
  std::thread ends([&] { server.orb->shutdown(true); });
  EXPECT_TRUE(eventually([&] { return ending_of([&] { (void)server.servant->self->_is_a("x"); }) != "done"; }));
  gate.open();
  EXPECT_EQ(called.get(), "host, guest: x");
  ends.join();
}

TEST(EndingsOfOrbs, OfTheOrbEndItsOwnCallBacks) {
  Gate gate;
  ServerSide server;
  ClientSide client;
  client.servant->on_ask = [&] { gate.pass(); };
  client.host(server.ior())->enter(client.guest);
  const GuestRef guest = server.servant->guest();
  std::string ending;
  std::thread calls([&] { ending = ending_of([&] { (void)guest->ask(""); }); });
  ASSERT_TRUE(gate.await_waiting());
  server.orb->shutdown(true);
  calls.join();
  EXPECT_EQ(ending, "BAD_INV_ORDER MAYBE 4");
  gate.open();
}

// A connection that is lent is not idle as long as there is a reference to call over it.
TEST(EndingsOfOrbs, OfIdleConnectionsSpareThoseThatAreLent) {
  ServerSide server(BOTH, {"-ORBIdleTimeout", "1000"});
  ClientSide client(BOTH, {"-ORBIdleTimeout", "1000"});
  client.host(server.ior())->enter(client.guest);
  Orb witness;
  const auto idle = IDL::traits<Guests::Host>::narrow(witness->string_to_object(server.ior()));
  // If this takes so long that it has been closed already, it is made anew.
  ASSERT_TRUE(eventually([&] {
    EXPECT_FALSE(idle->_non_existent());
    return server.orb.conversations(true) == 2;
  }));
  ASSERT_TRUE(eventually([&] { return server.orb.conversations(true) == 1; })) << "the idle one has not been closed";
  EXPECT_EQ(server.servant->guest()->ask("still"), "guest: still");
  server.servant->forget();
  EXPECT_TRUE(eventually([&] { return server.orb.conversations(true) == 0; })) << "nobody needs it any more";
}

TEST(EndingsOfOrbs, InTheMidstOfManyCallsExecuteNothingTwice) {
  ServerSide server;
  std::atomic<int> done{0};
  std::atomic<int> unknown{0};
  int executed = 0;
  for (int round = 0; round < 5; ++round) {
    ClientSide client;
    const HostRef host = client.host(server.ior());
    host->enter(client.guest);
    const GuestRef guest = server.servant->guest();
    std::vector<std::thread> threads;
    std::atomic<int> begun{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (bool there = true; there;) {
          ++begun;
          const std::string ending = ending_of([&] { (void)guest->ask(""); });
          there = ending == "done";
          if (there) ++done;
          if (ending.ends_with("MAYBE")) ++unknown;
        }
      });
    }
    EXPECT_TRUE(eventually([&] { return begun > 100; }));
    client.orb->shutdown(true);
    for (auto& thread : threads) thread.join();
    executed += client.servant->asked;
  }
  EXPECT_GE(executed, done);
  EXPECT_LE(executed, done + unknown);
}

}  // namespace
}  // namespace corbel::bidirectional_test
