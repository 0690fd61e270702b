// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using testing::pattern;
using namespace std::chrono_literals;

template <class Address>
class StreamTest : public ::testing::Test {
 protected:
  testing::Connection<Address> connection_;
  Stream<Address>& client_ = connection_.client;
  Stream<Address>& server_ = connection_.server;
};
using Families = ::testing::Types<InetAddress, UnixAddress>;
TYPED_TEST_SUITE(StreamTest, Families, );

TYPED_TEST(StreamTest, CarriesOctets) {
  const auto sent = this->client_.send(base::as_bytes("hello"));
  ASSERT_TRUE(sent);
  EXPECT_EQ(*sent, 5U);
  base::Bytes room(16);
  const auto received = this->server_.recv(room);
  ASSERT_TRUE(received);
  EXPECT_EQ(base::as_text({room.data(), *received}), "hello");
}

TYPED_TEST(StreamTest, SendsAndReceivesExactly) {
  const auto data = pattern(3'000'000);
  std::thread sender([&] { EXPECT_TRUE(this->client_.send_n(data)); });
  base::Bytes room(data.size());
  std::size_t received = 0;
  EXPECT_TRUE(this->server_.recv_n(room, Deadline::none(), &received));
  sender.join();
  EXPECT_EQ(received, data.size());
  EXPECT_EQ(room, data);
}

TYPED_TEST(StreamTest, SendsAndReceivesExactlyWithinADeadline) {
  const auto data = pattern(3'000'000);
  std::thread sender([&] { EXPECT_TRUE(this->client_.send_n(data, Deadline::after(60s))); });
  base::Bytes room(data.size());
  EXPECT_TRUE(this->server_.recv_n(room, Deadline::after(60s)));
  sender.join();
  EXPECT_EQ(room, data);
}

