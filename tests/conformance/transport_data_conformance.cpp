// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_helpers.hpp"

namespace corbel::conformance {

// --- data ---

TEST_P(TransportConformance, CarriesGatherListsOfManySizesAndShapes) {
  connect_pair();
  struct Case {
    std::size_t size, piece;
  };
  for (const auto& [size, piece] : {Case{1, 1}, Case{2, 1}, Case{12, 12}, Case{100, 7}, Case{4096, 1}, Case{5000, 2},
                                    Case{65536, 65536}, Case{65537, 1000}, Case{1U << 20, 100}, Case{300000, 299999},
                                    Case{16U << 20, 16U << 20}, Case{16U << 20, 3000}}) {
    SCOPED_TRACE(testing::Message() << size << " octets in pieces of " << piece);
    for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
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
  ASSERT_TRUE(becomes_ready(server_->handle()));
  Bytes room(1000);
  const auto count = server_->receive(room, Deadline::none());
  ASSERT_TRUE(count);
  EXPECT_GE(*count, 1U);
  EXPECT_LE(*count, 100U);
}

// --- the end of a conversation ---

TEST_P(TransportConformance, DeliversWhatWasSentBeforeTheEnd) {
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

TEST_P(TransportConformance, SeesTheEndWhenThePeerIsDestroyed) {
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
  EXPECT_LT(took, 5s);
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
      EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
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
  connect_pair();
  Bytes room(1);
  const auto nothing = server_->receive(room, Deadline::now());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Code::would_block);

  const Bytes octets = pattern(32U << 20);
  std::size_t taken = 0;
  for (;;) {
    const Segment rest[2] = {{octets.data() + taken, 1}, {octets.data() + taken + 1, octets.size() - taken - 1}};
    const auto sent = client_->send(rest, Deadline::now());
    if (!sent) {
      EXPECT_EQ(sent.error().code, Code::would_block);
      break;
    }
    ASSERT_GT(*sent, 0U);
    taken += *sent;
    ASSERT_LT(taken, octets.size()) << "a peer that does not read must stop us";
  }
  EXPECT_TRUE(receive(*server_, taken) == Bytes(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(taken)));
  EXPECT_FALSE(server_->receive(room, Deadline::now()));
}

// --- waiting by handle ---

TEST_P(TransportConformance, TheHandleIsReadableExactlyWhenThereIsSomethingToRead) {
  connect_pair();
  ASSERT_GE(server_->handle(), 0);
  EXPECT_EQ(server_->handle(), server_->handle());
  EXPECT_FALSE(ready(server_->handle()));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(send(*client_, pattern(10)));
    EXPECT_TRUE(becomes_ready(server_->handle()));
    EXPECT_EQ(receive(*server_, 4).size(), 4U);
    EXPECT_TRUE(ready(server_->handle())) << "part of the data is still there";
    EXPECT_EQ(receive(*server_, 6).size(), 6U);
    EXPECT_FALSE(ready(server_->handle()));
  }
  client_->shutdown();
  EXPECT_TRUE(becomes_ready(server_->handle())) << "the end of the stream";
}

TEST_P(TransportConformance, DataThatCameBeforeTheHandleWasAskedForMakesItReadable) {
  connect_pair();
  ASSERT_TRUE(send(*client_, pattern(10)));
  EXPECT_TRUE(becomes_ready(server_->handle()));
}

TEST_P(TransportConformance, TheAcceptorsHandleIsReadableWhilePeersWait) {
  acceptor_ = listen();
  EXPECT_FALSE(ready(acceptor_->handle()));
  std::vector<std::unique_ptr<Transport>> clients;
  for (int i = 0; i < 3; ++i) {
    auto connected = connector_->connect(*acceptor_->endpoints().front(), Deadline::after(kPatience));
    ASSERT_TRUE(connected);
    clients.push_back(*std::move(connected));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(becomes_ready(acceptor_->handle()));
    EXPECT_TRUE(accept(*acceptor_));
  }
  EXPECT_FALSE(ready(acceptor_->handle()));
}

}  // namespace corbel::conformance
