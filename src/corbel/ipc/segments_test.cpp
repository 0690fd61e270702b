// SPDX-License-Identifier: Apache-2.0
// Many datagrams by one system call, as one piece.
#include <gtest/gtest.h>

#include <string_view>

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using testing::soon;

base::ConstByteSpan octets(std::string_view text) {
  return base::as_bytes({text.data(), text.size()});
}

TEST(UdpSegments, SendsOnePieceAsManyDatagrams) {
  auto server = *UdpSocket::open(InetAddress::loopback_v4());
  auto client = *ConnectedUdp::open(*server.local_address(), InetAddress::loopback_v4());
  if (!client.cuts_segments()) GTEST_SKIP() << "needs UDP_SEGMENT";
  ASSERT_EQ(*client.send_segments(octets("onetwothree!"), 3), 12U);
  InetAddress from;
  base::Bytes room(100);
  for (const char* const text : {"one", "two", "thr", "ee!"}) {
    ASSERT_EQ(*server.recv_from(room, from, soon()), 3U);
    EXPECT_EQ(base::as_text({room.data(), 3}), text);
  }
  const base::Bytes many(65 * 2, 'x');
  EXPECT_EQ(*client.send_segments(base::ConstByteSpan(many).first(128), 2), 128U) << "64 of them";
}

TEST(UdpSegments, ReceivesManyDatagramsAsOnePieceAndTellsWhereTheyEnd) {
  auto first = *UdpSocket::open(InetAddress::loopback_v4());
  auto client = *ConnectedUdp::open(*first.local_address(), InetAddress::loopback_v4());
  const InetAddress here = *first.local_address();
  first.close();
  auto server = *ConnectedUdp::open(*client.local_address(), here);
  if (!client.cuts_segments() || !server.join_segments(true)) GTEST_SKIP() << "needs UDP_SEGMENT and UDP_GRO";
  base::Bytes room(64U << 10);
  EXPECT_EQ(server.recv_segments(room, RecvFlags::dont_wait).error().code, Code::would_block);
  ASSERT_EQ(*client.send_segments(octets("onetwothree"), 3), 11U);
  ASSERT_EQ(*client.send(octets("four")), 4U);
  auto come = *server.recv_segments(room);
  EXPECT_EQ(come.octets, 11U);
  EXPECT_EQ(come.size, 3U);
  come = *server.recv_segments(room);
  EXPECT_EQ(come.octets, 4U);
  EXPECT_EQ(come.size, 4U);
  ASSERT_TRUE(server.join_segments(false));
  ASSERT_EQ(*client.send_segments(octets("onetwo"), 3), 6U);
  EXPECT_EQ(*server.recv(room, RecvFlags::none), 3U);
}

}  // namespace
}  // namespace corbel::ipc