TYPED_TEST(StreamTest, GathersAndScattersMoreThanOneCallTakes) {
  const auto data = pattern(700'000);
  std::vector<ConstIoVector> gather;
  std::vector<IoVector> scatter;
  base::Bytes room(data.size());
  for (std::size_t at = 0, step = 0; at < data.size(); at += step) {
    step = std::min<std::size_t>(data.size() - at, at % 400);
    gather.emplace_back(data.data() + at, step);
    scatter.emplace_back(room.data() + at, step);
    if (step == 0) step = 1, gather.emplace_back(data.data() + at, 1U), scatter.emplace_back(room.data() + at, 1U);
  }
  ASSERT_GT(gather.size(), 1024U);
  std::size_t sent = 0;
  std::thread sender([&] { EXPECT_TRUE(this->client_.sendv_n(gather, Deadline::none(), &sent)); });
  EXPECT_TRUE(this->server_.recvv_n(scatter, Deadline::after(60s)));
  sender.join();
  EXPECT_EQ(sent, data.size());
  EXPECT_EQ(room, data);
}

TYPED_TEST(StreamTest, EmptyListsNeedNoSystemCall) {
  std::vector<ConstIoVector> nothing(3);
  EXPECT_TRUE(this->client_.sendv_n(nothing));
  EXPECT_TRUE(this->client_.send_n({}));
}

TYPED_TEST(StreamTest, ReportsWouldBlockWhenAskedNotToWait) {
  base::Bytes room(1);
  EXPECT_EQ(this->server_.recv(room, RecvFlags::dont_wait).error(),
            base::error(Stage::receive, Code::would_block, EAGAIN));
  EXPECT_EQ(this->server_.recv_n(room, Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(this->server_.wait_readable(Deadline::now()).error().code, Code::would_block);
  EXPECT_TRUE(this->server_.wait_writable(Deadline::now()));
}

TYPED_TEST(StreamTest, GivesUpAtTheDeadline) {
  base::Bytes room(10);
  ASSERT_TRUE(this->client_.send(base::as_bytes("abc")));
  std::size_t received = 0;
  EXPECT_EQ(this->server_.recv_n(room, Deadline::after(10ms), &received).error().code, Code::timed_out);
  EXPECT_EQ(received, 3U);
  const auto data = pattern(64'000'000);
  std::size_t sent = 0;
  EXPECT_EQ(this->client_.send_n(data, Deadline::after(10ms), &sent).error().code, Code::timed_out);
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, data.size());
}

TYPED_TEST(StreamTest, ReceiveTimeoutShowsAsWouldBlock) {
  ASSERT_TRUE(this->server_.set(option::receive_timeout, 5ms));
  base::Bytes room(1);
  EXPECT_EQ(this->server_.recv(room).error().code, Code::would_block);
  EXPECT_EQ(this->server_.recv_n(room).error().code, Code::would_block);
}

TYPED_TEST(StreamTest, TellsTheEndBetweenMessagesFromOneInside) {
  ASSERT_TRUE(this->client_.send(base::as_bytes("abc")));
  ASSERT_TRUE(this->client_.shutdown(Direction::send));
  base::Bytes room(2);
  EXPECT_TRUE(this->server_.recv_n(room));
  EXPECT_EQ(this->server_.recv_n(room).error().code, Code::lost);
  EXPECT_EQ(this->server_.recv_n(room).error().code, Code::closed);
  EXPECT_EQ(*this->server_.recv(room), 0U);
  EXPECT_TRUE(this->server_.send(room));  // the other direction still works
}

TYPED_TEST(StreamTest, BrokenConnectionIsAnErrorAndNoSignal) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  this->server_.close_with_reset();
  base::Status status;
  const auto data = pattern(1000);
  while (status) status = this->client_.send_n(data, Deadline::after(60s));
  EXPECT_EQ(status.error().code, Code::lost);
  std::vector<ConstIoVector> list{ConstIoVector(data)};
  EXPECT_EQ(this->client_.sendv(list).error().code, Code::lost);
}

TYPED_TEST(StreamTest, ShutdownWakesABlockedReceiver) {
  std::thread receiver([&] {
    base::Bytes room(1);
    const auto received = this->server_.recv(room);
    EXPECT_TRUE(received && *received == 0);
  });
  EXPECT_TRUE(this->server_.shutdown(Direction::both));
  receiver.join();
}

TYPED_TEST(StreamTest, RetriesWhenASignalInterrupts) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);  // without SA_RESTART
  const auto self = ::pthread_self();
  std::thread peer([&] {
    for (int i = 0; i < 100; ++i) ::pthread_kill(self, SIGUSR1);
    EXPECT_TRUE(this->client_.send(base::as_bytes("x")));
  });
  base::Bytes room(1);
  EXPECT_EQ(*this->server_.recv(room), 1U);
  peer.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TYPED_TEST(StreamTest, ClosesOnExec) {
  EXPECT_EQ(::fcntl(this->client_.handle(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(::fcntl(this->server_.handle(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TYPED_TEST(StreamTest, GivesItsHandleAwayAndTakesOneIn) {
  Stream<TypeParam> other(this->client_.release());
  EXPECT_FALSE(this->client_.is_open());
  EXPECT_TRUE(other.send(base::as_bytes("x")));
}

TYPED_TEST(StreamTest, HasTheOptionsOfEveryStream) {
  auto& stream = this->client_;
  ASSERT_TRUE(stream.set(option::send_buffer, 65536));
  EXPECT_GE(*stream.get(option::send_buffer), 65536);
  ASSERT_TRUE(stream.set(option::receive_buffer, 65536));
  EXPECT_GE(*stream.get(option::receive_buffer), 65536);
  ASSERT_TRUE(stream.set(option::linger, 3s));
  EXPECT_EQ(*stream.get(option::linger), 3s);
  ASSERT_TRUE(stream.set(option::linger, std::nullopt));
  EXPECT_EQ(*stream.get(option::linger), std::nullopt);
  ASSERT_TRUE(stream.set(option::send_timeout, 1500ms));
  EXPECT_EQ(*stream.get(option::send_timeout), 1500ms);
  ASSERT_TRUE(stream.set(option::send_timeout, 0ms));
  EXPECT_EQ(*stream.get(option::send_timeout), 0ms);
  ASSERT_TRUE(stream.set(option::receive_timeout, 1ns));  // not "for ever"
  EXPECT_GT(*stream.get(option::receive_timeout), 0ms);
  ASSERT_TRUE(stream.set(option::receive_low_watermark, 1));
  ASSERT_TRUE(stream.set(option::priority, 3));
  EXPECT_EQ(*stream.get(option::priority), 3);
}

TEST(TcpStream, ManyOctetsCanBeWaitedForTogether) {
  testing::Connection<InetAddress> connection;
  const auto begin = std::chrono::steady_clock::now();
  wait_for_octets(connection.server.handle(), 1'000'000, 2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms) << "nothing is there";
  const base::Bytes octets(1000, 7);
  ASSERT_TRUE(connection.client.send_n(octets));
  wait_for_octets(connection.server.handle(), 1000, 1h);
  ASSERT_TRUE(connection.client.send_n(octets));
  ASSERT_TRUE(connection.client.shutdown(Direction::send));
  wait_for_octets(connection.server.handle(), SIZE_MAX, 1h);  // the end ends it
  EXPECT_EQ(*connection.server.get(option::receive_low_watermark), 1);
}

// With something unread the end is a reset: what the peer's system has not acknowledged would be lost.
TEST(TcpStream, KnowsWhatAnEndWouldLose) {
  testing::Connection<InetAddress> connection;
  bool seen = false;
  for (int tries = 0; tries < 50 && !seen; ++tries) {  // the acknowledgement may come before this thread looks
    ASSERT_TRUE(connection.client.send_n(base::as_bytes("unread"), Deadline::none()));
    ASSERT_TRUE(wait_ready(connection.server.handle(), Ready::readable, Deadline::none(), Stage::wait));
    ASSERT_TRUE(connection.client.set(option::quick_ack, false));
    ASSERT_TRUE(connection.server.send_n(base::as_bytes("x"), Deadline::none()));
    seen = unsent(connection.server.handle()) == 1;
    base::Bytes room(16);
    ASSERT_TRUE(connection.client.recv(room));
    ASSERT_TRUE(connection.client.set(option::quick_ack, true));
    while (unsent(connection.server.handle()) != 0) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(connection.client.set(option::quick_ack, false));
    ASSERT_TRUE(connection.server.recv(room));
  }
  EXPECT_TRUE(seen);
  ASSERT_TRUE(connection.server.send_n(base::as_bytes("x"), Deadline::none()));
  EXPECT_EQ(unsent(connection.server.handle()), 0U);  // an end would send it
}

TEST(TcpStream, HasTheOptionsOfTcp) {
  testing::Connection<InetAddress> connection;
  TcpStream& stream = connection.client;
  for (const bool on : {true, false}) {
    ASSERT_TRUE(stream.set(option::no_delay, on));
    EXPECT_EQ(*stream.get(option::no_delay), on);
    ASSERT_TRUE(stream.set(option::cork, on));
    EXPECT_EQ(*stream.get(option::cork), on);
    ASSERT_TRUE(stream.set(option::keep_alive, on));
    EXPECT_EQ(*stream.get(option::keep_alive), on);
    ASSERT_TRUE(stream.set(option::quick_ack, on));
  }
  ASSERT_TRUE(stream.set(option::keep_alive_idle, 30s));
  EXPECT_EQ(*stream.get(option::keep_alive_idle), 30s);
  ASSERT_TRUE(stream.set(option::keep_alive_interval, 5s));
  ASSERT_TRUE(stream.set(option::keep_alive_count, 4));
  ASSERT_TRUE(stream.set(option::user_timeout, 20s));
  EXPECT_EQ(*stream.get(option::user_timeout), 20s);
  ASSERT_TRUE(stream.set(option::type_of_service, 0x28));
  EXPECT_EQ(*stream.get(option::type_of_service), 0x28);
  ASSERT_TRUE(stream.set(option::time_to_live, 7));
  EXPECT_EQ(*stream.get(option::time_to_live), 7);
  ASSERT_TRUE(stream.set(option::pacing_rate, 5'000'000'000));
  EXPECT_EQ(*stream.get(option::pacing_rate), 5'000'000'000U);
  EXPECT_GT(*stream.get(option::max_segment), 0);
  EXPECT_TRUE(stream.set(option::unsent_low_watermark, 16384));
  EXPECT_TRUE(stream.get(option::busy_poll_microseconds));
  EXPECT_FALSE(stream.set(option::keep_alive_count, -1));
}

TEST(TcpStream, KnowsItsEnds) {
  testing::Connection<InetAddress> connection;
  EXPECT_EQ(*connection.client.peer_address(), *connection.acceptor.local_address());
  EXPECT_EQ(*connection.client.local_address(), *connection.server.peer_address());
  EXPECT_FALSE(TcpStream().peer_address());
}

TEST(UnixStream, KnowsItsEndsAndWhoThePeerIs) {
  testing::Connection<UnixAddress> connection;
  EXPECT_EQ(*connection.client.peer_address(), connection.place.address());
  EXPECT_TRUE(connection.server.peer_address()->is_unnamed());
  const auto peer = connection.server.get(option::peer_credentials);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->process, ::getpid());
  EXPECT_EQ(peer->user, ::getuid());
}

TEST(UnixStream, ComesInPairs) {
  auto pair = make_stream_pair();
  ASSERT_TRUE(pair);
  ASSERT_TRUE(pair->first.send_n(base::as_bytes("ping")));
  base::Bytes room(4);
  ASSERT_TRUE(pair->second.recv_n(room));
  EXPECT_EQ(base::as_text(room), "ping");
  EXPECT_EQ(::fcntl(pair->first.handle(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(IoVector, SkipShortensTheFirstRemainingPiece) {
  std::vector<ConstIoVector> list{ConstIoVector(base::as_bytes("abc")), ConstIoVector(base::as_bytes("")),
                                  ConstIoVector(base::as_bytes("def"))};
  auto rest = skip(std::span(list), 4);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(base::as_text({rest[0].data(), rest[0].size()}), "ef");
  EXPECT_TRUE(skip(rest, 2).empty());
}

}  // namespace
}  // namespace corbel::ipc
