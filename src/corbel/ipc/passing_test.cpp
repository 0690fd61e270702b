// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/passing.hpp"
#include "support/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using test::open_descriptors;
using namespace std::chrono_literals;

auto make(UnixStream*) {
  return *make_stream_pair();
}
auto make(PacketStream*) {
  return *make_packet_pair();
}
auto make(ConnectedUnixDatagram*) {
  return *make_datagram_pair();
}

template <class Connection>
class PassingTest : public ::testing::Test {
 protected:
  std::pair<Connection, Connection> pair_ = make(static_cast<Connection*>(nullptr));
  Connection& left_ = pair_.first;
  Connection& right_ = pair_.second;
  std::array<base::Octet, 8> room_{};
};
using Connections = ::testing::Types<UnixStream, PacketStream, ConnectedUnixDatagram>;
TYPED_TEST_SUITE(PassingTest, Connections, );

TYPED_TEST(PassingTest, AnOpenHandleWorksAtTheOtherSide) {
  auto passed = *make_stream_pair();
  const int handles[] = {passed.first.handle()};
  ASSERT_EQ(*send_with(this->left_, base::as_bytes("take"), {.handles = handles}), 4U);
  passed.first.close();
  auto received = recv_with(this->right_, this->room_, 1, Deadline::after(60s));
  ASSERT_TRUE(received);
  EXPECT_EQ(received->size, 4U);
  ASSERT_EQ(received->handles.size(), 1U);
  EXPECT_EQ(::fcntl(received->handles[0].get(), F_GETFD), FD_CLOEXEC);
  UnixStream other(std::move(received->handles[0]));
  ASSERT_TRUE(other.send(base::as_bytes("through")));
  EXPECT_EQ(*passed.second.recv(this->room_), 7U);
}

TYPED_TEST(PassingTest, KeepsTheOrderOfSeveral) {
  auto one = *make_stream_pair();
  auto two = *make_stream_pair();
  const int handles[] = {one.first.handle(), two.first.handle()};
  ASSERT_TRUE(send_with(this->left_, base::as_bytes("x"), {.handles = handles}, Deadline::after(60s)));
  auto received = recv_with(this->right_, this->room_, 5);
  ASSERT_EQ(received->handles.size(), 2U);
  UnixStream second(std::move(received->handles[1]));
  ASSERT_TRUE(second.send(base::as_bytes("2")));
  EXPECT_EQ(*two.second.recv(this->room_), 1U);
}

TYPED_TEST(PassingTest, NothingEnclosedIsNoError) {
  ASSERT_TRUE(send_with(this->left_, base::as_bytes("plain"), {}));
  const auto received = recv_with(this->right_, this->room_, 5);
  EXPECT_EQ(received->size, 5U);
  EXPECT_TRUE(received->handles.empty());
  EXPECT_FALSE(received->credentials);
}

TYPED_TEST(PassingTest, ClosesWhatNobodyAskedFor) {
  const std::size_t before = open_descriptors();
  const int own = this->left_.handle();
  const int handles[] = {own, own, own};
  ASSERT_TRUE(send_with(this->left_, base::as_bytes("x"), {.handles = handles}));
  EXPECT_EQ(recv_with(this->right_, this->room_, 2).error(), base::error(Stage::receive, Code::too_large));
  EXPECT_EQ(open_descriptors(), before);
}

TYPED_TEST(PassingTest, TellsWhoSent) {
  ASSERT_TRUE(this->right_.set(option::pass_credentials, true));
  ASSERT_TRUE(send_with(this->left_, base::as_bytes("me"), {.credentials = true}));
  const auto received = recv_with(this->right_, this->room_, 0, Deadline::after(60s));
  ASSERT_TRUE(received && received->credentials);
  EXPECT_EQ(received->credentials->process, ::getpid());
  EXPECT_EQ(received->credentials->user, ::getuid());
  EXPECT_EQ(received->credentials->group, ::getgid());
}

TYPED_TEST(PassingTest, RefusesMisuse) {
  EXPECT_EQ(send_with(this->left_, {}, {}).error().code, Code::bad_argument);
  const std::vector<int> many(kMaxPassedHandles + 1, this->left_.handle());
  EXPECT_EQ(send_with(this->left_, base::as_bytes("x"), {.handles = many}).error().code, Code::too_large);
  const int closed[] = {-1};
  EXPECT_EQ(send_with(this->left_, base::as_bytes("x"), {.handles = closed}).error().code, Code::bad_argument);
  EXPECT_EQ(recv_with(this->right_, this->room_, 1, Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(recv_with(this->right_, this->room_, 1, Deadline::after(5ms)).error().code, Code::timed_out);
}

TYPED_TEST(PassingTest, CarriesTheMostThatTheSystemAllows) {
  const std::vector<int> many(kMaxPassedHandles, this->left_.handle());
  ASSERT_TRUE(send_with(this->left_, base::as_bytes("x"), {.handles = many, .credentials = true}));
  ASSERT_TRUE(this->right_.set(option::pass_credentials, true));
  const auto received = recv_with(this->right_, this->room_, kMaxPassedHandles);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->handles.size(), kMaxPassedHandles);
}

TEST(Passing, ATruncatedMessageLeavesNoHandleOpen) {
  auto [left, right] = *make_packet_pair();
  const std::size_t before = open_descriptors();
  const int handles[] = {left.handle()};
  ASSERT_TRUE(send_with(left, base::as_bytes("too long"), {.handles = handles}));
  std::array<base::Octet, 2> room{};
  EXPECT_EQ(recv_with(right, room, 1).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace corbel::ipc
