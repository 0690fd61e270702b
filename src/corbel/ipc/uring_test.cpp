// SPDX-License-Identifier: Apache-2.0
// Where the system forbids io_uring, the error for that is what is tested; each run says which case it was.
#include "corbel/ipc/uring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <thread>

#include "corbel/ipc/test_support.hpp"
#include "support/in_child.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using testing::soon;
using namespace std::chrono_literals;

TEST(Uring, IsThereOrSaysClearlyThatItIsNot) {
  const auto available = uring_available();
  std::cout << "io_uring: " << (available ? "available" : base::to_string(available.error())) << '\n';
  if (available) return;
  EXPECT_EQ(available.error().code, Code::unsupported);
  EXPECT_NE(available.error().os_error, 0);
  EXPECT_EQ(UringTcpAcceptor::open(InetAddress::loopback_v4()).error(), available.error());
  EXPECT_EQ(UringTcpConnector().connect(InetAddress::loopback_v4(1)).error(), available.error());
  EXPECT_EQ(UringTcpConnector().start_connect(InetAddress::loopback_v4(1)).error(), available.error());
  auto [left, right] = *make_stream_pair();
  UringUnixStream stream(left.release());
  EXPECT_EQ(stream.send(base::as_bytes("x")).error(), available.error());
}

template <class Address>
class UringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!uring_available()) GTEST_SKIP() << base::to_string(uring_available().error());
    acceptor_ = *UringAcceptor<Address>::open(place_.address());
    client_ = *UringConnector<Address>().connect(*acceptor_.local_address(), soon());
    server_ = *acceptor_.accept();
  }
  testing::Place<Address> place_;
  UringAcceptor<Address> acceptor_;
  UringStream<Address> client_;
  UringStream<Address> server_;
  std::array<base::Octet, 16> room_{};
};
using Families = ::testing::Types<InetAddress, UnixAddress>;
TYPED_TEST_SUITE(UringTest, Families, );

TYPED_TEST(UringTest, CarriesOctets) {
  ASSERT_EQ(*this->client_.send(base::as_bytes("hello")), 5U);
  EXPECT_EQ(*this->server_.recv(this->room_, soon()), 5U);
  EXPECT_EQ(base::as_text({this->room_.data(), 5}), "hello");
  EXPECT_EQ(*this->client_.peer_address(), *this->acceptor_.local_address());
}

TYPED_TEST(UringTest, ConnectsWithoutBlockingAndFinishes) {
  auto pending = UringConnector<TypeParam>().start_connect(*this->acceptor_.local_address());
  ASSERT_TRUE(pending);
  UringStream<TypeParam> client = *pending->finish(soon());
  UringStream<TypeParam> server = *this->acceptor_.accept(soon());
  ASSERT_EQ(*client.send(base::as_bytes("hello")), 5U);
  EXPECT_EQ(*server.recv(this->room_, soon()), 5U);
}

TYPED_TEST(UringTest, SendsAndReceivesExactly) {
  base::Bytes data(3'000'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<base::Octet>(i * 7 + (i >> 9));
  std::thread sender([&] {
    EXPECT_TRUE(this->client_.send_n(data, soon()));
    std::array<ConstIoVector, 2> gather{base::as_bytes("and "), base::as_bytes("more")};
    EXPECT_TRUE(this->client_.sendv_n(gather));
    EXPECT_TRUE(this->client_.shutdown(Direction::send));
  });
  base::Bytes room(data.size());
  std::size_t received = 0;
  EXPECT_TRUE(this->server_.recv_n(room, Deadline::none(), &received));
  EXPECT_EQ(received, data.size());
  EXPECT_EQ(room, data);
  std::array<IoVector, 2> scatter{base::ByteSpan(this->room_).first(3), base::ByteSpan(this->room_).last(5)};
  EXPECT_TRUE(this->server_.recvv_n(scatter, soon()));
  EXPECT_EQ(*this->server_.recv(this->room_), 0U);
  EXPECT_EQ(this->server_.recv_n(this->room_).error().code, Code::closed);
  sender.join();
}

TYPED_TEST(UringTest, GivesUpAtTheDeadline) {
  EXPECT_EQ(this->server_.recv(this->room_, Deadline::now()).error(), base::error(Stage::receive, Code::would_block));
  EXPECT_EQ(this->server_.recv(this->room_, Deadline::after(10ms)).error(),
            base::error(Stage::receive, Code::timed_out));
  EXPECT_EQ(this->server_.wait_readable(Deadline::after(10ms)).error().code, Code::timed_out);
  EXPECT_TRUE(this->server_.wait_writable(soon()));
  EXPECT_EQ(this->acceptor_.accept(Deadline::now()).error(), base::error(Stage::accept, Code::would_block));
  EXPECT_EQ(this->acceptor_.accept(Deadline::after(10ms)).error().code, Code::timed_out);
  const base::Bytes much(64'000'000);
  std::size_t sent = 0;
  EXPECT_EQ(this->client_.send_n(much, Deadline::after(20ms), &sent).error().code, Code::timed_out);
  EXPECT_GT(sent, 0U);
}

TYPED_TEST(UringTest, BrokenConnectionIsAnErrorAndNoSignal) {
  (void)this->server_.set(option::linger, std::chrono::seconds(0));
  this->server_.close();
  base::Status status;
  const base::Bytes data(1000);
  while (status) status = this->client_.send_n(data, soon());
  EXPECT_EQ(status.error().code, Code::lost);
}

TYPED_TEST(UringTest, ShutdownWakesThoseWhoWait) {
  std::thread receiving([&] { EXPECT_EQ(*this->server_.recv(this->room_), 0U); });
  EXPECT_TRUE(this->server_.shutdown(Direction::both));
  receiving.join();
  std::thread accepting([&] { EXPECT_EQ(this->acceptor_.accept().error().code, Code::cancelled); });
  this->acceptor_.shutdown();
  accepting.join();
}

TYPED_TEST(UringTest, MixesWithOrdinaryStreams) {
  Stream<TypeParam> plain(this->server_.release());
  ASSERT_TRUE(plain.send_n(base::as_bytes("mixed")));
  EXPECT_EQ(*this->client_.recv(this->room_), 5U);
}

TYPED_TEST(UringTest, AForkedChildUsesARingOfItsOwn) {
  EXPECT_TRUE(test::in_child([&] { return this->server_.send_n(base::as_bytes("child")).ok(); }));
  EXPECT_TRUE(this->client_.recv_n(base::ByteSpan(this->room_).first(5), soon()));
}

TEST(Uring, ConnectingReportsWhyItFailed) {
  if (!uring_available()) GTEST_SKIP() << base::to_string(uring_available().error());
  const testing::RefusingPort nobody;
  EXPECT_EQ(UringTcpConnector().connect(nobody.address(), soon()).error(),
            base::error(Stage::connect, Code::refused, ECONNREFUSED));
}

}  // namespace
}  // namespace corbel::ipc
