// SPDX-License-Identifier: Apache-2.0
// Clients that want to keep a server from serving, and an honest one that is served all the while. Counts, not times.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <utility>

#include "castle.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

using test::Octets;
using test::raw_control;
using test::raw_request;
using test::RawPeer;

constexpr std::uint32_t kMebi = 1U << 20;
constexpr int kSmallBuffer = 4096;

Octets ask_for(const Target& target, std::uint32_t id, std::uint32_t size) {
  return raw_request(id, target.key, "big", [&](test::Writer& writer) { writer.u32(size); });
}

/// The first octets of a request whose argument has so many octets.
Octets half_a_request(const Target& target, std::uint32_t size, std::size_t sent) {
  Octets whole = raw_request(1, target.key, "take", [&](test::Writer& writer) { writer.octets(Octets(size, 1)); });
  whole.resize(sent);
  return whole;
}

void expect_served(const Server& server, int calls = 50) {
  Client honest(server.reference, {}, "honest");
  for (int i = 0; i < calls; ++i) ASSERT_EQ(honest.castle->fast(i), i);
}

// --- slow readers ---

TEST(SlowReaders, AreAskedForNoMoreThanTheyTakeAndKeepNobodyFromBeingServed) {
  Server server({"-ORBThreads", "4"});
  const Target target(server.reference);
  constexpr int kAttackers = 20;
  std::list<RawPeer> attackers;
  for (int i = 0; i < kAttackers; ++i) {
    attackers.emplace_back(target.port, kSmallBuffer);
    Octets all;
    for (std::uint32_t id = 1; id <= 50; ++id) {
      const Octets one = ask_for(target, id, kMebi);
      all.insert(all.end(), one.begin(), one.end());
    }
    ASSERT_TRUE(attackers.back().send(all));
  }
  // Each may have filled its socket's queue, and then one that waits: not the fifty that it asked for.
  ASSERT_TRUE(eventually([&] { return server.servant->big_calls >= kAttackers; }));
  expect_served(server);
  EXPECT_LE(server.servant->big_calls, kAttackers * 12);
  EXPECT_TRUE(eventually([&] { return server.servant->inside == 0; }));
}

TEST(SlowReaders, GetEveryOctetInTheEnd) {
  for (const char* mode : {"adaptive", "pool", "single"}) {
    Server server({"-ORBConcurrency", mode});
    const Target target(server.reference);
    RawPeer slow(target.port, kSmallBuffer);
    constexpr std::uint32_t kRequests = 12;
    for (std::uint32_t id = 1; id <= kRequests; ++id) ASSERT_TRUE(slow.send(ask_for(target, id, kMebi + id)));
    ASSERT_TRUE(eventually([&] { return server.servant->big_calls >= 1; }));
    expect_served(server, 5);
    std::vector<bool> came(kRequests + 1);
    for (std::uint32_t i = 1; i <= kRequests; ++i) {
      const auto reply = slow.message();
      ASSERT_TRUE(reply) << mode << i;
      test::Reader reader(*reply, true, 12);
      const std::uint32_t id = reader.u32();  // in any order: they ran at the same time
      ASSERT_FALSE(came.at(id)) << id;
      came[id] = true;
      EXPECT_EQ(reader.u32(), 0U);
      EXPECT_EQ(reader.u32(), 0U);  // contexts
      const Octets data = reader.align(8).octets();
      EXPECT_EQ(data.size(), kMebi + id);
      EXPECT_EQ(static_cast<std::size_t>(std::count(data.begin(), data.end(), 0x42)), data.size());
      EXPECT_EQ(reader.position(), reply->size());
    }
    // And then it is like every other client.
    ASSERT_TRUE(slow.send(raw_request(99, target.key, "fast", [](test::Writer& w) { w.u32(5); })));
    EXPECT_TRUE(slow.message());
    EXPECT_TRUE(slow.silent());
  }
}

