// SPDX-License-Identifier: Apache-2.0
// The server side seen by a peer made by hand: exact octets both ways.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "harness.hpp"
#include "raw_peer.hpp"

namespace corbel::connection {
namespace {

using test::Octets;
using test::raw_control;
using test::raw_request;
using test::RawPeer;

class RawServing : public testing::Test {
 protected:
  RawServing() {
    harness_.serve = [this](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      ++served_;
      Harness::echo(c, request, body);
    };
    const std::string text = harness_.route.endpoint->text();
    port_ = static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  }

  Octets echo(std::uint32_t id, const std::string& text = "x", std::uint8_t response_flags = 3) const {
    return raw_request(
        id, "key", "echo", [&](test::Writer& writer) { writer.string(text); }, response_flags);
  }
  static Octets reply(std::uint32_t id, const std::string& text = "x") {
    return test::Writer().giop(1, 2).u32(id).u32(0).u32(0).align(8).string(text).finish();
  }
  /// Says that more fragments follow.
  static Octets opened(Octets message) {
    message[6] |= 2;
    return message;
  }
  static Octets fragment(std::uint32_t id, bool more, const std::string& data) {
    return test::Writer().giop(7, 2, more).u32(id).raw(data).finish();
  }
  static Octets cancel(std::uint32_t id) { return test::Writer().giop(2, 2).u32(id).finish(); }

