// SPDX-License-Identifier: Apache-2.0
// What the peer said before it was gone, when sending to it fails, or after half of an answer.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>

#include "scripted.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

/// A peer that takes one request and the next, says that it ends when it sees the carrier shut down, and is gone.
class LeavingPeer {
 public:
  LeavingPeer(Scripted::Acts& acts, int taken) {
    acts.send = [taken, this](std::size_t size, Deadline) -> base::Result<std::size_t> {
      if (sent_++ < taken) return size;
      return base::error(Stage::send, Code::lost);
    };
    acts.shutdown = [this] { end_.count_down(shut_.exchange(true) ? 0 : 1); };
    acts.receive = [this](base::ByteSpan buffer, Deadline deadline) -> base::Result<std::size_t> {
      if (!deadline.is_now()) end_.wait();
      if (!shut_) return base::error(Stage::receive, Code::would_block);
      if (said_.exchange(true)) return base::error(Stage::receive, Code::closed);
      return Octets().control(messaging::MessageType::close_connection).into(buffer);
    };
  }

  int taken() const { return sent_; }

 private:
  std::atomic<int> sent_{0};
  std::atomic<bool> shut_{false};
  std::atomic<bool> said_{false};
  std::latch end_{1};
};

TEST(LastWords, WhoWaitsIsToldOfAnOrderlyEndAlthoughAnothersSendingFails) {
  Scripted::Acts acts;
  LeavingPeer peer(acts, 2);
  auto connection = connect(acts);
  base::Status first;
  base::Status second;
  std::thread reader([&] { first = call(*connection); });
  while (peer.taken() == 0) std::this_thread::yield();
  std::thread waiter([&] { second = call(*connection); });
  while (connection->waiting() == 0) std::this_thread::yield();
  EXPECT_EQ(call(*connection).error(), base::error(Stage::send, Code::lost));
  reader.join();
  waiter.join();
  EXPECT_EQ(first.error(), base::error(Stage::wait, Code::closed));
  EXPECT_EQ(second.error(), base::error(Stage::wait, Code::closed));
}

TEST(LastWords, AnAnswerThatCameBeforeTheSendingFailedIsTakenAlsoFromAnotherThread) {
  Scripted::Acts acts;
  std::latch shut(1);
  std::atomic<int> sends{0};
  acts.send = [&](std::size_t size, Deadline) -> base::Result<std::size_t> {
    if (sends++ == 0) return size;
    return base::error(Stage::send, Code::lost);
  };
  acts.shutdown = [&, once = std::make_shared<std::atomic<bool>>(false)] {
    shut.count_down(once->exchange(true) ? 0 : 1);
  };
  acts.receive = [&](base::ByteSpan buffer, Deadline) {  // refuses the second and carries out the first
    shut.wait();
    return Octets().reply(4, messaging::ReplyStatus::system_exception).reply(2).into(buffer);
  };
  auto connection = connect(acts);
  base::Status first;
  std::thread reader([&] { first = call(*connection); });
  while (sends == 0) std::this_thread::yield();
  auto status = messaging::ReplyStatus::no_exception;
  EXPECT_TRUE(connection
                  ->call(
                      request_named("other"), [](cdr::Encoder&) {}, Deadline::after(20s),
                      [&](const messaging::IncomingReply& reply, cdr::Decoder&) { status = reply.status; })
                  .ok());
  EXPECT_EQ(status, messaging::ReplyStatus::system_exception);
  reader.join();
  EXPECT_TRUE(first.ok());
}

// The rest of its reply had not come in time, and is not for the next call to answer for.
TEST(LastWords, HalfAReplyToACallThatHasTimedOutSaysNothingOfTheNextOne) {
  for (const bool times_out : {true, false}) {
    Scripted::Acts acts;
    Connection::Settings settings;
    settings.version = {1, 1};
    const ConnectionPtr connection(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
    int received = 0;
    acts.receive = [&](base::ByteSpan buffer, Deadline) -> base::Result<std::size_t> {
      switch (received++) {
        case 0: {
          const base::Bytes octets = in_two_fragments(2, 28);
          std::copy(octets.begin(), octets.begin() + 28, buffer.begin());
          return std::size_t{28};
        }
        case 1:
          if (times_out) return base::error(Stage::receive, Code::timed_out);
          [[fallthrough]];
        default:
          return Octets().control(messaging::MessageType::close_connection).into(buffer);
      }
    };
    if (times_out) {
      EXPECT_EQ(call(*connection).error(), base::error(Stage::wait, Code::timed_out));
    }
    EXPECT_EQ(call(*connection).error(), base::error(Stage::wait, times_out ? Code::closed : Code::lost));
  }
}

}  // namespace
}  // namespace corbel::connection
