// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/stream_pipe.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;

class StreamPipeTest : public ::testing::Test {
 protected:
  testing::Place<UnixAddress> place_;
  StreamPipeAcceptor acceptor_ = *StreamPipeAcceptor::open(place_.address());
  std::array<base::Octet, 8> room_{};
};

TEST_F(StreamPipeTest, ConnectsByName) {
  auto client = *StreamPipeConnector().connect(place_.address(), Deadline::after(60s));
  ASSERT_TRUE(client.send_n(base::as_bytes("early")));  // before it is accepted
  auto server = *acceptor_.accept();
  ASSERT_TRUE(server.recv_n(std::span(room_).first(5)));
  ASSERT_TRUE(server.send_n(base::as_bytes("back")));
  EXPECT_EQ(*client.recv(room_), 4U);
}

TEST_F(StreamPipeTest, StartsToConnectAndIsThereAtOnce) {
  auto pending = *StreamPipeConnector().start_connect(place_.address());
  EXPECT_TRUE(pending.completed());
  auto client = *pending.finish();
  ASSERT_TRUE(client.send_n(base::as_bytes("x")));
  EXPECT_EQ(*acceptor_.accept()->recv(room_), 1U);
}

TEST_F(StreamPipeTest, AcceptingGivesUpAndIsCancelled) {
  EXPECT_EQ(acceptor_.accept(Deadline::now()).error(), base::error(Stage::accept, Code::would_block, EAGAIN));
  EXPECT_EQ(acceptor_.accept(Deadline::after(5ms)).error(), base::error(Stage::accept, Code::timed_out));
  std::thread blocked([&] { EXPECT_EQ(acceptor_.accept().error().code, Code::cancelled); });
  acceptor_.shutdown();
  blocked.join();
  EXPECT_EQ(acceptor_.accept(Deadline::after(60s)).error().code, Code::cancelled);
}

TEST_F(StreamPipeTest, WhatIsNoPipeIsSkipped) {
  auto stranger = *ConnectedUnixDatagram::open(place_.address());
  ASSERT_TRUE(stranger.send(base::as_bytes("not a pipe at all")));
  const int wrong[] = {stranger.handle()};
  ASSERT_TRUE(send_with(stranger, base::as_bytes("x"), {.handles = wrong}));
  auto pair = *make_stream_pair();
  const int two[] = {pair.first.handle(), pair.second.handle()};
  ASSERT_TRUE(send_with(stranger, base::as_bytes("x"), {.handles = two}));
  auto client = *StreamPipeConnector().connect(place_.address());
  auto server = *acceptor_.accept(Deadline::after(60s));
  ASSERT_TRUE(client.send_n(base::as_bytes("x")));
  EXPECT_EQ(*server.recv(room_), 1U);
}

TEST_F(StreamPipeTest, ConnectingReportsWhyItFailed) {
  const test::Folder empty;
  EXPECT_EQ(StreamPipeConnector().connect(*UnixAddress::path(empty / "none")).error(),
            base::error(Stage::connect, Code::unreachable, ENOENT));
  for (;;) {
    auto pipe = StreamPipeConnector().connect(place_.address(), Deadline::now());
    if (pipe) continue;
    EXPECT_EQ(pipe.error().stage, Stage::connect);
    EXPECT_EQ(pipe.error().code, Code::would_block);
    EXPECT_EQ(StreamPipeConnector().start_connect(place_.address()).error(), pipe.error());
    break;
  }
}

TEST_F(StreamPipeTest, AnAcceptorThatGoesEndsPipesThatWait) {
  auto client = *StreamPipeConnector().connect(place_.address());
  acceptor_.close();
  EXPECT_EQ(*client.recv(room_), 0U);
}

}  // namespace
}  // namespace corbel::ipc
