// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/udp/udp.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>

#include "corbel/transport/udp/carrier.hpp"
#include "corbel/transport/udp/test_support.hpp"

namespace corbel::transport::udp {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;
using namespace std::chrono_literals;

TEST_F(Udp, WhoSpokeToOneOfSeveralAddressesHearsAnswersFromThere) {
  for (const char* const everywhere : {"0.0.0.0:0", ":0"}) {
    acceptor_ = *factory_->listen(**factory_->parse(everywhere), {});
    const auto port = dynamic_cast<const UdpEndpoint&>(*acceptor_->endpoints().front()).port();
    for (const char* const host : {"127.0.0.1:", "127.0.0.2:", "127.0.0.3:"}) {
      const auto there = *factory_->parse(host + std::to_string(port));
      const auto client = *factory_->make_connector()->connect(*there, {}, Deadline::after(20s));
      send(*client, {1});
      const auto server = accept();
      ASSERT_TRUE(server);
      EXPECT_EQ(receive(*server), Bytes(1, 1));
      send(*server, {2});
      EXPECT_EQ(receive(*client), Bytes(1, 2)) << everywhere << ' ' << host;
      send(*client, {3});
      EXPECT_EQ(receive(*server), Bytes(1, 3));
    }
  }
}

TEST_F(Udp, WhatPeersSentBeforeTheyWereAcceptedIsTheirsAndInOrder) {
  std::vector<std::unique_ptr<Transport>> clients;
  clients.reserve(5);
  for (int i = 0; i < 5; ++i) clients.push_back(connect());
  for (base::Octet n = 0; n < 10; ++n) {
    for (base::Octet i = 0; i < 5; ++i) send(*clients[i], {i, n});
  }
  std::vector<std::unique_ptr<Transport>> all;
  for (int i = 0; i < 5; ++i) {
    auto server = accept();
    ASSERT_TRUE(server);
    EXPECT_TRUE(server->pending());
    const Bytes first = receive(*server);
    ASSERT_EQ(first.size(), 2U);
    const std::size_t who = first[0];
    EXPECT_EQ(first[1], 0);
    for (base::Octet n = 1; n < 10; ++n) EXPECT_EQ(receive(*server), (Bytes{first[0], n}));
    EXPECT_FALSE(server->pending());
    EXPECT_EQ(server->peer(), clients[who]->local());
    EXPECT_EQ(clients[who]->peer(), server->local());
    send(*server, {99});
    EXPECT_EQ(receive(*clients[who]), Bytes{99});
    all.push_back(std::move(server));
  }
  EXPECT_EQ(acceptor_->accept().error().code, Code::would_block) << "each of them once";
}

// A peer is told of no end: what it sends meanwhile would be lost, and its call would wait for its time-out.
TEST_F(Udp, WhatACarrierThatEndsHasNotReadIsHandedOnToTheNextOne) {
  const auto client = connect();
  const auto other = connect();
  send(*client, {0});
  auto server = accept();
  ASSERT_TRUE(server);
  EXPECT_EQ(receive(*server), Bytes{0});
  for (base::Octet i = 1; i < 4; ++i) send(*client, {i});
  server->shutdown();
  for (base::Octet i = 4; i < 6; ++i) send(*client, {i});
  server.reset();
  auto next = accept();
  ASSERT_TRUE(next) << "the acceptor is told";
  send(*client, {6});
  for (base::Octet i = 1; i < 7; ++i) EXPECT_EQ(receive(*next), Bytes{i});
  EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);

  // Two at once, and one that was heard anew before.
  send(*other, {0});
  auto others = accept();
  ASSERT_TRUE(others);
  EXPECT_EQ(receive(*others), Bytes{0});
  send(*client, {7});
  send(*other, {8});
  next.reset();
  others.reset();
  send(*client, {9});
  const std::string first = client->local();
  for (int i = 0; i < 2; ++i) {
    const auto server_of = accept();
    ASSERT_TRUE(server_of);
    const bool clients = server_of->peer() == first;
    EXPECT_EQ(receive(*server_of), Bytes{clients ? base::Octet{7} : base::Octet{8}});
    if (clients) {
      EXPECT_EQ(receive(*server_of), Bytes{9});
    }
  }
  EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
}

TEST_F(Udp, WhatIsHandedOnOnceIsNotAgain) {
  const auto client = connect();
  send(*client, {0});
  auto server = accept();
  ASSERT_TRUE(server);
  EXPECT_EQ(receive(*server), Bytes{0});
  send(*client, {1});
  server.reset();
  server = accept();
  ASSERT_TRUE(server);
  server.reset();  // as one that is turned away
  EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
}

TEST_F(Udp, APeerThatComesBackAfterItsCarrierEndedIsANewOne) {
  const auto client = connect();
  for (base::Octet i = 0; i < 3; ++i) {
    send(*client, {i});
    const auto server = accept();
    EXPECT_EQ(receive(*server), Bytes{i});
    send(*client, {7});
    EXPECT_EQ(receive(*server), Bytes{7});
    EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
  }
}

