// SPDX-License-Identifier: Apache-2.0
// Which connections have to go when a server is at its limits, and which may not: a server that runs only when the test
// says so.
#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "raw_peer.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Deadline;
using test::Octets;
using test::raw_control;
using test::RawPeer;

constexpr int kSmall = 4096;
constexpr std::size_t kMebi = 1U << 20;

std::uint16_t listening_at(const Harness& harness) {
  const std::string text = harness.route.endpoint->text();
  return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
}

Octets echo_request(std::uint32_t id, const std::string& text = "x") {
  return test::raw_request(id, "key", "echo", [&](test::Writer& writer) { writer.string(text); });
}

Octets echo_reply(std::uint32_t id) {
  return test::Writer().giop(1, 2).u32(id).u32(0).u32(0).align(8).string("x").finish();
}

/// Asks for a reply with so many octets.
Octets big_request(std::uint32_t size) {
  return test::raw_request(1, "key", "big", [&](test::Writer& writer) { writer.u32(size); });
}

class AtItsLimits : public ::testing::Test {
 protected:
  AtItsLimits() {
    settings_.serving.concurrency = policy::Concurrency::single;
    settings_.patience = 0s;
  }
  void begin() {
    transport::Options accepting;
    accepting.send_buffer = kSmall;
    harness_.emplace("tcp://127.0.0.1:0", settings_, messaging::Version{1, 2}, accepting);
    harness_->serve = [](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      if (request.operation != "big") return Harness::echo(c, request, body);
      const std::string answer(body.get<std::uint32_t>(), 'y');
      (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                    [&](cdr::Encoder& encoder) { encoder.put_string(answer); });
    };
  }
  Server& server() { return harness_->server(); }

  /// Serves what has come, until `condition`. What was served then waits where it has to.
  template <class Condition>
  bool run_until(const Condition& condition) {
    const Deadline bound = Deadline::after(20s);
    do {
      server().perform_work();
      if (condition()) return true;
    } while (!bound.expired());
    return false;
  }
  /// Connects; the connection of the server's that was not there before, null if it turned the peer away.
  ConnectionPtr come(RawPeer& peer) {
    ConnectionPtr fresh;
    const auto known = server().all_live();
    EXPECT_TRUE(peer.connect(listening_at(*harness_)));
    EXPECT_TRUE(run_until([&] {
      for (const ConnectionPtr& each : server().all_live()) {
        if (std::find(known.begin(), known.end(), each) == known.end()) fresh = each;
      }
      return fresh || !peer.silent();
    }));
    return fresh;
  }
  bool is_served(RawPeer& peer) {
    return peer.send(echo_request(7)) && run_until([&] { return !peer.silent(); }) && peer.message() == echo_reply(7);
  }
  /// In order, and by now.
  static bool was_dismissed(RawPeer& peer) { return !peer.silent() && peer.rest() == raw_control(5); }
  /// Has it send the first octets of a message.
  void begin_message(RawPeer& peer, const Connection& connection, const Octets& octets) {
    ASSERT_TRUE(peer.send(octets));
    ASSERT_TRUE(run_until([&] { return connection.live.place == Place::half; }));
  }
  /// Has it ask for a large reply, which it does not take.
  void ask_for_much(RawPeer& peer, const Connection& connection, std::size_t size) {
    ASSERT_TRUE(peer.send(big_request(static_cast<std::uint32_t>(size))));
    ASSERT_TRUE(run_until([&] { return connection.live.place == Place::sending; }));
  }
  static void let_time_pass() {
    const std::int64_t before = Deadline::clock_now();
    while (Deadline::clock_now() == before) std::this_thread::yield();
  }

  Server::Settings settings_;
  std::optional<Harness> harness_;
};

TEST_F(AtItsLimits, WhoHasGoneNoLongerCountsAgainstItsHost) {
  settings_.limits.connections = 10;
  settings_.limits.connections_of_host = 2;
  begin();
  for (int i = 0; i < 5; ++i) {
    std::optional<RawPeer> peer(std::in_place);
    ASSERT_TRUE(come(*peer)) << i;
    EXPECT_TRUE(is_served(*peer));
    peer.reset();
    EXPECT_TRUE(run_until([&] { return server().all_live().empty(); }));
  }
}

TEST_F(AtItsLimits, WhoseRequestHasComeIsNotIdleHoweverLateItIsRead) {
  settings_.limits.idle = 500ms;
  begin();
  RawPeer peer;
  ASSERT_TRUE(come(peer));
  EXPECT_TRUE(is_served(peer));
  ASSERT_TRUE(peer.send(echo_request(7)));
  std::this_thread::sleep_for(600ms);
  ASSERT_TRUE(run_until([&] { return !peer.silent(); }));
  EXPECT_EQ(peer.message(), echo_reply(7));
  ASSERT_TRUE(run_until([&] { return !peer.silent(); }));
  EXPECT_TRUE(was_dismissed(peer)) << "now it is";
}

