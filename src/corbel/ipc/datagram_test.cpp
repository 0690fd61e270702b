// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/datagram.hpp"

#include <gtest/gtest.h>
#include <net/if.h>

#include <array>
#include <filesystem>
#include <thread>

#include "corbel/ipc/broadcast.hpp"
#include "corbel/ipc/multicast.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using testing::soon;
using namespace std::chrono_literals;

base::ConstByteSpan operator""_b(const char* text, std::size_t size) {
  return base::as_bytes({text, size});
}

struct V4 {
  using Address = InetAddress;
  InetAddress place() const { return InetAddress::loopback_v4(); }
};
struct V6 {
  using Address = InetAddress;
  InetAddress place() const { return InetAddress::loopback_v6(); }
};
struct Local {
  using Address = UnixAddress;
  UnixAddress place() const { return UnixAddress(); }
};

template <class Kind>
class DatagramTest : public ::testing::Test {
 protected:
  using Socket = DatagramSocket<typename Kind::Address>;
  Kind kind_;
  Socket a_ = *Socket::open(kind_.place());
  Socket b_ = *Socket::open(kind_.place());
  typename Kind::Address at_a_ = *a_.local_address();
  typename Kind::Address at_b_ = *b_.local_address();
  std::array<base::Octet, 64> room_{};

  std::string text(std::size_t size) const { return std::string(base::as_text({room_.data(), size})); }
};
using Kinds = ::testing::Types<V4, V6, Local>;
TYPED_TEST_SUITE(DatagramTest, Kinds, );

TYPED_TEST(DatagramTest, CarriesDatagramsAndTellsWhoSentThem) {
  ASSERT_EQ(*this->a_.send_to("hello"_b, this->at_b_), 5U);
  typename TypeParam::Address from;
  const auto size = this->b_.recv_from(this->room_, from, soon());
  ASSERT_TRUE(size);
  EXPECT_EQ(this->text(*size), "hello");
  EXPECT_EQ(from, this->at_a_);
  ASSERT_TRUE(this->b_.send_to("back"_b, from, soon()));
  ASSERT_EQ(*this->a_.recv_from(this->room_, from), 4U);
  EXPECT_EQ(from, this->at_b_);
}

TYPED_TEST(DatagramTest, KeepsBoundariesAndEmptyDatagrams) {
  for (const auto data : {"one"_b, ""_b, "three"_b}) ASSERT_TRUE(this->a_.send_to(data, this->at_b_));
  typename TypeParam::Address from;
  for (const std::size_t wanted : {3U, 0U, 5U}) EXPECT_EQ(*this->b_.recv_from(this->room_, from, soon()), wanted);
}