TEST(SlowReaders, AreCutWhenTheyTakeNothingForTooLong) {
  Server server({"-ORBServerSendTimeout", "100"});
  const Target target(server.reference);
  RawPeer slow(target.port, kSmallBuffer);
  const Octets request = ask_for(target, 1, 8 * kMebi);
  ASSERT_TRUE(slow.send(request));
  EXPECT_TRUE(eventually([&] { return !slow.send(request); }));  // it is told by a reset
  expect_served(server);
}

TEST(SlowReaders, AreCutWhenTheirRepliesTakeTooMuchMemory) {
  // The requests of one connection that run at the same time all want to be answered.
  Server server({"-ORBMaxReplyBacklog", "100000", "-ORBSlowUpcall", "1"});
  const Target target(server.reference);
  RawPeer slow(target.port, kSmallBuffer);
  std::list<RawPeer> others;
  for (int i = 0; i < 10; ++i) {
    others.emplace_back(target.port, kSmallBuffer);
    ASSERT_TRUE(others.back().send(ask_for(target, 1, 3 * kMebi)));
  }
  ASSERT_TRUE(eventually([&] { return server.servant->big_calls == 10; }));
  expect_served(server);
  for (auto& each : others) EXPECT_TRUE(each.message());  // one reply of any size may wait
}

TEST(SlowReaders, DoNotHoldUpTheEnd) {
  auto server = std::make_unique<Server>();
  const Target target(server->reference);
  std::list<RawPeer> attackers;
  for (int i = 0; i < 3; ++i) {
    attackers.emplace_back(target.port, kSmallBuffer);
    ASSERT_TRUE(attackers.back().send(ask_for(target, 1, 16 * kMebi)));
  }
  ASSERT_TRUE(eventually([&] { return server->servant->big_calls == 3; }));
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);  // not -ORBServerSendTimeout, nor -ORBShutdownTimeout
}

// --- half messages, silence ---

TEST(HalfMessages, AreClosedInOrderWhenTheyAreNotFinishedInTime) {
  Server server({"-ORBMessageTimeout", "50"});
  const Target target(server.reference);
  const Octets request = raw_request(1, target.key, "fast", [](test::Writer& w) { w.u32(5); });
  for (const std::size_t octets : {std::size_t{1}, std::size_t{6}, std::size_t{12}, request.size() - 1}) {
    RawPeer half(target.port);
    ASSERT_TRUE(half.send(Octets(request.begin(), request.begin() + static_cast<std::ptrdiff_t>(octets))));
    EXPECT_EQ(half.rest(), raw_control(5)) << octets;
  }
  EXPECT_EQ(server.servant->fast_calls, 0);
  // Fragments are a half message, too, whatever else comes whole.
  RawPeer fragments(target.port);
  Octets first = request;
  first[6] |= 2;
  ASSERT_TRUE(fragments.send(first));
  for (std::uint32_t id = 2; fragments.send(raw_request(id, target.key, "fast", [](test::Writer& w) { w.u32(5); }));
       ++id) {
    const auto reply = fragments.message();
    ASSERT_TRUE(reply);
    if (reply == raw_control(5)) break;
  }
  expect_served(server);
}

