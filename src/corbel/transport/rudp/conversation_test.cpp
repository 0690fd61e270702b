// SPDX-License-Identifier: Apache-2.0
// The protocol by itself: no socket, no thread, and a time that passes as fast as the test can make it.
#include "corbel/transport/rudp/conversation.hpp"

#include <gtest/gtest.h>

#include "corbel/transport/rudp/simulation.hpp"

namespace corbel::transport::rudp_tests {
namespace {

using base::Code;

/// Both ways at once; how long it took.
Time exchange(Simulation& simulation, std::size_t size) {
  EXPECT_TRUE(simulation.connect());
  Transfer forth{pattern(size, 1)}, back{pattern(size, 2)};
  const Time begin = simulation.now();
  EXPECT_TRUE(simulation.run_until([&] {
    forth.go_on(simulation.client(), simulation.server());
    back.go_on(simulation.server(), simulation.client());
    return forth.is_done() && back.is_done();
  }));
  EXPECT_TRUE(forth.arrived == forth.octets);
  EXPECT_TRUE(back.arrived == back.octets);
  return simulation.now() - begin;
}

TEST(Conversation, CarriesBothWaysWithoutSendingAnythingTwice) {
  Simulation simulation({});
  exchange(simulation, 1 << 20);
  EXPECT_EQ(simulation.client().sending().repeated(), 0U);
  EXPECT_EQ(simulation.server().sending().repeated(), 0U);
  EXPECT_LE(simulation.largest(), kSafeDatagram);
}

TEST(Conversation, WhateverTheNetworkDoesAllArrivesInOrder) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    Simulation simulation({.lost = 20, .twice = 10, .late = 30, .damaged = 5}, {}, {}, seed);
    exchange(simulation, 200'000);
    EXPECT_GT(simulation.damaged(), 0U);
  }
}

TEST(Conversation, BuffersOfAnySizeAndDatagramsOfAnySizeAgree) {
  std::uint32_t seed = 1;
  for (const std::size_t buffer : {4096U, 5000U, 70'000U}) {
    for (const std::size_t datagram : {std::size_t{512}, std::size_t{1'000}, kLargestDatagram}) {
      const Terms odd{.send_buffer = buffer, .receive_buffer = 2 * buffer + 1, .datagram = datagram};
      Simulation simulation({.lost = 10, .late = 20}, odd, {}, ++seed);
      exchange(simulation, 100'000);
      EXPECT_LE(simulation.largest(), std::min(datagram, kSafeDatagram));
    }
  }
}

TEST(Conversation, OneInAHundredLostCostsLittle) {
  Simulation calm({.delay = 10ms}), rough({.lost = 1, .delay = 10ms});
  const Time best = exchange(calm, 2 << 20);
  // A window that is halved once in a hundred segments is a dozen of them, in the mean.
  EXPECT_LT(exchange(rough, 2 << 20), 16 * best);
}

TEST(Conversation, ManyLostMakeItSlowAndNotStandStill) {
  Simulation simulation({.lost = 20});
  EXPECT_LT(exchange(simulation, 1 << 20), 60s);
}

// What is under way at a time shrinks when much is lost: a network that has too much gets less.
TEST(Conversation, SendsLessAtATimeWhenMuchIsLost) {
  Simulation simulation({.delay = 10ms});
  exchange(simulation, 2 << 20);
  const std::size_t before = simulation.client().sending().window();
  EXPECT_GT(before, Sending::kFirstWindow);
  simulation.weather().lost = 30;
  Transfer more{pattern(300'000)};
  ASSERT_TRUE(simulation.run_until([&] {
    more.go_on(simulation.client(), simulation.server());
    return more.is_done();
  }));
  EXPECT_LT(simulation.client().sending().window(), before / 4);
}

TEST(Conversation, AReaderThatDoesNotReadStopsTheSenderAndLosesNothing) {
  Simulation simulation({.lost = 5}, {.send_buffer = 50'000}, {.receive_buffer = 30'000});
  ASSERT_TRUE(simulation.connect());
  const Bytes octets = pattern(200'000);
  std::size_t put = 0;
  simulation.run_until(
      [&] {
        put += simulation.client().put(base::ConstByteSpan(octets).subspan(put));
        return false;
      },
      60s);
  EXPECT_GE(put, 70'000U);
  EXPECT_LE(put, 80'000U);
  EXPECT_TRUE(simulation.client().is_open()) << "who answers is not given up";
  Transfer rest{octets, {}, put};
  ASSERT_TRUE(simulation.run_until([&] {
    rest.go_on(simulation.client(), simulation.server());
    return rest.is_done();
  }));
  EXPECT_TRUE(rest.arrived == octets);
}

TEST(Conversation, WhatWasPutBeforeTheEndArrivesBeforeIt) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Simulation simulation({.lost = 20, .twice = 10, .late = 20}, {}, {}, seed);
    ASSERT_TRUE(simulation.connect());
    const Bytes octets = pattern(10'000);
    ASSERT_EQ(simulation.client().put(octets), octets.size());
    simulation.client().release(simulation.now());
    ASSERT_TRUE(simulation.run_until([&] { return simulation.server().has_ended(); }));
    Bytes arrived(20'000);
    arrived.resize(simulation.server().read(arrived));
    EXPECT_TRUE(arrived == octets);
    ASSERT_TRUE(simulation.run_until([&] { return simulation.client().is_over(); }, 30s));
    EXPECT_EQ(simulation.client().reason(), Code::closed);
    EXPECT_EQ(simulation.server().put(octets), 0U) << "nobody reads any more";
    simulation.server().release(simulation.now());
    EXPECT_TRUE(simulation.server().is_over());
  }
}

TEST(Conversation, BothMayEndAtOnce) {
  Simulation simulation({});
  ASSERT_TRUE(simulation.connect());
  for (Conversation* each : {&simulation.client(), &simulation.server()}) {
    each->put(pattern(5'000));
    each->release(simulation.now());
  }
  ASSERT_TRUE(
      simulation.run_until([&] { return simulation.client().is_over() && simulation.server().is_over(); }, 30s));
  EXPECT_EQ(simulation.client().reason(), Code::closed);
  EXPECT_EQ(simulation.server().reason(), Code::closed);
}

// --- peers that are not there ---

TEST(Conversation, AHandshakeThatNobodyAnswersEnds) {
  Simulation simulation({.lost = 100}, {.give_up = 4s});
  ASSERT_TRUE(simulation.run_until([&] { return simulation.client().is_over(); }, 5s));
  EXPECT_EQ(simulation.client().reason(), Code::timed_out);
  EXPECT_LE(simulation.sent(Simulation::kClient), 8U) << "ever more seldom";
}

TEST(Conversation, WhatIsHalfOpenIsForgotten) {
  Simulation simulation({});
  ASSERT_TRUE(simulation.run_until([&] { return simulation.has_server(); }));
  simulation.kill(Simulation::kClient);
  ASSERT_TRUE(simulation.run_until([&] { return simulation.server().is_over(); }, Conversation::kHalfOpen + 1ms));
  EXPECT_LE(simulation.sent(Simulation::kServer), 8U);
}

TEST(Conversation, APeerThatDiesWithDataUnderWayIsLost) {
  Simulation simulation({}, {.give_up = 2s});
  ASSERT_TRUE(simulation.connect());
  simulation.client().put(pattern(100'000));
  simulation.run_for(1ms);
  simulation.kill(Simulation::kServer);
  const Time begin = simulation.now();
  ASSERT_TRUE(simulation.run_until([&] { return simulation.client().is_over(); }, 10s));
  EXPECT_EQ(simulation.client().reason(), Code::lost);
  EXPECT_GE(simulation.now() - begin, 1900ms);
  EXPECT_LE(simulation.now() - begin, 2100ms);
}

TEST(Conversation, ManyLossesInARowAreNoReasonToGiveUp) {
  constexpr Time kGiveUp = 2s;
  Sending sending(10'000, kGiveUp / 8);
  sending.begin(1'000, 10'000);
  Sending::Piece piece;
  sending.put(pattern(1'000));
  ASSERT_TRUE(sending.next(0ms, piece));
  ASSERT_TRUE(sending.heard(1ms, 1'000, {}, 20'000)) << "the round trip is known";
  sending.put(pattern(1'000));
  int sent = 0;
  for (Time now = 2ms; now < kGiveUp; now = std::max(sending.due(), now + 1ms)) {
    sending.expire(now);
    while (sending.next(now, piece)) ++sent;
  }
  EXPECT_GE(sent, 8);
  EXPECT_LE(sent, 16) << "more seldom than at first";
}

TEST(Conversation, APeerThatDiesInSilenceIsLost) {
  Simulation simulation({}, {.give_up = 3s}, {.keep_alive = false});
  ASSERT_TRUE(simulation.connect());
  simulation.client().put(pattern(100));  // so that the round trip is known
  simulation.run_for(60s);
  EXPECT_TRUE(simulation.client().is_open()) << "it answers";
  simulation.kill(Simulation::kServer);
  const std::size_t before = simulation.sent(Simulation::kClient);
  ASSERT_TRUE(simulation.run_until([&] { return simulation.client().is_over(); }, 5s));
  EXPECT_EQ(simulation.client().reason(), Code::lost);
  const std::size_t questions = simulation.sent(Simulation::kClient) - before;
  EXPECT_GE(questions, 8U);
  EXPECT_LE(questions, 11U) << "more seldom than at first";
}

TEST(Conversation, NothingIsSentWhenNobodyHasAnythingToSay) {
  Simulation simulation({}, {.keep_alive = false}, {.keep_alive = false});
  ASSERT_TRUE(simulation.connect());
  simulation.run_for(1s);
  const std::size_t before = simulation.sent(Simulation::kClient) + simulation.sent(Simulation::kServer);
  simulation.run_for(3600s);
  EXPECT_EQ(simulation.sent(Simulation::kClient) + simulation.sent(Simulation::kServer), before);
}

TEST(Conversation, WhatTheSystemSaysOfThePeerIsBelievedOnlyIfThePeerIsSilent) {
  Simulation simulation({});
  ASSERT_TRUE(simulation.connect());
  simulation.client().hear_of_failure(Code::refused, simulation.now());
  simulation.run_for(30s);
  EXPECT_TRUE(simulation.client().is_open());
  simulation.kill(Simulation::kServer);
  simulation.client().hear_of_failure(Code::refused, simulation.now());
  ASSERT_TRUE(simulation.run_until([&] { return simulation.client().is_over(); }, 2s));
  EXPECT_EQ(simulation.client().reason(), Code::lost);
}

TEST(Conversation, WhoIsToldThatItWasForgottenIsLostAndOnlyThen) {
  Simulation simulation({});
  ASSERT_TRUE(simulation.connect());
  Bytes room(kSmallestDatagram);
  simulation.deliver(
      Simulation::kClient,
      Bytes(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(write_reset(room, Simulation::kClientToken + 1))));
  EXPECT_TRUE(simulation.client().is_open());
  room.resize(write_reset(room, Simulation::kClientToken));
  simulation.deliver(Simulation::kClient, room);
  EXPECT_TRUE(simulation.client().is_over());
  EXPECT_EQ(simulation.client().reason(), Code::lost);
}

// --- peers that lie ---

/// A segment for the client, by one who knows its token.
Bytes forged(const Segment& segment, std::size_t size) {
  Bytes room(kLargestDatagram, 0x5a);
  room.resize(write_segment(room, Simulation::kClientToken, segment, size));
  return room;
}

TEST(Conversation, WhatCannotBeIsIgnored) {
  Simulation simulation({}, {.receive_buffer = 10'000});
  ASSERT_TRUE(simulation.connect());
  Segment segment;
  segment.acknowledged = 1;  // nothing was sent
  simulation.deliver(Simulation::kClient, forged(segment, 100));
  segment.acknowledged = 0;
  segment.position = 9'950;  // beyond the window
  simulation.deliver(Simulation::kClient, forged(segment, 51));
  segment.position = (std::uint64_t{1} << 62) - 1;
  simulation.deliver(Simulation::kClient, forged(segment, 1000));
  segment.position = UINT64_MAX - 10;
  simulation.deliver(Simulation::kClient, forged(segment, 1000));
  EXPECT_FALSE(simulation.client().is_readable());
  EXPECT_TRUE(simulation.client().is_open());
  exchange(simulation, 100'000);
}

TEST(Conversation, AStreamEndsOnceAndWhereItEnded) {
  Simulation simulation({});
  ASSERT_TRUE(simulation.connect());
  Segment end;
  end.position = 100;
  end.ends = true;
  simulation.deliver(Simulation::kClient, forged(end, 10));
  Segment other = end;
  other.position = 50;
  simulation.deliver(Simulation::kClient, forged(other, 10));  // earlier
  other.position = 105;
  other.ends = false;
  simulation.deliver(Simulation::kClient, forged(other, 10));  // beyond
  EXPECT_FALSE(simulation.client().has_ended());
  Segment first;
  simulation.deliver(Simulation::kClient, forged(first, 100));
  EXPECT_TRUE(simulation.client().has_ended());
  Bytes room(1000);
  EXPECT_EQ(simulation.client().read(room), 110U);
}

TEST(Conversation, WithoutMemoryForGapsAllArrives) {
  const auto none = std::make_shared<GapMemory>(0);
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    Simulation simulation({.lost = 5, .late = 10}, {}, {.gaps = none}, seed);
    exchange(simulation, 200'000);
    EXPECT_TRUE(simulation.server().take_unpaid());
  }
}

TEST(Conversation, RandomAndMutatedDatagramsDoNoHarm) {
  std::minstd_rand random(7);
  for (int round = 0; round < 20; ++round) {
    Simulation simulation({.lost = 5}, {.receive_buffer = 20'000}, {.receive_buffer = 20'000});
    ASSERT_TRUE(simulation.connect());
    Transfer forth{pattern(50'000, 1)};
    ASSERT_TRUE(simulation.run_until([&] {
      forth.go_on(simulation.client(), simulation.server());
      for (const int to : {Simulation::kClient, Simulation::kServer}) {
        Bytes noise(random() % 300);
        for (auto& octet : noise) octet = static_cast<base::Octet>(random());
        simulation.deliver(to, noise);
        Bytes mutated = simulation.last(to);
        if (mutated.empty()) continue;
        simulation.deliver(to, mutated);  // again
        mutated[random() % mutated.size()] = static_cast<base::Octet>(random());
        if (random() % 2 == 0) mutated.resize(random() % mutated.size());
        simulation.deliver(to, mutated);
      }
      return forth.is_done();
    }));
    EXPECT_TRUE(forth.arrived == forth.octets);
  }
}

// --- who gets in ---

TEST(Door, BelievesOnlyItsOwnCookiesForAWhileFromWhereTheyWereSent) {
  const Door door, other;
  const auto client = ipc::InetAddress::loopback_v4(4711);
  const Cookie cookie = door.cookie_for(client, 5, 100s);
  EXPECT_TRUE(door.is_right(cookie, client, 5, 100s));
  EXPECT_TRUE(door.is_right(cookie, client, 5, 100s + Door::kGoodFor));
  EXPECT_FALSE(door.is_right(cookie, client, 5, 100s + Door::kGoodFor + 1ns));
  EXPECT_FALSE(door.is_right(cookie, client, 5, 99s));
  EXPECT_FALSE(door.is_right(cookie, client, 6, 100s));
  EXPECT_FALSE(door.is_right(cookie, client.with_port(4712), 5, 100s));
  EXPECT_FALSE(door.is_right({cookie.made + 1, cookie.proof}, client, 5, 100s));
  EXPECT_FALSE(other.is_right(cookie, client, 5, 100s));
}

TEST(Wire, AnswersAreNoLongerThanQuestions) {
  Bytes room(kSmallestDatagram);
  const std::size_t asked = write_hello(room, {1, 1000, 1000});
  EXPECT_LE(write_cookie(room, 1, {}), asked);
  EXPECT_LE(write_refuse(room, 1, true), asked);
  EXPECT_LE(write_accept(room, 1, {1, 1000, 1000}), write_open(room, {1, 1000, 1000}, {}));
  EXPECT_LE(write_reset(room, 1), kSegmentHeaderSize);
}

TEST(Wire, AHelloOfAnotherVersionIsKnownAsOne) {
  Bytes room(kSmallestDatagram);
  room.resize(write_hello(room, {5, 1000, 1000}));
  ASSERT_TRUE(read(room));
  EXPECT_FALSE(read(room)->unsupported);
  Conversation conversation(5, {}, 0s);
  Bytes answer(kSmallestDatagram);
  answer.resize(write_refuse(answer, 5, true));
  conversation.hear(*read(answer), 0s);
  EXPECT_EQ(conversation.reason(), Code::unsupported);
}

TEST(KeyedHash, DiffersWithTheKeyEveryOctetAndTheSize) {
  const Bytes octets = pattern(100);
  const auto of = [&](const Key& key, base::ConstByteSpan span) { return KeyedHash(key).add(span).result(); };
  const std::uint64_t whole = of({1, 2}, octets);
  EXPECT_NE(of({1, 3}, octets), whole);
  for (std::size_t i = 0; i < octets.size(); ++i) {
    Bytes other = octets;
    other[i] ^= 1;
    EXPECT_NE(of({1, 2}, other), whole);
    EXPECT_NE(of({1, 2}, base::ConstByteSpan(octets).first(i)), whole);
  }
}

}  // namespace
}  // namespace corbel::transport::rudp_tests