TYPED_TEST(DatagramTest, ReportsATruncatedDatagram) {
  typename TypeParam::Address from;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(this->a_.send_to("too long"_b, this->at_b_));
  EXPECT_EQ(*this->b_.next_size(soon()), 8U);
  const auto small = std::span(this->room_).first(3);
  EXPECT_EQ(this->b_.recv_from(small, from, soon()).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(from, this->at_a_);
  EXPECT_EQ(this->text(3), "too");
  const IoVector piece{small};
  EXPECT_EQ(this->b_.recvv_from({&piece, 1}, from, soon()).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(this->b_.recv_from(this->room_, from, Deadline::now()).error().code, Code::would_block);
}

TYPED_TEST(DatagramTest, GathersAndScatters) {
  const std::array<ConstIoVector, 2> gather{"head"_b, "body"_b};
  ASSERT_EQ(*this->a_.sendv_to(gather, this->at_b_, soon()), 8U);
  std::array<base::Octet, 6> front{}, back{};
  const std::array<IoVector, 2> scatter{base::ByteSpan(front), base::ByteSpan(back)};
  typename TypeParam::Address from;
  ASSERT_EQ(*this->b_.recvv_from(scatter, from, soon()), 8U);
  EXPECT_EQ(base::as_text(front), "headbo");
  EXPECT_EQ(base::as_text({back.data(), 2}), "dy");
  EXPECT_EQ(from, this->at_a_);
}

TYPED_TEST(DatagramTest, RefusesAGatherListThatDoesNotFitOneCall) {
  const std::vector<ConstIoVector> list(1025, ConstIoVector("x"_b));
  EXPECT_EQ(this->a_.sendv_to(list, this->at_b_).error().code, Code::too_large);
}

TYPED_TEST(DatagramTest, SendsAndReceivesInBatches) {
  using Address = typename TypeParam::Address;
  OutputBatch<Address> out(3);
  ASSERT_TRUE(out.add("a"_b, this->at_b_));
  ASSERT_TRUE(out.add("bb"_b, this->at_b_));
  ASSERT_TRUE(out.add("longest of all"_b, this->at_b_));
  EXPECT_FALSE(out.add("no room"_b, this->at_b_));
  ASSERT_EQ(*this->a_.send_batch(out), 3U);
  InputBatch<Address> in(8, 10);
  std::size_t seen = 0;
  while (seen < 3) {
    ASSERT_TRUE(this->b_.recv_batch(in, soon()));
    for (std::size_t i = 0; i < in.size(); ++i, ++seen) {
      EXPECT_EQ(in.from(i), this->at_a_);
      if (seen == 2) {
        EXPECT_EQ(in.data(i).error().code, Code::truncated);
      } else {
        EXPECT_EQ(in.data(i)->size(), seen + 1);
      }
    }
  }
  EXPECT_EQ(this->b_.recv_batch(in, Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(in.size(), 0U);
}

TYPED_TEST(DatagramTest, SendsGatherListsInBatches) {
  using Address = typename TypeParam::Address;
  OutputBatch<Address> out(2);
  const std::array<ConstIoVector, 2> list{"head"_b, "body"_b};
  ASSERT_TRUE(out.add(list, this->at_b_));
  ASSERT_TRUE(out.add(std::span(list).first(1), this->at_b_));
  EXPECT_FALSE(out.add(list, this->at_b_));
  ASSERT_EQ(*this->a_.send_batch(out, soon()), 2U);
  Address from;
  ASSERT_EQ(*this->b_.recv_from(this->room_, from, soon()), 8U);
  EXPECT_EQ(this->text(8), "headbody");
  ASSERT_EQ(*this->b_.recv_from(this->room_, from, soon()), 4U);
}

TYPED_TEST(DatagramTest, GivesUpAtTheDeadline) {
  typename TypeParam::Address from;
  EXPECT_EQ(this->b_.recv_from(this->room_, from, Deadline::after(10ms)).error().code, Code::timed_out);
  EXPECT_EQ(this->b_.wait_readable(Deadline::now()).error().code, Code::would_block);
  EXPECT_TRUE(this->b_.wait_writable(Deadline::now()));
}

TYPED_TEST(DatagramTest, ConnectedOnesNeedNoAddress) {
  using Address = typename TypeParam::Address;
  auto client = *ConnectedDatagram<Address>::open(this->at_b_, this->kind_.place());
  EXPECT_EQ(*client.peer_address(), this->at_b_);
  ASSERT_TRUE(client.send("ping"_b, soon()));
  Address from;
  ASSERT_EQ(*this->b_.recv_from(this->room_, from, soon()), 4U);
  EXPECT_EQ(from, *client.local_address());
  if constexpr (Address::kInternet) {
    ASSERT_TRUE(this->a_.send_to("intruder"_b, from));  // a stranger is not heard
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(this->b_.send_to("answer"_b, from));
  ASSERT_EQ(*client.recv(this->room_, soon()), 6U);
  EXPECT_EQ(this->text(6), "answer");
  EXPECT_EQ(*client.next_size(), 6U);
  EXPECT_EQ(client.recv(std::span(this->room_).first(2)).error().code, Code::truncated);
  std::array<base::Octet, 4> front{};
  const std::array<IoVector, 2> scatter{base::ByteSpan(front), base::ByteSpan(this->room_)};
  EXPECT_EQ(*client.recvv(scatter, soon()), 6U);
  EXPECT_EQ(base::as_text(front), "answ");
}

TYPED_TEST(DatagramTest, ConnectedOnesSendInBatchesWithoutAddresses) {
  using Address = typename TypeParam::Address;
  auto client = *ConnectedDatagram<Address>::open(this->at_b_, this->kind_.place());
  OutputBatch<Address> out(2);
  ASSERT_TRUE(out.add("1"_b) && out.add("22"_b));
  EXPECT_EQ(*client.send_batch(out), 2U);
  out.drop(2);
  EXPECT_EQ(out.size(), 0U);
  Address from;
  EXPECT_EQ(*this->b_.recv_from(this->room_, from, soon()), 1U);
  EXPECT_EQ(*this->b_.recv_from(this->room_, from, soon()), 2U);
}

TEST(Udp, ReportsADatagramThatIsTooLarge) {
  auto socket = *UdpSocket::open(InetAddress::loopback_v4());
  const base::Bytes data(70'000);
  EXPECT_EQ(socket.send_to(data, *socket.local_address()).error(), base::error(Stage::send, Code::too_large, EMSGSIZE));
}

TEST(Udp, LearnsThatNobodyListens) {
  const InetAddress nobody = *UdpSocket::open(InetAddress::loopback_v4())->local_address();
  auto client = *ConnectedUdp::open(nobody, InetAddress::loopback_v4());
  ASSERT_TRUE(client.send("anybody?"_b));
  std::array<base::Octet, 4> room{};
  EXPECT_EQ(client.recv(room, soon()).error(), base::error(Stage::receive, Code::lost, ECONNREFUSED));
}

TEST(Udp, ShuttingDownWakesWhoeverWaits) {
  auto other = *UdpSocket::open(InetAddress::loopback_v4());
  auto client = *ConnectedUdp::open(*other.local_address(), InetAddress::loopback_v4());
  std::thread waiting([&] {
    std::array<base::Octet, 4> room{};
    EXPECT_EQ(*client.recv(room), 0U);
  });
  EXPECT_TRUE(client.shutdown(Direction::both));
  waiting.join();
}

TEST(Udp, AConnectedSocketTakesWhatComesFromItsPeerToASharedPort) {
  auto server = *UdpSocket::open(InetAddress::loopback_v4());
  const auto there = *server.local_address();
  auto client = *ConnectedUdp::open(there, InetAddress::loopback_v4());
  const auto refused = ConnectedUdp::open(*client.local_address(), there, {.reuse_port = true});
  EXPECT_EQ(refused.error().code, Code::address_in_use) << "the other does not share";
  ASSERT_TRUE(server.set(option::reuse_port, true));
  auto apart = *ConnectedUdp::open(*client.local_address(), there, {.reuse_port = true});
  ASSERT_TRUE(server.set(option::reuse_port, false));
  EXPECT_EQ(UdpSocket::open(there).error().code, Code::address_in_use);
  ASSERT_TRUE(client.send("mine"_b));
  std::array<base::Octet, 8> room{};
  EXPECT_EQ(*apart.recv(room, soon()), 4U);
  auto stranger = *ConnectedUdp::open(there, InetAddress::loopback_v4());
  ASSERT_TRUE(stranger.send("other"_b));
  InetAddress from;
  EXPECT_EQ(*server.recv_from(room, from, soon()), 5U);
  EXPECT_EQ(from, *stranger.local_address());
}

TEST(Udp, OneThatGetsAnotherPeerLeavesTheFirstOnesToOthersAtThePort) {
  auto listener = *UdpSocket::open(InetAddress::loopback_v4());
  const InetAddress there = *listener.local_address();
  auto client = *ConnectedUdp::open(there, InetAddress::loopback_v4());
  ASSERT_TRUE(listener.set(option::reuse_port, true));
  auto apart = *ConnectedUdp::open(*client.local_address(), there, {.reuse_port = true});
  const base::Octet before[] = {1};
  const base::Octet after[] = {2};
  ASSERT_TRUE(client.send(before));
  ASSERT_TRUE(apart.connect(there));
  ASSERT_TRUE(client.send(after));
  base::Octet room[8] = {};
  InetAddress from;
  EXPECT_EQ(*listener.recv_from(room, from, Deadline::after(std::chrono::seconds(10))), 1U);
  EXPECT_EQ(room[0], 2);
  EXPECT_EQ(from, *client.local_address());
  EXPECT_EQ(*apart.recv(room, RecvFlags::dont_wait), 1U);
  EXPECT_EQ(room[0], 1);
}

TEST(UnixDatagram, AFileIsMadeAndRemoved) {
  const test::Folder directory;
  const auto address = *UnixAddress::path(directory / "d");
  {
    auto receiver = *UnixDatagramSocket::open(address, {.mode = 0600});
    EXPECT_EQ(std::filesystem::status(directory / "d").permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(UnixDatagramSocket::open(address).error().code, Code::address_in_use);
    ASSERT_TRUE(UnixDatagramSocket::open()->send_to("x"_b, address));
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "d"));
  EXPECT_EQ(UnixDatagramSocket::open()->send_to("x"_b, address).error().code, Code::unreachable);
  EXPECT_EQ(ConnectedUnixDatagram::open(address).error(), base::error(Stage::connect, Code::unreachable, ENOENT));
}

TEST(UnixDatagram, AStaleFileIsReplacedAndAnAbandonedOneRefuses) {
  const test::Folder directory;
  const auto address = *UnixAddress::path(directory / "d");
  (void)*UnixDatagramSocket::open(address, {.remove_on_close = false});
  EXPECT_EQ(ConnectedUnixDatagram::open(address).error().code, Code::refused);
  EXPECT_EQ(UnixDatagramSocket::open(address, {.replace_stale = false}).error().code, Code::address_in_use);
  EXPECT_TRUE(UnixDatagramSocket::open(address));
}

TEST(UnixDatagram, WaitsForRoomUntilTheDeadlineAlthoughPollSaysWritable) {
  auto receiver = *UnixDatagramSocket::open();
  const auto to = *receiver.local_address();
  auto sender = *UnixDatagramSocket::open();
  int sent = 0;
  while (sender.send_to("fill"_b, to, SendFlags::dont_wait)) ++sent;
  ASSERT_GT(sent, 0);
  EXPECT_EQ(sender.send_to("more"_b, to, Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(sender.send_to("more"_b, to, Deadline::after(10ms)).error().code, Code::timed_out);
  std::thread waiting([&] { EXPECT_TRUE(sender.send_to("more"_b, to, soon())); });
  std::array<base::Octet, 8> room{};
  UnixAddress from;
  for (int i = 0; i <= sent; ++i) EXPECT_TRUE(receiver.recv_from(room, from, soon()));
  waiting.join();
}

TEST(UnixDatagram, APairIsConnected) {
  auto [left, right] = *make_datagram_pair();
  ASSERT_TRUE(left.send("to the right"_b));
  std::array<base::Octet, 16> room{};
  EXPECT_EQ(*right.recv(room), 12U);
}

TEST(Broadcast, ReachesEverybodyOnANetwork) {
  auto receiver = *UdpSocket::open(InetAddress::any_v4());
  const std::uint16_t port = receiver.local_address()->port();
  // A plain socket must not broadcast; the loopback network's address is every socket on this machine.
  const auto everybody = *InetAddress::parse("127.255.255.255", port);
  auto plain = *UdpSocket::open(InetAddress::loopback_v4());
  EXPECT_EQ(plain.send_to("x"_b, everybody).error().os_error, EACCES);
  auto sender = *BroadcastSocket::open(InetAddress::loopback_v4());
  ASSERT_TRUE(sender.send_to("everybody"_b, everybody));
  std::array<base::Octet, 16> room{};
  InetAddress from;
  EXPECT_EQ(*receiver.recv_from(room, from, soon()), 9U);
  EXPECT_EQ(from, *sender.local_address());
  EXPECT_EQ(BroadcastSocket::open(InetAddress::any_v6()).error().code, Code::unsupported);
}

TEST(Broadcast, KnowsTheNetworksOfThisMachine) {
  const auto sender = *BroadcastSocket::open(InetAddress::loopback_v4());
  EXPECT_EQ(sender.networks(), broadcast_addresses());
  for (const InetAddress& network : sender.networks()) EXPECT_FALSE(network.is_v6());
}

class MulticastTest : public ::testing::TestWithParam<const char*> {
 protected:
  InetAddress group(std::uint16_t port = 0) const { return *InetAddress::parse(GetParam(), port); }
  bool v6() const { return group().is_v6(); }
  /// The first interface that has a route for the group: loopback, unless it has none for IPv6 groups. Neither group
  /// leaves this machine, whatever the interface (RFC 4291 2.7: ff01 is interface-local).
  NetworkInterface find_interface() const {
    auto probe = *MulticastSocket::open(v6() ? InetAddress::any_v6() : InetAddress::any_v4());
    for (std::uint32_t index = 1; index < 64; ++index) {
      std::array<char, IF_NAMESIZE> name{};
      if (::if_indextoname(index, name.data()) == nullptr) continue;
      const auto interface = *NetworkInterface::find(name.data());
      if (probe.set_interface(interface) && probe.send_to("?"_b, group(9))) return interface;
    }
    return {};
  }
  void SetUp() override {
    if (interface_.index() == 0) GTEST_SKIP() << "no interface of this machine has a route for " << GetParam();
  }
  MulticastSocket member() const {
    auto socket = *MulticastSocket::open(v6() ? InetAddress::any_v6(port_) : InetAddress::any_v4(port_));
    port_ = socket.local_address()->port();
    EXPECT_TRUE(socket.set_interface(interface_));
    return socket;
  }
  std::array<base::Octet, 16> room_{};
  mutable std::uint16_t port_ = 0;
  NetworkInterface interface_ = find_interface();
};

TEST_P(MulticastTest, ReachesEveryMemberAndNobodyElse) {
  auto one = member(), two = member(), stranger = member();
  ASSERT_TRUE(one.join(group(), interface_));
  ASSERT_TRUE(two.join(group(), interface_));
  EXPECT_EQ(one.join(group(), interface_).error().code, Code::address_in_use);
  ASSERT_TRUE(one.send_to("all"_b, group(port_)));
  InetAddress from;
  EXPECT_EQ(*one.recv_from(room_, from, soon()), 3U);
  EXPECT_EQ(*two.recv_from(room_, from, soon()), 3U);
  EXPECT_EQ(from.port(), port_);
  EXPECT_EQ(stranger.recv_from(room_, from, Deadline::now()).error().code, Code::would_block);
  ASSERT_TRUE(two.leave(group(), interface_));
  EXPECT_EQ(two.leave(group(), interface_).error().code, Code::unreachable);
  ASSERT_TRUE(one.send_to("again"_b, group(port_)));
  EXPECT_EQ(*one.recv_from(room_, from, soon()), 5U);
  EXPECT_EQ(two.recv_from(room_, from, Deadline::now()).error().code, Code::would_block);
}

TEST_P(MulticastTest, LoopbackAndHopsCanBeChosen) {
  auto one = member();
  ASSERT_TRUE(one.join(group(), interface_));
  EXPECT_EQ(*one.hops(), 1);
  ASSERT_TRUE(one.set_hops(7));
  EXPECT_EQ(*one.hops(), 7);
  EXPECT_EQ(one.set_hops(-1).error().code, Code::bad_argument);
  EXPECT_EQ(one.set_hops(256).error().code, Code::bad_argument);
  EXPECT_TRUE(one.set_loopback(false));
  EXPECT_TRUE(one.set_loopback(true));
  EXPECT_EQ(one.join(v6() ? InetAddress::loopback_v6() : InetAddress::loopback_v4(), interface_).error().code,
            Code::bad_argument);
}

INSTANTIATE_TEST_SUITE_P(Families, MulticastTest, ::testing::Values("239.255.77.1", "ff01::4d:1"),
                         [](const auto& each) { return std::string(each.param)[0] == 'f' ? "v6" : "v4"; });

TEST(NetworkInterface, IsFoundByName) {
  EXPECT_EQ(NetworkInterface::loopback()->name(), "lo");
  EXPECT_EQ(NetworkInterface::find("no-such-one").error().code, Code::unreachable);
  EXPECT_EQ(NetworkInterface::find("a name that is far too long for one").error().code, Code::unreachable);
  EXPECT_EQ(NetworkInterface().index(), 0U);
}

}  // namespace
}  // namespace corbel::ipc