TEST_F(Udp, AnEmptyDatagramIsNothingAndNoEnd) {
  auto raw = *ipc::ConnectedUdp::open(address(), InetAddress::loopback_v4());
  ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  ASSERT_TRUE(raw.send(base::as_bytes("a")));
  const auto server = accept();
  EXPECT_EQ(receive(*server), Bytes{'a'});
  ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  ASSERT_TRUE(raw.send(base::as_bytes("b")));
  EXPECT_EQ(receive(*server), Bytes{'b'});
  ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  EXPECT_EQ(server->receive(room_, Deadline::after(20ms)).error().code, Code::timed_out);
}

TEST_F(Udp, ADatagramLargerThanAnyMessageIsNothing) {
  auto there = factory_->listen(**factory_->parse("[::1]:0"), {});
  if (!there) GTEST_SKIP() << "needs IPv6";
  acceptor_ = *std::move(there);
  auto raw = *ipc::ConnectedUdp::open(address(), InetAddress::loopback_v6());
  const Bytes large(kLargest + 20, 'x');
  ASSERT_TRUE(raw.send(large));
  ASSERT_TRUE(raw.send(base::as_bytes("a")));
  const auto server = accept();
  EXPECT_EQ(receive(*server), Bytes{'a'});
  ASSERT_TRUE(raw.send(large));
  ASSERT_TRUE(raw.send(base::as_bytes("b")));
  EXPECT_EQ(receive(*server), Bytes{'b'});
}

TEST_F(Udp, AClosedPortIsAFailure) {
  const auto client = connect();
  acceptor_->close();
  send(*client, {1});
  EXPECT_EQ(client->receive(room_, Deadline::after(20s)).error().code, Code::lost);
}

TEST_F(Udp, NoOtherMayListenThereWhileItHasPeers) {
  const auto client = connect();
  send(*client, {1});
  auto server = accept();
  const EndpointPtr there = acceptor_->endpoints().front();
  EXPECT_EQ(factory_->listen(*there, {}).error(), base::error(Stage::listen, Code::address_in_use, EADDRINUSE));
  acceptor_->close();
  EXPECT_EQ(factory_->listen(*there, {}).error().code, Code::address_in_use);
  EXPECT_EQ(receive(*server), Bytes(1, 1)) << "which are well";
  server.reset();
  acceptor_ = *factory_->listen(*there, {});
  const auto second = connect();
  send(*second, {2});
  EXPECT_EQ(receive(*accept()), Bytes{2});
}

// Such as share ports: half of the peers would be theirs.
TEST_F(Udp, NorMayOneThatWouldShareTheAddress) {
  ipc::DatagramOptions<InetAddress> sharing;
  sharing.reuse_port = true;
  for (int peers = 0; peers < 2; ++peers) {
    const auto other = ipc::UdpSocket::open(address(), sharing);
    ASSERT_EQ(other ? Code::none : other.error().code, Code::address_in_use) << peers;
    const auto client = connect();
    send(*client, {1});
    EXPECT_EQ(receive(*accept()), Bytes{1});
  }
}

/// Sends a datagram with a source port of choice; false if the system does not let this user.
bool send_forged(const InetAddress& from, const InetAddress& to) {
  const ipc::Handle raw(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP));
  if (!raw) return false;
  EXPECT_EQ(::bind(raw.get(), from.native(), from.size()), 0);
  struct {
    udphdr header;
    char text[4];
  } packet{};
  packet.header.source = htons(from.port());
  packet.header.dest = htons(to.port());
  packet.header.len = htons(sizeof packet);  // and no checksum
  const InetAddress host = to.with_port(0);
  EXPECT_EQ(::sendto(raw.get(), &packet, sizeof packet, 0, host.native(), host.size()),
            static_cast<ssize_t>(sizeof packet));
  return true;
}

/// The same, from an address that is none of this host's.
bool send_forged_from(const InetAddress& from, const InetAddress& to) {
  const ipc::Handle raw(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
  if (!raw) return false;
  struct {
    iphdr ip;
    udphdr header;
    char text[4];
  } packet{};
  packet.ip.version = 4;
  packet.ip.ihl = sizeof packet.ip / 4;
  packet.ip.ttl = 64;
  packet.ip.protocol = IPPROTO_UDP;
  packet.ip.saddr = reinterpret_cast<const sockaddr_in*>(from.native())->sin_addr.s_addr;
  packet.ip.daddr = reinterpret_cast<const sockaddr_in*>(to.native())->sin_addr.s_addr;
  packet.header.source = htons(from.port());
  packet.header.dest = htons(to.port());
  packet.header.len = htons(sizeof packet.header + sizeof packet.text);
  const InetAddress host = to.with_port(0);
  EXPECT_EQ(::sendto(raw.get(), &packet, sizeof packet, 0, host.native(), host.size()),
            static_cast<ssize_t>(sizeof packet));
  return true;
}

TEST_F(Udp, AForgedSenderThatCannotBeAnsweredKeepsNobodyWaiting) {
  const InetAddress everybody = *InetAddress::parse("255.255.255.255", 9);
  if (!send_forged_from(everybody, address())) GTEST_SKIP() << "needs raw sockets";
  if (!ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(2s), Stage::wait))
    GTEST_SKIP() << "the system does not deliver it";
  auto honest = *ipc::ConnectedUdp::open(address(), InetAddress::loopback_v4());
  ASSERT_TRUE(honest.send(base::as_bytes("honest")));
  const auto accepted = acceptor_->accept();
  ASSERT_TRUE(accepted) << base::to_string(accepted.error());
  EXPECT_EQ((*accepted)->peer(), "udp://" + honest.local_address()->to_string());
}

