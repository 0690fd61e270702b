// SPDX-License-Identifier: Apache-2.0
// How many peers there may be, which of them has to go, and what is put aside for those to come.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "corbel/transport/udp/bounded.hpp"
#include "corbel/transport/udp/carrier.hpp"

namespace corbel::transport::udp {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using ipc::InetAddress;
using namespace std::chrono_literals;

/// Carriers of peers at addresses of choice, which one socket talks to.
struct PeersOf {
  explicit PeersOf(std::size_t most, base::Duration silence) : peers(std::make_shared<Peers>(most, silence)) {}

  std::unique_ptr<UdpCarrier> make(const char* host) {
    auto opened = *ipc::ConnectedUdp::open(*socket.local_address(), *InetAddress::parse(host, 0));
    last = *opened.local_address();
    return std::make_unique<UdpCarrier>(UdpSocket(std::move(opened)), base::Duration{}, peers, last);
  }
  bool admits(const char* host) { return peers->admits(*InetAddress::parse(host, 9)); }
  /// Whether it was sent away.
  static bool ended(UdpCarrier& carrier) {
    Bytes room(kLargest);
    return carrier.receive(room, Deadline::now()).error().code == Code::closed;
  }
  void hear(UdpCarrier& carrier, const InetAddress& at) {
    Bytes room(kLargest);
    ASSERT_TRUE(socket.send_to(base::as_bytes("hello"), at));
    ASSERT_TRUE(carrier.receive(room, Deadline::after(20s)));
  }

  std::shared_ptr<Peers> peers;
  ipc::UdpSocket socket = *ipc::UdpSocket::open(InetAddress::loopback_v4());
  InetAddress last;  // address of the last one made
};

TEST(UdpPeers, TheSilentMakeRoomAndWhoTalksStays) {
  PeersOf all(2, 0s);
  const auto talks = all.make("127.0.0.1");
  const InetAddress talks_at = all.last;
  auto silent = all.make("127.0.0.2");
  const InetAddress silent_at = all.last;
  EXPECT_FALSE(all.admits("192.0.2.1"));  // all had been heard once
  all.hear(*talks, talks_at);
  EXPECT_FALSE(all.peers->admits(silent_at)) << "known as long as its carrier is there";
  EXPECT_FALSE(all.admits("192.0.2.1")) << "not yet";
  EXPECT_TRUE(PeersOf::ended(*silent));
  EXPECT_FALSE(PeersOf::ended(*talks));
  silent.reset();
  EXPECT_TRUE(all.peers->admits(silent_at));
  EXPECT_TRUE(all.admits("192.0.2.1"));
}

TEST(UdpPeers, OneHostHasHalfOfThePlaces) {
  PeersOf all(8, 1h);
  std::vector<std::unique_ptr<UdpCarrier>> carriers;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(all.admits("127.0.0.1"));
    carriers.push_back(all.make("127.0.0.1"));
  }
  EXPECT_FALSE(all.admits("127.0.0.1"));
  EXPECT_TRUE(all.admits("127.0.0.2"));
  carriers.pop_back();
  EXPECT_TRUE(all.admits("127.0.0.1"));
}

TEST(UdpPeers, TheHostWithTheMostPlacesMakesRoomForOthersHoweverMuchItTalks) {
  PeersOf all(8, 1h);
  std::vector<std::unique_ptr<UdpCarrier>> carriers;
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2", "127.0.0.2", "127.0.0.3"}) {
    EXPECT_TRUE(all.admits(host));
    carriers.push_back(all.make(host));
    all.hear(*carriers.back(), all.last);
  }
  EXPECT_TRUE(all.admits("127.0.0.4")) << "at once, for its datagram does not come again";
  const auto newcomer = all.make("127.0.0.4");
  EXPECT_FALSE(PeersOf::ended(*newcomer));
  const auto ended = [&] {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < carriers.size(); ++i) {
      if (PeersOf::ended(*carriers[i])) which.push_back(i);
    }
    return which;
  };
  ASSERT_EQ(ended().size(), 1U);
  EXPECT_LT(ended().front(), 4U) << "of the host with the most";
  // The flood that comes back finds the place taken; and the others go on no further than it has to.
  EXPECT_FALSE(all.admits("127.0.0.1"));
  carriers.erase(carriers.begin() + static_cast<std::ptrdiff_t>(ended().front()));
  EXPECT_FALSE(all.admits("127.0.0.1"));
  EXPECT_FALSE(all.admits("127.0.0.2"));
  EXPECT_TRUE(ended().empty());
}

