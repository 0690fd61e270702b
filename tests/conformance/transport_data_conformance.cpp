// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "conformance/transport_helpers.hpp"

namespace corbel::conformance {

// --- data ---

TEST_P(TransportConformance, CarriesGatherListsOfManySizesAndShapes) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  struct Case {
    std::size_t size, piece;
  };
  constexpr std::size_t kMost = 16U << 20;
  for (const auto& [size, piece] :
       {Case{1, 1}, Case{2, 1}, Case{12, 12}, Case{100, 7}, Case{4096, 1}, Case{5000, 2}, Case{65536, 65536},
        Case{65537, 1000}, Case{1U << 20, 100}, Case{300000, 299999}, Case{kMost, kMost}, Case{kMost, 3000}}) {
    if (size > largest(*client_)) continue;
    SCOPED_TRACE(testing::Message() << size << " octets in pieces of " << piece);
    for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
      if (size == kMost && deadline.is_none() != (piece == size)) continue;  // these take their time
      const Bytes octets = pattern(size);
      const auto list = split(octets, piece);
      Worker sender([&] {
        const auto sent = client_->send(list, deadline);
        ASSERT_TRUE(sent) << base::to_string(sent.error());
        EXPECT_EQ(*sent, size);
      });
      EXPECT_TRUE(receive(*server_, size) == octets);
    }
  }
}

TEST_P(TransportConformance, SkipsEmptyPieces) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  const Bytes octets = pattern(10);
  std::vector<Segment> list(1500, Segment{nullptr, 0});
  list.push_back({octets.data(), 4});
  list.push_back({octets.data(), 0});
  list.push_back({octets.data() + 4, 6});
  list.push_back({nullptr, 0});
  const auto sent = client_->send(list, Deadline::none());
  ASSERT_TRUE(sent);
  EXPECT_EQ(*sent, 10U);
  EXPECT_EQ(receive(*server_, 10), octets);
  const auto nothing = client_->send({}, Deadline::none());
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, 0U);
}

TEST_P(TransportConformance, CarriesBothDirectionsAtOnce) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  constexpr std::size_t kSize = 4U << 20;
  const Bytes forth = pattern(kSize, 1);
  const Bytes back = pattern(kSize, 2);
  Worker client_sends([&] { EXPECT_TRUE(send(*client_, forth)); });
  Worker server_sends([&] { EXPECT_TRUE(send(*server_, back)); });
  Worker server_receives([&] { EXPECT_TRUE(receive(*server_, kSize) == forth); });
  EXPECT_TRUE(receive(*client_, kSize) == back);
}

TEST_P(TransportConformance, ReceivesWhatIsThereWithoutWaitingForMore) {
  connect_pair();
  ASSERT_TRUE(send(*client_, pattern(100)));
  Bytes room(1000);
  const auto count = server_->receive(room, Deadline::none());
  ASSERT_TRUE(count);
  EXPECT_GE(*count, 1U);
  EXPECT_LE(*count, 100U);
}

// --- the end of a conversation ---

TEST_P(TransportConformance, DeliversWhatWasSentBeforeTheEnd) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  const Bytes octets = pattern(10000);
  ASSERT_TRUE(send(*client_, octets));
  client_->shutdown();
  client_->shutdown();
  EXPECT_EQ(receive(*server_, octets.size()), octets);
  Bytes room(1);
  const auto end = server_->receive(room, Deadline::after(kPatience));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::closed);
  EXPECT_EQ(end.error().stage, Stage::receive);
}

TEST_P(TransportConformance, WhatHadComeCanBeReceivedAfterTheEndHere) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  const Bytes octets = pattern(500);
  ASSERT_TRUE(send(*client_, octets));
  ASSERT_TRUE(becomes_ready(*server_));
  server_->shutdown();
  (void)send(*client_, octets);  // in vain
  EXPECT_EQ(receive(*server_, octets.size()), octets);
}

TEST_P(TransportConformance, SeesTheEndWhenThePeerIsDestroyed) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  client_.reset();
  Bytes room(1);
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
    const auto end = server_->receive(room, deadline);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, Code::closed);
  }
}

TEST_P(TransportConformance, ReportsSendingToAPeerThatIsGoneAsLost) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  server_.reset();
  const Bytes octets = pattern(1000);
  auto sent = send(*client_, octets);
  for (int i = 0; i < 10000 && sent; ++i) sent = send(*client_, octets);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::lost);
  EXPECT_EQ(sent.error().stage, Stage::send);
}