// A peer that does not read is given up by a timer of the reactor, which somebody has to run.
TEST_F(AtItsLimits, WhoEndsRunsTheReactorWhenWhoDidSoHasLeftIt) {
  begin();
  RawPeer peer;
  const ConnectionPtr connection = come(peer);
  ASSERT_TRUE(connection);
  ask_for_much(peer, *connection, 64 * kMebi);
  std::thread slices([&] {
    for (const Deadline leaves = Deadline::after(200ms); !leaves.expired();) (void)server().perform_work(1, leaves);
  });
  std::this_thread::sleep_for(50ms);  // in a slice, or before the first: then the rest shows nothing, and passes
  const auto begin = std::chrono::steady_clock::now();
  (void)server().stop(true, Deadline::after(60s));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  slices.join();
}

TEST_F(AtItsLimits, OldHalfAMessageLeavesBeforeWhoHasBeenIdleForLonger) {
  settings_.limits.connections = settings_.limits.connections_of_host = 2;
  begin();
  RawPeer idle;
  RawPeer half;
  ASSERT_TRUE(come(idle));
  const ConnectionPtr connection = come(half);
  ASSERT_TRUE(connection);
  begin_message(half, *connection, test::octets_of("GIOP"));
  RawPeer newcomer;
  EXPECT_TRUE(come(newcomer));
  EXPECT_TRUE(was_dismissed(half));
  EXPECT_TRUE(is_served(idle));
  EXPECT_TRUE(is_served(newcomer));
}

TEST_F(AtItsLimits, WhoHasJustBegunAMessageIsLetFinishIt) {
  settings_.limits.connections = settings_.limits.connections_of_host = 2;
  settings_.patience = 1h;
  begin();
  RawPeer idle;
  RawPeer half;
  ASSERT_TRUE(come(idle));
  const ConnectionPtr connection = come(half);
  ASSERT_TRUE(connection);
  const Octets whole = echo_request(7);
  begin_message(half, *connection, Octets(whole.begin(), whole.begin() + 20));
  RawPeer newcomer;
  EXPECT_TRUE(come(newcomer));
  EXPECT_TRUE(was_dismissed(idle));
  ASSERT_TRUE(half.send(Octets(whole.begin() + 20, whole.end())));
  ASSERT_TRUE(run_until([&] { return !half.silent(); }));
  EXPECT_EQ(half.message(), echo_reply(7));
}

TEST_F(AtItsLimits, WhoMayYetBeCalledLeavesAfterAllWhoAreIdle) {
  settings_.limits.connections = settings_.limits.connections_of_host = 2;
  begin();
  RawPeer lends;
  RawPeer idle;
  const ConnectionPtr connection = come(lends);
  ASSERT_TRUE(connection);
  const LenderPtr used = connection->keep_lender(base::make_shared<Lender>(*connection));
  ASSERT_TRUE(come(idle));
  RawPeer newcomer;
  EXPECT_TRUE(come(newcomer));
  EXPECT_TRUE(was_dismissed(idle));
  EXPECT_TRUE(is_served(lends));
  // With no others, one of them goes: the newcomer is not kept out.
  const LenderPtr also_used = [&] {
    for (const ConnectionPtr& each : server().all_live()) {
      if (each != connection) return each->keep_lender(base::make_shared<Lender>(*each));
    }
    return LenderPtr();
  }();
  RawPeer another;
  EXPECT_TRUE(come(another));
  EXPECT_TRUE(is_served(another));
}