TEST(UdpPeers, WhoWasHeardLeastRecentlyGoesFirst) {
  PeersOf all(4, 1h);
  const auto talks = all.make("127.0.0.1");
  const InetAddress talks_at = all.last;
  const auto quiet = all.make("127.0.0.1");
  const auto other = all.make("127.0.0.2");
  const auto another = all.make("127.0.0.3");
  // That all have been heard is seen, and forgotten; then one of them is heard anew, later by the clock.
  EXPECT_FALSE(all.admits("127.0.0.1"));
  const std::int64_t seen = Deadline::clock_now();
  while (Deadline::clock_now() == seen) std::this_thread::yield();
  all.hear(*talks, talks_at);
  (void)all.admits("127.0.0.4");
  EXPECT_FALSE(PeersOf::ended(*talks));
  EXPECT_TRUE(PeersOf::ended(*quiet));
}

TEST(UdpPeers, WhereEveryHostHasOnePlaceTheOneSilentForAWhileMakesRoomForAnotherHost) {
  PeersOf all(8, 1h);  // and a while is six minutes
  PeersOf soon(8, 1s);
  for (PeersOf* const peers : {&all, &soon}) {
    std::vector<std::unique_ptr<UdpCarrier>> carriers;
    std::vector<InetAddress> at;
    for (const char* const host :
         {"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6", "127.0.0.7", "127.0.0.8"}) {
      carriers.push_back(peers->make(host));
      at.push_back(peers->last);
    }
    EXPECT_FALSE(peers->admits("192.0.2.1")) << "all had been heard once";
    std::this_thread::sleep_for(150ms);
    for (std::size_t i = 0; i < carriers.size(); ++i) {
      if (i != 5) peers->hear(*carriers[i], at[i]);
    }
    EXPECT_FALSE(peers->admits("127.0.0.1")) << "a host that has a place";
    EXPECT_EQ(peers->admits("192.0.2.1"), peers == &soon);
    for (std::size_t i = 0; i < carriers.size(); ++i) {
      EXPECT_EQ(PeersOf::ended(*carriers[i]), peers == &soon && i == 5) << i;
    }
  }
}

TEST(UdpPeers, AreKnownWhileTheirCarriersAreThere) {
  const auto peers = std::make_shared<Peers>(8, 1h);
  const auto socket = *ipc::UdpSocket::open(InetAddress::loopback_v4());
  auto opened = *ipc::ConnectedUdp::open(*socket.local_address(), InetAddress::loopback_v4());
  const InetAddress peer = *InetAddress::parse("192.0.2.1", 9);
  {
    const UdpCarrier carrier(UdpSocket(std::move(opened)), base::Duration{}, peers, peer);
    EXPECT_FALSE(peers->admits(peer)) << "a second carrier would take what is the first's";
    EXPECT_TRUE(peers->admits(peer.with_port(10)));
  }
  EXPECT_TRUE(peers->admits(peer));
}

TEST(UdpAside, IsLimitedInNumberAndInOctetsUntilItIsTaken) {
  Bounded<int> few(3);
  for (int i = 0; i < 5; ++i) few.add(i, 1);
  EXPECT_EQ(few.take(), (std::deque<int>{0, 1, 2}));
  EXPECT_TRUE(few.empty());
  Bounded<int> many(100);
  constexpr std::size_t kHalf = Bounded<int>::kMostOctets / 2;
  for (int round = 0; round < 3; ++round) {
    many.add(1, kHalf);
    many.add(2, kHalf + 1);  // one octet too many
    many.add(3, kHalf);
    many.add(4, 1);
    EXPECT_EQ(many.take(), (std::deque<int>{1, 3}));
  }
}

}  // namespace
}  // namespace corbel::transport::udp