// A drop now and then does not make a message younger.
TEST(HalfMessages, AreAsOldAsTheirFirstOctet) {
  Server server({"-ORBMessageTimeout", "100", "-ORBIdleTimeout", "60000"});
  const Target target(server.reference);
  RawPeer drops(target.port);
  const Octets whole = half_a_request(target, 100'000, 100'000);
  std::size_t sent = 0;
  while (drops.silent() && sent < whole.size()) {
    if (!drops.send({whole[sent]})) break;
    ++sent;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(sent, whole.size());
  EXPECT_EQ(drops.rest(), raw_control(5));
}

TEST(Silence, EndsInOrderAfterTheIdleTimeAndOnlyThen) {
  Server server({"-ORBIdleTimeout", "1000"});
  const Target target(server.reference);
  const Octets request = raw_request(1, target.key, "slow", [](test::Writer& w) { w.u32(5); });
  RawPeer silent(target.port);
  EXPECT_EQ(silent.rest(), raw_control(5));
  // A client that waits for an answer is not idle.
  RawPeer waiting(target.port);
  ASSERT_TRUE(waiting.send(request));
  RawPeer other(target.port);
  EXPECT_EQ(other.rest(), raw_control(5));
  RawPeer another(target.port);
  EXPECT_EQ(another.rest(), raw_control(5));
  EXPECT_TRUE(waiting.silent());
  server.servant->open();
  const auto reply = waiting.message();
  ASSERT_TRUE(reply);
  EXPECT_EQ((*reply)[7], 1);
  EXPECT_EQ(waiting.rest(), raw_control(5));
  expect_served(server);
}

// --- many ---

TEST(ManyConnections, TheOneIdleLongestMakesRoom) {
  Server server({"-ORBMaxConnections", "8", "-ORBMaxConnectionsPerPeer", "8", "-ORBStickyConnections", "0"});
  const Target target(server.reference);
  const Octets request = raw_request(1, target.key, "fast", [](test::Writer& w) { w.u32(5); });
  std::vector<RawPeer> peers;
  for (int i = 0; i < 8; ++i) {
    peers.emplace_back(target.port);
    ASSERT_TRUE(peers.back().send(request));
    ASSERT_TRUE(peers.back().message());
  }
  RawPeer newcomer(target.port);
  ASSERT_TRUE(newcomer.send(request));
  EXPECT_TRUE(newcomer.message());
  // One has gone, and was told in order.
  EXPECT_TRUE(eventually([&] {
    return std::count_if(peers.begin(), peers.end(), [](const RawPeer& each) { return !each.silent(); }) == 1;
  }));
  for (auto& each : peers) {
    if (!each.silent()) {
      EXPECT_EQ(each.rest(), raw_control(5));
    }
  }
}

TEST(ManyConnections, AHostThatHasItsShareMakesRoomForItselfAndForNoOther) {
  Server server({"-ORBMaxConnections", "10", "-ORBMaxConnectionsPerPeer", "3", "-ORBStickyConnections", "0"});
  const Target target(server.reference);
  const Octets request = raw_request(1, target.key, "fast", [](test::Writer& w) { w.u32(5); });
  std::list<RawPeer> honest;  // and idle for longer than all the others
  std::list<RawPeer> greedy;
  const auto come = [&](std::list<RawPeer>& to, const char* from) {
    for (;;) {
      RawPeer& peer = to.emplace_back();
      ASSERT_TRUE(peer.come_from(from));
      ASSERT_TRUE(peer.connect(target.port));
      ASSERT_TRUE(peer.send(request));
      const auto answer = peer.message();
      ASSERT_TRUE(answer);
      if ((*answer)[7] != 5) return;
      to.pop_back();  // refused: the requests of all the others were answered, but had not ended
    }
  };
  const auto gone = [](const std::list<RawPeer>& peers) {
    return std::count_if(peers.begin(), peers.end(), [](const RawPeer& each) { return !each.silent(); });
  };
  for (int i = 0; i < 3; ++i) come(honest, "127.0.0.1");
  for (int i = 0; i < 9; ++i) come(greedy, "127.0.0.2");
  EXPECT_TRUE(eventually([&] { return gone(greedy) == 6; }));
  EXPECT_EQ(gone(honest), 0);
  for (RawPeer& each : greedy) {
    if (!each.silent()) {
      EXPECT_EQ(each.rest(), raw_control(5)) << "in order";
      continue;
    }
    ASSERT_TRUE(each.send(request));
    EXPECT_TRUE(each.message());
  }
  ASSERT_TRUE(honest.back().send(request));
  EXPECT_TRUE(honest.back().message());
}

TEST(ManyConnections, WhoIsServedIsNotSentAwayForANewcomer) {
  Server server({"-ORBMaxConnections", "3", "-ORBMaxConnectionsPerPeer", "3", "-ORBStickyConnections", "0"});
  const Target target(server.reference);
  std::vector<RawPeer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.emplace_back(target.port);
    ASSERT_TRUE(peers.back().send(raw_request(1, target.key, "slow", [](test::Writer& w) { w.u32(5); })));
  }
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 3; }));
  RawPeer newcomer(target.port);
  EXPECT_EQ(newcomer.rest(), raw_control(5));
  server.servant->open();
  for (auto& each : peers) EXPECT_TRUE(each.message());
  expect_served(server);
}