TEST_P(TransportConformance, ShutdownWakesABlockedReceive) {
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
    connect_pair();
    Worker receiver([&] {
      Bytes room(10);
      const auto end = client_->receive(room, deadline);
      ASSERT_FALSE(end);
      EXPECT_EQ(end.error().code, Code::closed);
    });
    receiver.until_asleep();
    client_->shutdown();
  }
}

TEST_P(TransportConformance, ShutdownWakesABlockedSend) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
    connect_pair();
    const Bytes octets(32U << 20);
    Worker sender([&] {
      const auto end = send(*client_, octets, deadline);
      ASSERT_FALSE(end);
      EXPECT_TRUE(end.error().code == Code::lost || end.error().code == Code::closed) << base::to_string(end.error());
    });
    sender.until_asleep();
    client_->shutdown();
  }
}

TEST_P(TransportConformance, ThePeersEndWakesABlockedReceiveAndSend) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  const Bytes octets(32U << 20);
  Worker sender([&] { EXPECT_FALSE(send(*client_, octets)); });
  Worker receiver([&] {
    Bytes room(10);
    EXPECT_FALSE(client_->receive(room, Deadline::none()));
  });
  sender.until_asleep();
  receiver.until_asleep();
  server_.reset();
}

// --- deadlines ---

TEST_P(TransportConformance, AReceiveEndsAtItsDeadlineAndLosesNothing) {
  connect_pair();
  Bytes room(10);
  const auto begin = std::chrono::steady_clock::now();
  const auto none = server_->receive(room, Deadline::after(50ms));
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::timed_out);
  EXPECT_EQ(none.error().stage, Stage::receive);
  EXPECT_GE(took, 40ms);
  EXPECT_LT(took, 30s);
  ASSERT_TRUE(send(*client_, pattern(10)));
  EXPECT_EQ(receive(*server_, 10), pattern(10));
}

TEST_P(TransportConformance, EveryReceiveObeysItsOwnDeadline) {
  connect_pair();
  Bytes room(1);
  for (const auto timeout :
       {base::Duration(kPatience), base::Duration(20ms), base::Duration(60s), base::Duration(5ms)}) {
    if (timeout > 1s) {
      ASSERT_TRUE(send(*client_, pattern(1)));
      EXPECT_TRUE(server_->receive(room, Deadline::after(timeout)));
      ASSERT_TRUE(send(*client_, pattern(1)));
      EXPECT_TRUE(server_->receive(room, Deadline::none()));
    } else {
      const auto begin = std::chrono::steady_clock::now();
      const auto none = server_->receive(room, Deadline::after(timeout));
      ASSERT_FALSE(none);
      EXPECT_EQ(none.error().code, Code::timed_out);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    }
  }
}

TEST_P(TransportConformance, ADeadlineThatHasPassedIsATimeOut) {
  connect_pair();
  const Deadline passed = Deadline::after(1ns);
  while (!passed.expired()) std::this_thread::yield();
  Bytes room(1);
  const auto received = server_->receive(room, passed);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, Code::timed_out);
}

