// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/undelivered.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::ipc {
namespace {

TEST(Undelivered, SaysWhichOfManyAddressesNobodyHears) {
  for (const bool v6 : {false, true}) {
    const InetAddress here = v6 ? InetAddress::any_v6() : InetAddress::loopback_v4();
    auto sender = UdpSocket::open(here);
    ASSERT_TRUE(sender);
    ASSERT_TRUE(tell_undelivered(sender->handle(), v6));
    EXPECT_EQ(next_undelivered(sender->handle()).error().code, base::Code::would_block);
    const InetAddress loopback = *InetAddress::parse(v6 ? "::1" : "127.0.0.1", 0);
    auto heard = UdpSocket::open(loopback);
    auto gone = UdpSocket::open(loopback);
    if (!heard && v6) GTEST_SKIP() << "no IPv6 here";
    ASSERT_TRUE(heard && gone);
    const InetAddress nobody = *gone->local_address();
    gone->close();
    const base::Octet octets[] = {1, 2, 3};
    (void)sender->send_to(octets, *heard->local_address(), SendFlags::dont_wait);
    (void)sender->send_to(octets, nobody, SendFlags::dont_wait);
    auto told = next_undelivered(sender->handle());
    for (int i = 0; i < 1000 && !told; ++i) {
      (void)wait_ready(sender->handle(), Ready::readable, base::Deadline::after(std::chrono::milliseconds(10)),
                       base::Stage::wait);
      told = next_undelivered(sender->handle());
    }
    ASSERT_TRUE(told);
    EXPECT_EQ(told->to, nobody);
    EXPECT_EQ(told->why, base::error(base::Stage::send, base::Code::lost, ECONNREFUSED));
    EXPECT_EQ(next_undelivered(sender->handle()).error().code, base::Code::would_block);
  }
}

}  // namespace
}  // namespace corbel::ipc