TEST(ManyConnections, AnOceanOfThemDoesNotKeepAnHonestOneOut) {
  Server server({"-ORBMaxConnections", "50", "-ORBMaxConnectionsPerPeer", "50"});
  const Target target(server.reference);
  std::list<RawPeer> ocean;
  for (int i = 0; i < 200; ++i) {
    ocean.emplace_back(target.port);
    if (i % 2 == 0) {
      ASSERT_TRUE(ocean.back().send(test::octets_of("GIOP\1\2")));
    }
    if (i % 20 == 0) expect_served(server, 3);
  }
  expect_served(server);
}

TEST(ManyConnections, AtTheDescriptorLimitSomebodyMakesRoom) {
  Server server({"-ORBMaxConnections", "100000", "-ORBMaxConnectionsPerPeer", "100000"});
  const Target target(server.reference);
  Client honest(server.reference);
  ASSERT_EQ(honest.castle->fast(1), 1);
  std::list<RawPeer> ocean;
  for (int i = 0; i < 60; ++i) ocean.emplace_back();
  std::list<RawPeer> late;
  for (int i = 0; i < 5; ++i) late.emplace_back();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next + 20);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (auto& each : ocean) EXPECT_TRUE(each.connect(target.port));
  for (auto& each : late) {
    EXPECT_TRUE(each.connect(target.port));
    EXPECT_TRUE(each.send(raw_request(1, target.key, "fast", [](test::Writer& w) { w.u32(5); })));
    const auto reply = each.message();
    EXPECT_TRUE(reply && (*reply)[7] == 1);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(honest.castle->fast(i), i);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

// --- memory ---

TEST(Memory, TheOldestHalfMessageMakesRoom) {
  Server server({"-ORBMaxInputMemory", "4000000"});
  const Target target(server.reference);
  std::list<RawPeer> attackers;
  for (int i = 0; i < 8; ++i) {
    attackers.emplace_back(target.port);
    ASSERT_TRUE(attackers.back().send(half_a_request(target, 2 * kMebi, kMebi)));
  }
  // Few of these may be there at a time. Only when the server has read them all are they surely older than what
  // follows.
  long cut = 0;
  int looks = 0;  // that found no more of them cut
  EXPECT_TRUE(eventually([&] {
    const long now =
        std::count_if(attackers.begin(), attackers.end(), [](const RawPeer& each) { return !each.silent(); });
    looks = now == std::exchange(cut, now) ? looks + 1 : 0;
    return cut >= 5 && looks >= 100;
  }));
  // An honest one goes through all the same, again and again.
  Client honest(server.reference);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(honest.castle->take(Siege::Octets(kMebi)), kMebi);
  expect_served(server);
}

// What one lane's clients keep is missing in the others.
TEST(Memory, LanesHaveItTogether) {
  Server server({"-ORBMaxInputMemory", "4000000", "-ORBLane", "other:4=tcp://127.0.0.1:0"});
  auto root = IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
  auto poa =
      root->create_POA("other", root->the_POAManager(), {CORBA::make_reference<corbel::poa::LanePolicy>("other")});
  const auto id = poa->activate_object(CORBA::make_reference<CastleServant>());
  Client honest(server.orb->object_to_string(poa->id_to_reference(id)));
  RawPeer half(Target(server.reference).port);
  ASSERT_TRUE(half.send(half_a_request(Target(server.reference), 4 * kMebi, 3 * kMebi)));
  EXPECT_TRUE(eventually([&] {
    try {
      EXPECT_EQ(honest.castle->take(Siege::Octets(3 * kMebi)), 3 * kMebi);
    } catch (const CORBA::COMM_FAILURE&) {  // as long as the half one's octets come
    }
    return !half.silent();
  }));
}

TEST(Memory, AMessageLargerThanTheBudgetIsTakenIfNobodyElseNeedsIt) {
  Server server({"-ORBMaxInputMemory", "1000000"});
  Client honest(server.reference);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(honest.castle->take(Siege::Octets(3 * kMebi)), 3 * kMebi);
}

}  // namespace
}  // namespace corbel::siege
