// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/fifo.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <filesystem>
#include <thread>

#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using testing::soon;
using namespace std::chrono_literals;

class FifoTest : public ::testing::Test {
 protected:
  FifoReceiver receiver() const { return *FifoReceiver::open(path_, Deadline::now()); }
  FifoSender sender() const { return *FifoSender::open(path_, Deadline::now()); }

  test::Folder directory_;
  std::string path_ = directory_ / "pipe";
  Fifo fifo_ = *Fifo::create(path_);
  std::array<base::Octet, 16> room_{};
};

TEST_F(FifoTest, BothEndsWaitForEachOther) {
  std::thread sending([&] { EXPECT_TRUE(FifoSender::open(path_)->send_n(base::as_bytes("hello"))); });
  auto end = *FifoReceiver::open(path_);
  EXPECT_TRUE(end.recv_n(std::span(room_).first(5)));
  sending.join();
  EXPECT_EQ(base::as_text({room_.data(), 5}), "hello");
  EXPECT_EQ(*end.recv(room_), 0U);  // the sender has gone
}

TEST_F(FifoTest, BothEndsWaitForEachOtherWithinADeadline) {
  std::thread sending([&] { EXPECT_TRUE(FifoSender::open(path_, soon())->send_n(base::as_bytes("hello"), soon())); });
  auto end = *FifoReceiver::open(path_, soon());
  EXPECT_TRUE(end.recv_n(std::span(room_).first(5), soon()));
  sending.join();
  EXPECT_EQ(end.recv_n(room_, soon()).error(), base::error(Stage::receive, Code::closed));
}

TEST_F(FifoTest, OpeningGivesUp) {
  EXPECT_EQ(FifoSender::open(path_, Deadline::now()).error(), base::error(Stage::connect, Code::refused, ENXIO));
  EXPECT_EQ(FifoSender::open(path_, Deadline::after(5ms)).error(), base::error(Stage::connect, Code::timed_out));
  EXPECT_EQ(FifoReceiver::open(path_, Deadline::after(5ms)).error(), base::error(Stage::connect, Code::timed_out));
}

TEST_F(FifoTest, OperationsGiveUpAndThenWaitAgain) {
  auto in = receiver();
  auto out = sender();
  EXPECT_EQ(in.recv(room_, Deadline::after(5ms)).error(), base::error(Stage::receive, Code::timed_out));
  EXPECT_EQ(in.recv(room_, Deadline::now()).error().code, Code::would_block);
  const base::Bytes much(1'000'000);
  std::size_t sent = 0;
  EXPECT_EQ(out.send_n(much, Deadline::after(5ms), &sent).error(), base::error(Stage::send, Code::timed_out));
  EXPECT_GT(sent, 0U);
  EXPECT_EQ(out.send(room_, Deadline::now()).error().code, Code::would_block);
  base::Bytes all(sent + much.size());
  std::thread sending([&] { EXPECT_TRUE(out.send_n(much)); });  // no deadline: waits although the handle does not block
  EXPECT_TRUE(in.recv_n(all));
  sending.join();
}

TEST_F(FifoTest, GathersAndScatters) {
  auto in = receiver();
  auto out = sender();
  const std::array<ConstIoVector, 2> gather{base::as_bytes("ab"), base::as_bytes("cd")};
  ASSERT_EQ(*out.sendv(gather), 4U);
  std::array<base::Octet, 3> front{};
  std::array<IoVector, 2> scatter{base::ByteSpan(front), base::ByteSpan(room_.data(), 1)};
  ASSERT_TRUE(in.recvv_n(scatter));
  EXPECT_EQ(base::as_text(front), "abc");
}

TEST_F(FifoTest, ALastingReceiverOutlivesItsSenders) {
  auto server = *FifoReceiver::open_lasting(path_);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(sender().send_n(base::as_bytes("x")));
    EXPECT_EQ(*server.recv(room_, soon()), 1U);
  }
  EXPECT_EQ(server.recv(room_, Deadline::now()).error().code, Code::would_block);
}