TEST_P(TransportConformance, ASendEndsAtItsDeadlineWhenThePeerDoesNotRead) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  const Bytes octets(64U << 20);
  const auto begin = std::chrono::steady_clock::now();
  const auto sent = send(*client_, octets, Deadline::after(60ms));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::timed_out);
  EXPECT_EQ(sent.error().stage, Stage::send);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_P(TransportConformance, NowNeverBlocksAndCountsExactly) {
  if (!keeps_all()) GTEST_SKIP() << "it may lose or reorder what it carries";
  connect_pair();
  Bytes room(1);
  const auto nothing = server_->receive(room, Deadline::now());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Code::would_block);

  const Bytes octets = pattern(32U << 20);
  std::size_t taken = 0;
  for (;;) {
    const std::size_t size = std::min(octets.size() - taken, largest(*client_));
    const Segment rest[2] = {{octets.data() + taken, 1}, {octets.data() + taken + 1, size - 1}};
    const auto sent = client_->send(rest, Deadline::now());
    if (!sent) {
      EXPECT_EQ(sent.error().code, Code::would_block);
      break;
    }
    ASSERT_GT(*sent, 0U);
    if (!is_stream()) {
      EXPECT_EQ(*sent, size) << "a message leaves whole or not at all";
    }
    taken += *sent;
    ASSERT_LT(taken, octets.size()) << "a peer that does not read must stop us";
  }
  if (client_->traits().shakes_hands) {
    // One that makes records keeps the rest of a record until it is asked again: then nothing is missing or comes
    // twice.
    const auto end = octets.begin() + static_cast<std::ptrdiff_t>(std::min(octets.size(), taken + 100'000));
    const Bytes rest(octets.begin() + static_cast<std::ptrdiff_t>(taken), end);
    std::thread asking([&] { EXPECT_TRUE(send(*client_, rest, Deadline::after(kPatience))); });
    EXPECT_TRUE(receive(*server_, taken + rest.size()) == Bytes(octets.begin(), end));
    asking.join();
  } else {
    EXPECT_TRUE(receive(*server_, taken) == Bytes(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(taken)));
  }
  EXPECT_FALSE(server_->receive(room, Deadline::now()));
}

// --- messages ---

TEST_P(TransportConformance, AMessageComesAsItWasSent) {
  if (is_stream()) GTEST_SKIP() << "a byte stream";
  connect_pair();
  Bytes room(factory_->traits().largest_message);
  std::vector<Bytes> messages;
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{2}, largest(*client_), std::size_t{7}}) {
    messages.push_back(pattern(std::min(size, largest(*client_)), static_cast<std::uint32_t>(size)));
  }
  Worker sender([&] {
    for (const Bytes& message : messages) EXPECT_TRUE(send(*client_, message));
  });
  for (const Bytes& message : messages) {
    const auto count = server_->receive(room, Deadline::after(kPatience));
    ASSERT_TRUE(count) << base::to_string(count.error());
    EXPECT_TRUE(Bytes(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count)) == message)
        << *count << " octets instead of " << message.size();
  }
}

TEST_P(TransportConformance, MessagesThatMayLeaveTogetherComeEachByItself) {
  if (is_stream()) GTEST_SKIP() << "a byte stream";
  connect_pair();
  const std::vector<std::uint32_t> sizes{10, 10, 10, 3, 40, 40};
  Bytes octets;
  for (const std::uint32_t size : sizes) {
    const Bytes message = pattern(size, size);
    octets.insert(octets.end(), message.begin(), message.end());
  }
  base::ConstByteSpan rest(octets);
  for (std::size_t sent = 0; sent < sizes.size();) {
    const auto more = client_->send_messages(rest, std::span(sizes).subspan(sent));
    ASSERT_TRUE(more) << base::to_string(more.error());
    ASSERT_GE(*more, 1U);
    for (std::size_t i = 0; i < *more; ++i) rest = rest.subspan(sizes.at(sent++));
  }
  for (const std::uint32_t size : sizes) EXPECT_EQ(receive(*server_, size), pattern(size, size));
  EXPECT_FALSE(server_->pending());
}

TEST_P(TransportConformance, AMessageThatIsTooLargeIsRefusedAndNothingElseHarmed) {
  if (is_stream()) GTEST_SKIP() << "a byte stream";
  connect_pair();
  const Bytes large = pattern(largest(*client_) + 1);
  const auto list = split(large, large.size() / 2 + 1);
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience), Deadline::now()}) {
    const auto sent = client_->send(list, deadline);
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error(), base::error(Stage::send, Code::too_large));
    const auto some = client_->send_some(list, deadline);
    ASSERT_FALSE(some);
    EXPECT_EQ(some.error(), base::error(Stage::send, Code::too_large));
  }
  ASSERT_TRUE(send(*client_, pattern(10)));
  EXPECT_EQ(receive(*server_, 10), pattern(10)) << "the first that comes";
}

TEST_P(TransportConformance, AMessageThatDoesNotFitTheBufferIsTruncated) {
  if (is_stream()) GTEST_SKIP() << "a byte stream";
  connect_pair();
  ASSERT_TRUE(send(*client_, pattern(100)));
  ASSERT_TRUE(send(*client_, pattern(10)));
  Bytes room(50);
  const auto cut = server_->receive(room, Deadline::after(kPatience));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(receive(*server_, 10), pattern(10)) << "the next is whole";
}

// --- hand-shakes ---

}  // namespace corbel::conformance