  std::atomic<int> served_{0};
  Harness harness_{"tcp://127.0.0.1:0"};
  std::uint16_t port_ = 0;
};

TEST_F(RawServing, AnswersEachRequestWithItsReplyAndNothingElse) {
  RawPeer peer(port_);
  ASSERT_TRUE(peer.send(echo(7)));
  EXPECT_EQ(peer.message(), reply(7));
  Octets three;
  for (const std::uint32_t id : {1U, 2U, 3U}) {
    const Octets one = echo(id, std::string(id, 'y'));
    three.insert(three.end(), one.begin(), one.end());
  }
  ASSERT_TRUE(peer.send(three));
  for (const std::uint32_t id : {1U, 2U, 3U}) EXPECT_EQ(peer.message(), reply(id, std::string(id, 'y')));
  ASSERT_TRUE(peer.send(echo(9, "x", 0)));
  ASSERT_TRUE(peer.send(echo(10)));
  EXPECT_EQ(peer.message(), reply(10));
  peer.end_sending();
  EXPECT_EQ(peer.rest(), Octets());
  EXPECT_EQ(served_, 6);
}

TEST_F(RawServing, WhatIsNoMessageIsAnsweredWithMessageErrorAndTheEnd) {
  Octets cut_header = echo(1);
  cut_header.resize(30);  // a whole message as far as its size says, whose header is not
  cut_header[8] = 18;
  cut_header[9] = 0;
  Octets future = echo(1);
  future[4] = 1;
  future[5] = 9;
  Octets other_major = echo(1);
  other_major[4] = 2;
  Octets unknown_type = echo(1);
  unknown_type[7] = 99;
  Octets too_large = echo(1);
  too_large[11] = 0x7f;
  const Octets stray_reply = reply(1);
  const Octets stray_fragment = fragment(1, false, "data");
  Octets odd_cancel = cancel(1);
  odd_cancel.resize(12);
  odd_cancel[8] = 0;
  for (const Octets& octets : {test::octets_of("GET / HTTP/1.1\r\n\r\n"), cut_header, future, other_major, unknown_type,
                               too_large, stray_reply, stray_fragment, odd_cancel}) {
    RawPeer peer(port_);
    ASSERT_TRUE(peer.send(octets));
    EXPECT_EQ(peer.rest(), raw_control(6)) << base::to_hex(base::ConstByteSpan(octets.data(), octets.size()));
  }
  EXPECT_EQ(served_, 0);
}

TEST_F(RawServing, CloseConnectionAndMessageErrorEndItWithoutAnAnswer) {
  for (const std::uint8_t type : {std::uint8_t{5}, std::uint8_t{6}}) {
    RawPeer peer(port_);
    ASSERT_TRUE(peer.send(raw_control(type)));
    EXPECT_EQ(peer.rest(), Octets());
  }
}

// Were they kept, the seventeenth would be one too many.
TEST_F(RawServing, CancelRequestDropsWhatHasComeOfTheRequest) {
  RawPeer peer(port_);
  for (std::uint32_t id = 1; id <= 40; ++id) {
    ASSERT_TRUE(peer.send(opened(echo(id))));
    ASSERT_TRUE(peer.send(cancel(id)));
  }
  ASSERT_TRUE(peer.send(cancel(1000)));
  ASSERT_TRUE(peer.send(echo(99)));
  EXPECT_EQ(peer.message(), reply(99));
  EXPECT_EQ(served_, 1);
}

TEST_F(RawServing, StoppingSendsCloseConnectionAndNothingElse) {
  RawPeer idle(port_);
  ASSERT_TRUE(idle.send(echo(1)));
  EXPECT_EQ(idle.message(), reply(1));
  RawPeer half(port_);
  ASSERT_TRUE(half.send(test::octets_of("GIOP")));
  RawPeer late(port_);
  ASSERT_TRUE(late.send(echo(2)));
  EXPECT_EQ(late.message(), reply(2));
  EXPECT_TRUE(harness_.server().stop(true));
  EXPECT_EQ(idle.rest(), raw_control(5));
  EXPECT_EQ(half.rest(), raw_control(5));
  EXPECT_EQ(late.rest(), raw_control(5));
}

// What has been read but not begun is not executed, and the peer is told so after the reply to what was.
TEST_F(RawServing, WhatIsBehindARunningRequestIsNotBegunOnceTheServerStops) {
  std::atomic<bool> entered{false};
  std::atomic<bool> go{false};
  harness_.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    ++served_;
    entered = true;
    while (!go) std::this_thread::yield();
    Harness::echo(c, request, body);
  };
  RawPeer peer(port_);
  Octets two = echo(1);
  const Octets second = echo(2);
  ASSERT_TRUE(peer.send(two));
  while (!entered) std::this_thread::yield();
  harness_.server().drain();
  ASSERT_TRUE(peer.send(second));
  EXPECT_TRUE(peer.silent());
  go = true;
  EXPECT_EQ(peer.message(), reply(1));
  EXPECT_EQ(peer.rest(), raw_control(5));
  EXPECT_EQ(served_, 1);
}

std::uint16_t port_of(const Harness& harness) {
  const std::string text = harness.route.endpoint->text();
  return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
}

Octets ask(std::uint32_t id, const std::string& operation, const std::string& text = "x") {
  return raw_request(id, "key", operation, [&](test::Writer& writer) { writer.string(text); });
}

/// Waits in "slow" until told to go on, and answers with so many octets.
struct Slow {
  explicit Slow(Harness& harness, std::size_t size) : answer(size, 'y') {
    harness.serve = [this](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      if (request.operation != "slow") return Harness::echo(c, request, body);
      entered = true;
      while (!go) std::this_thread::yield();
      (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                    [&](cdr::Encoder& e) { e.put_string(answer); });
    };
  }
  const std::string answer;  // the encoder refers to it
  std::atomic<bool> entered{false};
  std::atomic<bool> go{false};
};

// The rest of a message came to a thread that then kept the connection.
TEST(RawServingAges, AMessageThatCameInTwoPartsIsNotHeldAgainstThoseThatFollow) {
  using namespace std::chrono_literals;
  Server::Settings settings;
  settings.limits.message = 100ms;
  settings.serving.sticky_idle = 10ms;
  Harness harness("tcp://127.0.0.1:0", settings);
  const Octets whole = ask(1, "echo");
  std::optional<RawPeer> peer;
  do {  // unless that was too slow
    peer.emplace(port_of(harness));
    ASSERT_TRUE(peer->send(Octets(whole.begin(), whole.begin() + 20)));
    std::this_thread::sleep_for(40ms);  // the peer's pause, in which the thread leaves
    ASSERT_TRUE(peer->send(Octets(whole.begin() + 20, whole.end())));
  } while (peer->message() == raw_control(5));
  const auto until = std::chrono::steady_clock::now() + 400ms;
  for (std::uint32_t id = 2; std::chrono::steady_clock::now() < until; ++id) {
    ASSERT_TRUE(peer->send(ask(id, "echo")));
    const auto answer = peer->message();
    ASSERT_TRUE(answer);
    ASSERT_EQ((*answer)[7], 1) << id;
  }
}

// Whole messages without a pause keep its thread, and the open one gets no younger for that.
TEST(RawServingAges, AStreamOfMessagesDoesNotHideTheOneThatIsNeverFinished) {
  Server::Settings settings;
  settings.limits.message = std::chrono::milliseconds(50);
  Harness harness("tcp://127.0.0.1:0", settings);
  RawPeer peer(port_of(harness));
  Octets open = ask(1, "echo");
  open[6] |= 2;
  ASSERT_TRUE(peer.send(open));
  Octets many;
  for (int i = 0; i < 1000; ++i) {
    const Octets one = raw_request(
        2, "key", "echo", [](test::Writer& writer) { writer.string("x"); }, 0);
    many.insert(many.end(), one.begin(), one.end());
  }
  const auto begin = std::chrono::steady_clock::now();
  while (peer.send(many)) ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// The thread that read on when the server was told to stop has left: the reply that is still to come has its time-out
// all the same.
TEST(RawServingEnd, AReplyThatIsNotReadHoldsUpTheEndNoLongerThanItMay) {
  Server::Settings settings;
  settings.shutdown_timeout = std::chrono::seconds(8);
  settings.serving.sticky_idle = std::chrono::seconds(60);
  Harness harness("tcp://127.0.0.1:0", settings);
  Slow slow(harness, 16U << 20);
  RawPeer peer(port_of(harness), 4096);
  ASSERT_TRUE(peer.send(ask(1, "slow")));
  while (!slow.entered) std::this_thread::yield();
  ASSERT_TRUE(peer.send(ask(2, "echo")));
  ASSERT_TRUE(peer.message());  // so another thread reads
  harness.server().drain();
  ASSERT_TRUE(peer.send(ask(3, "echo")));
  slow.go = true;
  EXPECT_TRUE(harness.server().stop(true));
}

// There is no connection that could be ended for them.
TEST(RawServingEnd, WithoutDescriptorsOneNewcomerAfterTheOtherIsRefused) {
  Harness harness("tcp://127.0.0.1:0");
  RawPeer peers[3];
  std::optional<Octets> answers[3];
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(peers[i].connect(port_of(harness)));
    answers[i] = peers[i].rest();
  }
  // One is kept for the next of them: all are taken again, once the refused connection's is closed.
  const auto all_taken = [&] {
    for (int each = 0; each < next; ++each) {
      if (::fcntl(each, F_GETFD) < 0) return false;
    }
    return true;
  };
  int looks = 0;
  for (int i = 0; i < 1000 && looks < 20; ++i) {
    looks = all_taken() ? looks + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(looks, 20) << "no descriptor is kept";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const auto& answer : answers) EXPECT_EQ(answer, raw_control(5));
}

/// All of a reply is with the system, which has the buffer of a peer full that does not read.
void leave_reply_unread(RawPeer& peer) {
  const Octets large = raw_request(
      1, "key", "echo", [](test::Writer& writer) { writer.string(std::string(12'000, 'x')); }, 3);
  ASSERT_TRUE(peer.send(large));
  while (peer.silent()) std::this_thread::yield();
}

TEST(RawServingEnd, ALastReplyThatThePeerNeverTakesHoldsUpTheEndForAMomentOnly) {
  Server::Settings settings;
  settings.shutdown_timeout = std::chrono::seconds(8);
  Harness harness("tcp://127.0.0.1:0", settings);
  RawPeer peer(port_of(harness), 4096);
  ASSERT_NO_FATAL_FAILURE(leave_reply_unread(peer));
  harness.server().drain();
  EXPECT_TRUE(harness.server().stop(true));
}

// The end comes while the first word of it still waits to be sent.
TEST(RawServingEnd, ThatCannotWaitIsToldOnce) {
  Server::Settings settings;
  settings.shutdown_timeout = std::chrono::milliseconds(20);
  Harness harness("tcp://127.0.0.1:0", settings);
  RawPeer peer(port_of(harness), 4096);
  ASSERT_NO_FATAL_FAILURE(leave_reply_unread(peer));
  harness.server().drain();
  (void)harness.server().stop(true);
  ASSERT_TRUE(peer.message());
  EXPECT_EQ(peer.rest(), raw_control(5));
}

// A socket that closes with unread octets forgets what it has still to send.
TEST(RawServingEnd, WhatThePeerHasSentInVainDoesNotCostItTheLastReply) {
  Server::Settings settings;
  settings.serving.slow_upcall = std::chrono::minutes(1);  // no other thread reads
  Harness harness("tcp://127.0.0.1:0", settings);
  constexpr std::size_t kSize = 1U << 20;
  Slow slow(harness, kSize);
  RawPeer peer(port_of(harness), 4096);
  ASSERT_TRUE(peer.send(ask(1, "slow")));
  while (!slow.entered) std::this_thread::yield();
  ASSERT_TRUE(peer.send(ask(2, "echo")));
  harness.server().drain();
  slow.go = true;
  const auto reply = peer.message();
  ASSERT_TRUE(reply);
  EXPECT_GT(reply->size(), kSize);
  EXPECT_EQ(peer.rest(), raw_control(5));
}

}  // namespace
}  // namespace corbel::connection