TEST_F(FifoTest, MessagesKeepTheirBoundaries) {
  auto in = receiver();
  auto out = sender();
  ASSERT_TRUE(out.send_message(base::as_bytes("one")));
  ASSERT_TRUE(out.send_message({}));
  ASSERT_TRUE(out.send_message(base::as_bytes("a message that is too long")));
  ASSERT_TRUE(out.send_message(base::as_bytes("last")));
  EXPECT_EQ(*in.recv_message(room_), 3U);
  EXPECT_EQ(*in.recv_message(room_), 0U);
  EXPECT_EQ(in.recv_message(room_).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(*in.recv_message(room_, soon()), 4U);
  EXPECT_EQ(out.send_message(base::Bytes(FifoSender::kMaxMessage + 1)).error().code, Code::too_large);
  ASSERT_TRUE(out.send_n(base::as_bytes("\xff\xff\xff\xff")));
  EXPECT_EQ(in.recv_message(room_).error().code, Code::malformed);
  ASSERT_TRUE(out.send_n(base::as_bytes(std::string_view("\x05\0\0\0ab", 6))));
  out.close();
  EXPECT_EQ(in.recv_message(room_).error().code, Code::malformed);
  EXPECT_EQ(in.recv_message(room_).error().code, Code::closed);
}

/// As much as says its length, so that nothing else is wrong with it.
TEST_F(FifoTest, AMessageLargerThanAnyIsNone) {
  auto in = receiver();
  auto out = sender();
  const std::uint32_t size = FifoSender::kMaxMessage + 1;
  ASSERT_TRUE(out.send_n({reinterpret_cast<const base::Octet*>(&size), sizeof size}));
  ASSERT_TRUE(out.send_n(base::Bytes(size)));
  EXPECT_EQ(in.recv_message(room_, soon()).error(), base::error(Stage::receive, Code::malformed));
}

TEST_F(FifoTest, ASignalThatWasPendingBeforeIsNotTakenAway) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &pipe, &before), 0);
  auto in = receiver();
  auto out = sender();
  in.close();
  ASSERT_EQ(::raise(SIGPIPE), 0);
  EXPECT_EQ(out.send(base::as_bytes("x")).error(), base::error(Stage::send, Code::lost, EPIPE));
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 1);
  const timespec at_once{};
  EXPECT_EQ(::sigtimedwait(&pipe, nullptr, &at_once), SIGPIPE);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(FifoTest, ALostReceiverIsAnErrorAndNoSignal) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  auto in = receiver();
  auto guarded = sender();
  ::signal(SIGPIPE, SIG_IGN);
  auto plain = sender();
  ::signal(SIGPIPE, SIG_DFL);
  in.close();
  EXPECT_EQ(guarded.send(base::as_bytes("x")).error(), base::error(Stage::send, Code::lost, EPIPE));
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(plain.send_n(base::as_bytes("x")).error(), base::error(Stage::send, Code::lost, EPIPE));
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_F(FifoTest, TheFileIsOneOfItsKindAndGoes) {
  EXPECT_EQ(Fifo::create(path_).error().code, Code::address_in_use);
  EXPECT_EQ(Fifo::create("").error().code, Code::bad_argument);
  EXPECT_EQ(Fifo::create(directory_ / "no/such").error().code, Code::unreachable);
  EXPECT_EQ(FifoSender::open("/dev/null").error().code, Code::unsupported);
  EXPECT_EQ(FifoReceiver::open(directory_ / "none").error().code, Code::unreachable);
  Fifo moved = std::move(fifo_);
  EXPECT_TRUE(std::filesystem::exists(path_));
  moved.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(Pipe, HasTwoEnds) {
  auto [in, out] = *make_pipe();
  ASSERT_TRUE(out.send_n(base::as_bytes("x")));
  out.close();
  base::Bytes room(4);
  EXPECT_EQ(*in.recv(room), 1U);
  EXPECT_EQ(*in.recv(room), 0U);
}

}  // namespace
}  // namespace corbel::ipc
