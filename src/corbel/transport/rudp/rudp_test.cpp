// SPDX-License-Identifier: Apache-2.0
// Over sockets: what the network, strangers and the death of peers do to connections.
#include "corbel/transport/rudp/rudp.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <random>

#include "corbel/base/kept_log.hpp"
#include "corbel/transport/rudp/socket.hpp"
#include "corbel/transport/rudp/test_support.hpp"
#include "support/allocations.hpp"
#include "support/in_child.hpp"

namespace corbel::transport::rudp_tests {
namespace {

const RudpSettings kSmallDatagrams{.give_up = 20s, .datagram = kSafeDatagram};

/// A client of another make, as far as the hand-shake.
struct RawClient {
  explicit RawClient(const char* host = "127.0.0.1") : socket(*ipc::UdpSocket::open(*InetAddress::parse(host, 0))) {}

  ipc::UdpSocket socket;
  Bytes room = Bytes(kSmallestDatagram);
  std::uint64_t server_token = 0;

  /// The accept is said again and again until the server has heard something: it answers what `opens` only.
  std::optional<Datagram> ask(std::size_t size, const InetAddress& server, base::Duration patience = 20s,
                              bool opens = false) {
    (void)socket.send_to(base::ConstByteSpan(room).first(size), server);
    const Deadline deadline = Deadline::after(patience);
    InetAddress from;
    while (const auto answer = socket.recv_from(room, from, deadline)) {
      const auto datagram = read(base::ConstByteSpan(room).first(*answer));
      if (opens || !datagram || datagram->kind != Kind::accept) return datagram;
    }
    return std::nullopt;
  }
  /// The hand-shake; the first octet of the stream does not come.
  void open(const InetAddress& server) {
    const Offer offer{77, kSmallestDatagram, 10'000};
    const auto cookie = ask(write_hello(room, offer), server);
    ASSERT_TRUE(cookie && cookie->kind == Kind::cookie);
    const auto accept = ask(write_open(room, offer, cookie->cookie), server, 20s, true);
    ASSERT_TRUE(accept && accept->kind == Kind::accept);
    server_token = accept->offer.token;
  }
  /// And is heard: who says nothing for kHalfOpen is forgotten, which may be how long a busy machine takes.
  void come_in(const InetAddress& server) {
    std::optional<Datagram> answer;
    for (int tries = 0; tries < 5 && (!answer || answer->kind != Kind::segment); ++tries) {
      ASSERT_NO_FATAL_FAILURE(open(server));
      answer = say_something(server, 20s);
    }
  }
  /// One octet at `position`: octets of the datagram.
  std::size_t gap(std::uint64_t position) {
    Segment segment;
    segment.position = position;
    segment.window = 10'000;
    segment.asks = true;
    segment.source = 77;
    return write_segment(room, server_token, segment, 1);
  }
  /// What the server says then.
  std::optional<Datagram> leave_gap(std::uint64_t position, const InetAddress& server) {
    return ask(gap(position), server);
  }
  std::optional<Datagram> say_something(const InetAddress& server, base::Duration patience) {
    Segment segment;
    segment.window = 10'000;
    segment.asks = true;
    segment.source = 77;
    return ask(write_segment(room, server_token, segment, 0), server, patience);
  }
};

std::size_t gaps_told(const std::optional<Datagram>& answer) {
  return answer && answer->kind == Kind::segment ? answer->segment.range_count : 999;
}

TEST_F(Rudp, MegabytesArriveWholeAndInOrderThroughABadNetwork) {
  listen(kSmallDatagrams);
  BadNetwork network(address(), {.lost = 20, .twice = 5, .overtaken = 20, .damaged = 3});
  make_pair(InetAddress::loopback_v4(network.port()));
  exchange(1 << 20);
  EXPECT_GT(network.lost(), 300U);
}

TEST_F(Rudp, LargeDatagramsOfLoopbackAddressesToo) {
  listen();
  BadNetwork network(address(), {.lost = 5, .twice = 5, .overtaken = 10});
  make_pair(InetAddress::loopback_v4(network.port()));
  exchange(4 << 20);
}

TEST_F(Rudp, WhatWasSentBeforeTheEndArrivesThroughABadNetwork) {
  listen(kSmallDatagrams);
  BadNetwork network(address(), {.lost = 20, .overtaken = 20});
  for (int round = 0; round < 5; ++round) {
    make_pair(InetAddress::loopback_v4(network.port()));
    const Bytes octets = pattern(50'000);
    ASSERT_TRUE(send(*client_, octets));
    client_.reset();
    EXPECT_TRUE(receive(*server_, octets.size()) == octets);
    EXPECT_EQ(end_of(*server_), Code::closed);
  }
}

TEST_F(Rudp, ConnectionsOutliveTheirAcceptorWhichLetsNobodyIn) {
  listen();
  const InetAddress where = address();
  make_pair(where);
  acceptor_->close();
  const auto refused = connect_to(where);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), base::error(Stage::connect, Code::refused));
  exchange(100'000);
}

TEST_F(Rudp, WhoWaitsToBeAcceptedWhenTheDoorClosesIsToldSo) {
  listen();
  client_ = *connect_to(address());
  acceptor_.reset();
  const Code end = end_of(*client_);
  EXPECT_TRUE(end == Code::closed || end == Code::lost);
}

// --- strangers ---

TEST_F(Rudp, APeerThatHasForgottenSaysSo) {
  listen();
  RawClient client;
  Segment segment;
  segment.asks = true;
  segment.source = 77;
  const auto reset = client.ask(write_segment(client.room, 12345, segment, 0), address());
  ASSERT_TRUE(reset);
  EXPECT_EQ(reset->kind, Kind::reset);
  EXPECT_EQ(reset->to, 77U);
}

TEST_F(Rudp, HostileDatagramsDoNoHarm) {
  listen(kSmallDatagrams);
  BadNetwork network(address(), {});
  make_pair(InetAddress::loopback_v4(network.port()));
  std::atomic<bool> done{false};
  std::thread stranger([&] {
    std::minstd_rand random(3);
    auto socket = *ipc::UdpSocket::open(InetAddress::loopback_v4());
    Bytes room(2000);
    while (!done) {
      Bytes noise(1 + random() % 200);
      for (auto& octet : noise) octet = static_cast<base::Octet>(random());
      noise[0] = 0xc5;
      (void)socket.send_to(noise, address(), ipc::SendFlags::dont_wait);
      network.inject(noise, random() % 2 == 0);
      // What was overheard, again; and from another address, which it is not believed from.
      const auto recorded = network.recorded();
      if (recorded.empty()) continue;
      const Bytes& again = recorded[random() % recorded.size()];
      network.inject(again);
      (void)socket.send_to(again, address(), ipc::SendFlags::dont_wait);
      // Resets and acknowledgements with tokens that were guessed.
      room.resize(2000);
      room.resize(write_reset(room, random()));
      network.inject(room, random() % 2 == 0);
      room.resize(2000);
      Segment segment;
      segment.acknowledged = random();
      room.resize(write_segment(room, random(), segment, 100));
      network.inject(room, random() % 2 == 0);
      std::this_thread::yield();
    }
  });
  exchange(1 << 20);
  done = true;
  stranger.join();
  EXPECT_FALSE(acceptor_->accept()) << "nobody else was let in";
}

TEST_F(Rudp, HalfOpenConnectionsAreBoundedForEachHost) {
  Options options;
  options.backlog = 8;  // six of one host
  std::size_t accepted = 0;
  // They are forgotten after kHalfOpen: what a busy machine took so long for is tried again.
  for (int tries = 0; tries < 5; ++tries) {
    listen({}, "127.0.0.1:0", options);
    std::vector<RawClient> clients(10);
    accepted = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const Offer offer{100 + i, 1'000, 10'000};
      const auto cookie = clients[i].ask(write_hello(clients[i].room, offer), address());
      ASSERT_TRUE(cookie);
      ASSERT_EQ(cookie->kind, Kind::cookie);
      const std::size_t size = write_open(clients[i].room, offer, cookie->cookie);
      const auto answer = clients[i].ask(size, address(), i < 6 ? base::Duration(3s) : base::Duration(300ms), true);
      if (answer && answer->kind == Kind::accept) ++accepted;
    }
    if (accepted == 6 || std::chrono::steady_clock::now() - begin < 3s) break;
  }
  EXPECT_EQ(accepted, 6U);
  EXPECT_FALSE(acceptor_->accept()) << "who has not heard what it was told is not let in";
}

TEST_F(Rudp, WhoHoldsGapsOpenHasAShareAndGoesWhenOthersNeedIt) {
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  const auto service = *Service::get(log);
  constexpr std::size_t kChunk = Receiving::kChunk;
  const Limits limits{.gaps = 8 * kChunk, .gap_patience = 2s};
  const auto socket = *SharedSocket::listening(*service, InetAddress::loopback_v4(), {}, {}, limits, {}, log);
  const InetAddress& where = socket->bound();
  RawClient hostile, other("127.0.0.2"), honest;
  ASSERT_NO_FATAL_FAILURE(hostile.come_in(where));
  ASSERT_NO_FATAL_FAILURE(other.come_in(where));
  ASSERT_NO_FATAL_FAILURE(honest.come_in(where));
  for (std::size_t i = 1; i <= 4; ++i) EXPECT_EQ(gaps_told(hostile.leave_gap(2 * i * kChunk, where)), i);
  EXPECT_EQ(gaps_told(hostile.leave_gap(10 * kChunk, where)), 4U) << "half of all is its host's";
  EXPECT_EQ(gaps_told(other.leave_gap(2 * kChunk, where)), 1U) << "other hosts have their own";
  std::size_t told = 0;
  for (int i = 0; i < 500 && told == 0; ++i) {
    told = gaps_told(honest.leave_gap(2 * kChunk, where));
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(told, 1U) << "what was refused at first is taken when the other one has gone";
  const auto gone = hostile.leave_gap(2 * kChunk, where);
  EXPECT_TRUE(gone && gone->kind == Kind::reset);
  EXPECT_EQ(gaps_told(other.leave_gap(2 * kChunk, where)), 1U) << "whose host is not short of any stays";
  ASSERT_EQ(kept->entries().size(), 1U);
  EXPECT_EQ(kept->entries()[0].event, "rudp: connection cut: what has come behind gaps takes too much memory");
  EXPECT_EQ(kept->entries()[0].value("peer"), "rudp://" + hostile.socket.local_address()->to_string());
  EXPECT_EQ(kept->entries()[0].value("limit"), "one host");
  EXPECT_EQ(kept->entries()[0].value("octets"), std::to_string(4 * kChunk));
  socket->close_door();
}

TEST_F(Rudp, WhoHoldsGapsOpenGoesForThoseOfAllHostsToo) {
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  const auto service = *Service::get(log);
  constexpr std::size_t kChunk = Receiving::kChunk;
  const Limits limits{.gaps = 8 * kChunk, .gap_patience = 100ms};
  const auto socket = *SharedSocket::listening(*service, InetAddress::loopback_v4(), {}, {}, limits, {}, log);
  const InetAddress& where = socket->bound();
  RawClient clients[3] = {RawClient("127.0.0.1"), RawClient("127.0.0.2"), RawClient("127.0.0.3")};
  for (RawClient& each : clients) {
    ASSERT_NO_FATAL_FAILURE(each.come_in(where));
    for (std::size_t i = 1; i <= 3; ++i) (void)each.leave_gap(2 * i * kChunk, where);
  }
  for (int i = 0; i < 500 && kept->entries().empty(); ++i) {
    (void)clients[2].leave_gap(6 * kChunk, where);
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_FALSE(kept->entries().empty());
  EXPECT_EQ(kept->entries()[0].value("limit"), "all peers");
  EXPECT_EQ(kept->entries()[0].value("octets"), std::to_string(8 * kChunk));
  socket->close_door();
}

TEST_F(Rudp, WhoHasShakenHandsIsNotForgottenForWantOfMemory) {
  std::vector<RawClient> clients;
  std::size_t known = 0;
  // Who says nothing for kHalfOpen is forgotten: what a busy machine took so long for is tried again.
  for (int tries = 0; tries < 5; ++tries) {
    listen();
    clients = std::vector<RawClient>(80);
    const auto begin = std::chrono::steady_clock::now();
    for (RawClient& each : clients) ASSERT_NO_FATAL_FAILURE(each.open(address()));
    const InetAddress where = address();
    test::refuse_allocations(0, SIZE_MAX);
    for (RawClient& each : clients) (void)each.say_something(where, 500ms);
    test::refuse_allocations(0, 0);
    for (known = 0; known < clients.size(); ++known) {
      if (gaps_told(clients[known].say_something(where, 10s)) != 0) break;
    }
    if (known == clients.size() || std::chrono::steady_clock::now() - begin < 4s) break;
  }
  EXPECT_EQ(known, clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i) ASSERT_NE(accept(), nullptr) << i;
}

// Both in one turn of the service's thread.
TEST_F(Rudp, WhoWaitsIsWokenThoughThereIsNoMemoryForWhatCameBehind) {
  listen({.give_up = 60s});
  const InetAddress where = address();
  RawClient client, stranger;
  ASSERT_NO_FATAL_FAILURE(client.come_in(where));
  EXPECT_EQ(gaps_told(client.leave_gap(0, where)), 0U);
  server_ = accept();
  (void)receive(*server_, 1);
  const Offer offer{77, kSmallestDatagram, 10'000};
  const auto cookie = stranger.ask(write_hello(stranger.room, offer), where);
  ASSERT_TRUE(cookie && cookie->kind == Kind::cookie);
  const std::size_t size = write_open(stranger.room, offer, cookie->cookie);

  std::atomic<bool> came{false};
  std::thread reader([&] {
    Bytes room(10);
    came = server_->receive(room, Deadline::after(20s)).ok();
  });
  std::this_thread::sleep_for(300ms);  // past the timers of the hand-shake
  std::latch busy(1), free(1);
  const auto service = *Service::get(base::Log::none());
  service->reactor().post([&] {
    busy.count_down();
    free.wait();
  });
  busy.wait();
  (void)client.socket.send_to(base::ConstByteSpan(client.room).first(client.gap(1)), where);
  (void)stranger.socket.send_to(base::ConstByteSpan(stranger.room).first(size), where);
  test::refuse_allocations(0, SIZE_MAX);
  free.count_down();
  // Else by its next timer, after a third of the time in which a peer is given up.
  const auto begin = std::chrono::steady_clock::now();
  while (!came && std::chrono::steady_clock::now() < begin + 15s) std::this_thread::sleep_for(1ms);
  test::refuse_allocations(0, 0);
  EXPECT_TRUE(came);
  reader.join();
}

TEST_F(Rudp, AnOpenWithoutACookieOfItsOwnGetsOneInstead) {
  listen();
  RawClient client;
  const auto answer = client.ask(write_open(client.room, {5, 1'000, 10'000}, {1, 2}), address());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, Kind::cookie);
}

TEST_F(Rudp, AnotherVersionIsRefused) {
  listen();
  RawClient client;
  const std::size_t size = write_hello(client.room, {5, 1'000, 10'000});
  client.room[1] = static_cast<base::Octet>((kVersion + 1) << 4 | 1);
  seal(base::ByteSpan(client.room).first(size));
  const auto answer = client.ask(size, address());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, Kind::refuse);
  EXPECT_TRUE(answer->unsupported);
}

// --- many, and elsewhere ---

TEST_F(Rudp, FiveHundredAndTwelveConnectionsAtATime) {
  listen();
  constexpr std::size_t kMany = 512;
  std::vector<std::unique_ptr<Transport>> clients, servers;
  for (std::size_t i = 0; i < kMany; ++i) {
    auto connected = connect_to(address());
    ASSERT_TRUE(connected) << i << ": " << base::to_string(connected.error());
    clients.push_back(*std::move(connected));
    servers.push_back(accept());
  }
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(send(*clients[i], pattern(3'000, static_cast<std::uint32_t>(i + 1))));
  }
  for (std::size_t i = 0; i < kMany; ++i) {
    EXPECT_TRUE(receive(*servers[i], 3'000) == pattern(3'000, static_cast<std::uint32_t>(i + 1)));
  }
}

TEST_F(Rudp, APeerHearsAnswersFromTheAddressThatItSpokeTo) {
  for (const char* everywhere : {":0", "0.0.0.0:0"}) {
    listen({}, everywhere);
    const std::uint16_t port = dynamic_cast<const RudpEndpoint&>(*acceptor_->endpoints().front()).port();
    for (const char* host : {"127.0.0.1", "127.0.0.2"}) {
      make_pair(*InetAddress::parse(host, port));
      exchange(10'000);
    }
  }
}

TEST_F(Rudp, TheChildOfAForkLeavesTheParentsConnectionsAlone) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  listen();
  make_pair(address());
  EXPECT_TRUE(test::in_child([&] {
    client_->abandon();
    server_->abandon();
    client_.reset();
    server_.reset();
    acceptor_.reset();
    // It may have its own.
    listen();
    make_pair(address());
    const bool sent = send(*client_, pattern(10)).ok() && receive(*server_, 10) == pattern(10);
    client_.reset();
    server_.reset();
    acceptor_.reset();
    connector_.reset();
    return sent;
  }));
  exchange(100'000);
}

}  // namespace
}  // namespace corbel::transport::rudp_tests
