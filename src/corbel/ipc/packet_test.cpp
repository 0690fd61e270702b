// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/packet.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;

class PacketTest : public ::testing::Test {
 protected:
  testing::Place<UnixAddress> place_;
  PacketAcceptor acceptor_ = *PacketAcceptor::open(place_.address());
  PacketStream client_ = *PacketConnector().connect(place_.address(), Deadline::after(60s));
  PacketStream server_ = *acceptor_.accept();
  std::array<base::Octet, 8> room_{};
};

TEST_F(PacketTest, WhatWasSentByAPeerThatClosedWithMessagesUnreadStillArrives) {
  for (const bool looks_first : {false, true}) {
    auto pair = *make_packet_pair();
    ASSERT_TRUE(pair.first.send(base::as_bytes("unread")));
    for (const char* message : {"reply", "end"}) ASSERT_TRUE(pair.second.send(base::as_bytes(message)));
    pair.second.close();
    if (looks_first) {
      EXPECT_EQ(*pair.first.next_size(), 5U);
    }
    EXPECT_EQ(*pair.first.recv(room_), 5U);
    const IoVector one(room_);
    EXPECT_EQ(*pair.first.recvv({&one, 1}, Deadline::after(60s)), 3U);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(pair.first.recv(room_).error().code, Code::lost);
  }
}

TEST_F(PacketTest, KeepsMessageBoundaries) {
  ASSERT_TRUE(client_.send(base::as_bytes("ab")));
  const std::array<ConstIoVector, 2> gather{base::as_bytes("cde"), base::as_bytes("f")};
  ASSERT_EQ(*client_.sendv(gather, Deadline::after(60s)), 4U);
  EXPECT_EQ(*server_.next_size(), 2U);
  EXPECT_EQ(*server_.recv(room_), 2U);
  std::array<base::Octet, 3> front{};
  const std::array<IoVector, 2> scatter{base::ByteSpan(front), base::ByteSpan(room_)};
  EXPECT_EQ(*server_.recvv(scatter), 4U);
  EXPECT_EQ(base::as_text(front), "cde");
}

TEST_F(PacketTest, ReportsATruncatedMessage) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(client_.send(base::as_bytes("more than eight")));
  EXPECT_EQ(server_.recv(room_).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(server_.recv(room_, Deadline::now()).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(server_.recv(room_, Deadline::now()).error().code, Code::would_block);
}

TEST_F(PacketTest, TellsTheEndAndRefusesEmptyMessagesThatWouldLookLikeIt) {
  EXPECT_EQ(client_.send({}).error(), base::error(Stage::send, Code::bad_argument));
  EXPECT_EQ(client_.sendv({}).error(), base::error(Stage::send, Code::bad_argument));
  ASSERT_TRUE(client_.shutdown(Direction::send));
  EXPECT_EQ(server_.recv(room_).error(), base::error(Stage::receive, Code::closed));
  EXPECT_EQ(server_.next_size().error().code, Code::closed);
  client_.close();
  EXPECT_EQ(server_.send(base::as_bytes("x")).error().code, Code::lost);
}

TEST_F(PacketTest, GivesUpAtTheDeadline) {
  EXPECT_EQ(server_.recv(room_, Deadline::after(5ms)).error().code, Code::timed_out);
  base::Status status;
  while (status) {
    auto sent = client_.send(base::as_bytes("x"), Deadline::after(5ms));
    if (!sent) status = sent.error();
  }
  EXPECT_EQ(status.error().code, Code::timed_out);
  EXPECT_EQ(client_.send(base::Bytes(10'000'000)).error().code, Code::too_large);
}

TEST_F(PacketTest, HasCredentialsAndAddresses) {
  EXPECT_EQ(server_.get(option::peer_credentials)->process, ::getpid());
  EXPECT_EQ(*server_.local_address(), place_.address());
  EXPECT_EQ(*client_.peer_address(), place_.address());
}

TEST_F(PacketTest, AStreamConnectorDoesNotReachAPacketAcceptor) {
  EXPECT_EQ(UnixConnector().connect(place_.address()).error(),
            base::error(Stage::connect, Code::unsupported, EPROTOTYPE));
}

TEST(PacketPair, IsConnectedAndWakesOnShutdown) {
  auto pair = *make_packet_pair();
  ASSERT_TRUE(pair.first.send(base::as_bytes("x"), Deadline::after(60s)));
  std::array<base::Octet, 8> room{};
  EXPECT_EQ(*pair.second.recv(room), 1U);
  std::thread blocked([&] { EXPECT_EQ(pair.second.recv(room).error().code, Code::closed); });
  EXPECT_TRUE(pair.second.shutdown(Direction::both));
  blocked.join();
}

}  // namespace
}  // namespace corbel::ipc