TEST_F(Udp, AForgedSenderWithoutAPortTakesNobodysPlace) {
  const InetAddress victim = *InetAddress::parse("127.0.0.9", 0);
  if (!send_forged(victim, address())) GTEST_SKIP() << "needs raw sockets";
  ASSERT_TRUE(ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(20s), Stage::wait));
  EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
  for (const bool first_of_many : {true, false}) {
    auto honest = *ipc::ConnectedUdp::open(address(), victim);
    ASSERT_TRUE(honest.send(base::as_bytes("honest")));
    if (first_of_many) {
      ASSERT_TRUE(send_forged(victim, address()));
    }
    const auto server = accept();
    EXPECT_EQ(server->peer(), "udp://" + honest.local_address()->to_string());
    EXPECT_EQ(receive(*server), base::Bytes({'h', 'o', 'n', 'e', 's', 't'}));
    EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
  }
}

TEST_F(Udp, AFloodOfStrangersGetsNoFurtherThanTheLimit) {
  std::vector<std::unique_ptr<Transport>> all;
  std::size_t strangers = 0;
  const auto flood = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ++strangers;
      const std::string host = "127.1." + std::to_string(strangers / 200) + '.' + std::to_string(strangers % 200 + 1);
      auto raw = *ipc::ConnectedUdp::open(address(), *InetAddress::parse(host, 0));
      ASSERT_TRUE(raw.send(base::as_bytes("x")));
      ASSERT_TRUE(ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(20s), Stage::wait));
      while (auto accepted = acceptor_->accept()) all.push_back(*std::move(accepted));
    }
  };
  flood(Peers::kMost + 20);
  EXPECT_EQ(all.size(), Peers::kMost) << "of " << strangers;
  all.resize(10);
  flood(5);
  EXPECT_EQ(all.size(), 15U);
}

TEST(UdpAddresses, CorbalocUrlsAreThoseOfTao) {
  const auto factory = make_udp();
  const auto from = [&](const std::string& scheme, const std::string& text) {
    ior::UrlAddress address;
    address.scheme = scheme;
    address.host = text;
    const auto endpoint = factory->from_url(address);
    return endpoint ? (*endpoint)->text() : std::string(base::to_string(endpoint.error().code));
  };
  EXPECT_EQ(from("diop", "127.0.0.1:4000"), "udp://127.0.0.1:4000");
  EXPECT_EQ(from("diop", "Host:4000"), "udp://host:4000");
  EXPECT_EQ(from("diop", "[::1]:4000"), "udp://[::1]:4000");
  EXPECT_EQ(from("diop", "rubbish@host:4000"), base::to_string(Code::bad_argument));
  EXPECT_EQ(from("diop", "host"), base::to_string(Code::bad_argument));
  EXPECT_EQ(from("diop", ":4000"), base::to_string(Code::bad_argument));
  EXPECT_EQ(from("iiop", "host:1"), base::to_string(Code::unsupported));
}

TEST(UdpAddresses, ADiopProfileIsThatOfIiopUnderAnotherTag) {
  const auto factory = make_udp();
  ior::ProfileBase base;
  base.version = {1, 2};
  base.object_key = {'k'};
  const std::vector<EndpointPtr> endpoints{*factory->parse("192.0.2.1:4000")};
  std::vector<ior::TaggedProfile> profiles;
  ASSERT_TRUE(factory->publish(endpoints, base, profiles));
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(profiles[0].tag, 0x54414f04U);
  auto as_iiop = profiles[0];
  as_iiop.tag = 0;
  const auto iiop = ior::decode_iiop_profile(as_iiop);
  ASSERT_TRUE(iiop);
  EXPECT_EQ(iiop->host, "192.0.2.1");
  EXPECT_EQ(iiop->port, 4000);
  const auto key = ior::object_key_of(profiles[0].tag, profiles[0].data);
  ASSERT_TRUE(key);
  EXPECT_EQ(Bytes(key->begin(), key->end()), base.object_key);
}

}  // namespace
}  // namespace corbel::transport::udp