// A connection that waits for an answer is spared as long as another one can be cut, and no longer.
TEST_F(AtItsLimits, HalfAMessageMakesRoomForAWholeOneAlsoWhereARequestRuns) {
  settings_.limits.input_memory = 100'000;
  begin();
  RawPeer busy;
  RawPeer honest;
  const ConnectionPtr connection = come(busy);
  ASSERT_TRUE(connection && come(honest));
  bool done = false;
  harness_->serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "echo") return Harness::echo(c, request, body);
    c.hand_over_slow_upcall();
    Octets much = echo_request(2, std::string(200'000, 'y'));
    much.resize(70'000);
    begin_message(busy, c, much);
    EXPECT_EQ(c.under_way(), 1U);
    ASSERT_TRUE(honest.send(echo_request(3, std::string(60'000, 'z'))));
    EXPECT_TRUE(run_until([&] { return !honest.silent(); }));
    done = true;
  };
  ASSERT_TRUE(busy.send(big_request(1)));
  ASSERT_TRUE(run_until([&] { return done; }));
  EXPECT_TRUE(connection->failed());
  ASSERT_FALSE(honest.silent());
  const auto reply = honest.message();
  EXPECT_TRUE(reply && reply->size() > 60'000);
}

// --- replies that are not taken ---

// By what it has taken so far, not by what it is owed.
TEST_F(AtItsLimits, WhoTakesNothingMakesRoomForTheRepliesOfOthers) {
  constexpr std::size_t kMemory = 16 * kMebi;
  settings_.limits.reply_memory = kMemory;
  begin();
  RawPeer reads(kSmall);
  RawPeer sleeps(kSmall);
  RawPeer another(kSmall);
  const ConnectionPtr reader = come(reads);
  const ConnectionPtr sleeper = come(sleeps);
  const ConnectionPtr asker = come(another);
  ASSERT_TRUE(reader && sleeper && asker);
  ask_for_much(reads, *reader, 8 * kMebi);
  ask_for_much(sleeps, *sleeper, 4 * kMebi);
  ASSERT_TRUE(run_until([&] {
    (void)reads.take(100'000);
    return reader->live.taken > kMebi;
  }));
  ASSERT_GT(reader->live.unread, sleeper->live.unread);
  let_time_pass();
  const std::size_t left = kMemory - server().reply_memory().used();
  ASSERT_TRUE(another.send(big_request(static_cast<std::uint32_t>(left + 2 * kMebi))));
  ASSERT_TRUE(run_until([&] { return asker->live.place == Place::sending; }));
  EXPECT_TRUE(sleeper->failed());
  EXPECT_FALSE(reader->failed());
}

TEST_F(AtItsLimits, WhatAPeerHasStillToTakeIsKnownAlsoWhileItsRequestRuns) {
  begin();
  RawPeer peer(kSmall);
  ASSERT_TRUE(come(peer));
  bool done = false;
  const std::string answer(4 * kMebi, 'y');
  harness_->serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder&) {
    (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                  [&](cdr::Encoder& encoder) { encoder.put_string(answer); });
    const std::size_t before = server().reply_memory().used();
    EXPECT_EQ(c.live.unread, before);
    EXPECT_TRUE(run_until([&] {
      (void)peer.take(100'000);
      return server().reply_memory().used() < before;
    }));
    EXPECT_EQ(c.live.unread, server().reply_memory().used());
    done = true;
  };
  ASSERT_TRUE(peer.send(big_request(1)));
  EXPECT_TRUE(run_until([&] { return done; }));
}

TEST_F(AtItsLimits, WhoTakesSomeOfAReplyHasItsTimeAnewForTheRest) {
  begin();
  RawPeer slow(kSmall);
  const ConnectionPtr connection = come(slow);
  ASSERT_TRUE(connection);
  ask_for_much(slow, *connection, 4 * kMebi);
  const std::int64_t before = connection->live.since;
  let_time_pass();
  server().perform_work();
  EXPECT_EQ(connection->live.since, before);
  ASSERT_TRUE(run_until([&] {
    (void)slow.take(100'000);
    return connection->live.taken != 0;
  }));
  EXPECT_GT(connection->live.since, before);
}

TEST_F(AtItsLimits, AConnectionThatEndsInOrderEndsBehindTheRepliesThatWait) {
  begin();
  RawPeer slow(kSmall);
  const ConnectionPtr connection = come(slow);
  ASSERT_TRUE(connection);
  ask_for_much(slow, *connection, 4 * kMebi);
  connection->drain();
  std::optional<Octets> reply;
  std::optional<Octets> end;
  std::atomic<bool> done{false};
  std::thread reading([&] {
    reply = slow.message();
    end = slow.rest();
    done = true;
  });
  EXPECT_TRUE(run_until([&] { return done.load(); }));
  reading.join();
  ASSERT_TRUE(reply);
  EXPECT_GT(reply->size(), 4 * kMebi);
  EXPECT_EQ(end, raw_control(5));
}

// --- with threads ---

TEST(AtTheLimitOfClients, ConnectionsThatAreOpenedHereTakeNoPlace) {
  Harness other("tcp://127.0.0.1:0");
  Server::Settings settings;
  settings.limits.connections = 1;
  settings.limits.connections_of_host = 1;
  Harness harness("tcp://127.0.0.1:0", settings);
  const ConnectionPtr own = other.connect();
  ASSERT_TRUE(own);
  const auto shared = harness.server().share(own);
  ASSERT_TRUE(shared && *shared);
  RawPeer client(listening_at(harness));
  ASSERT_TRUE(client.send(echo_request(1)));
  EXPECT_EQ(client.message(), echo_reply(1));
  EXPECT_FALSE(own->failed());
}

// The thread that reads is in a request itself. No tick helps here: the next one comes after the test.
TEST(AtTheLimitOfRequests, TheEndOfOneHasTheNextRead) {
  Server::Settings settings;
  settings.limits.requests_of_connection = 2;
  settings.serving.slow_upcall = 10min;
  Harness harness("tcp://127.0.0.1:0", settings);
  std::atomic<int> entered{0};
  std::atomic<bool> go[2] = {};
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "slow") {
      const int number = entered++;
      c.hand_over_slow_upcall();
      while (!go[number]) std::this_thread::yield();
    }
    Harness::echo(c, request, body);
  };
  RawPeer peer(listening_at(harness));
  const auto slow = [](std::uint32_t id) {
    return test::raw_request(id, "key", "slow", [](test::Writer& writer) { writer.string("x"); });
  };
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(peer.send(slow(static_cast<std::uint32_t>(i))));
    while (entered <= i) std::this_thread::yield();
  }
  ASSERT_TRUE(peer.send(echo_request(2)));
  go[0] = true;
  EXPECT_EQ(peer.message(), echo_reply(0));
  EXPECT_EQ(peer.message(), echo_reply(2));
  go[1] = true;
  EXPECT_EQ(peer.message(), echo_reply(1));
}

}  // namespace
}  // namespace corbel::connection
