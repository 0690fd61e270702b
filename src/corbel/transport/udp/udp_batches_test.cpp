// SPDX-License-Identifier: Apache-2.0
// Several datagrams by one system call, both ways: nothing is lost, mistaken or left lying for that.
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <numeric>
#include <thread>

#include "corbel/transport/udp/carrier.hpp"
#include "corbel/transport/udp/test_support.hpp"

namespace corbel::transport::udp {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;
using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = ReceivedAhead<InetAddress>::kMost;

/// A number in so many octets.
Bytes numbered(std::size_t number, std::size_t size = 64) {
  Bytes octets(size, static_cast<base::Octet>(number));
  octets.at(1) = static_cast<base::Octet>(number >> 8);
  return octets;
}

class UdpBatches : public Udp {
 protected:
  UdpBatches() { meet(); }
  /// Both ends, and nothing under way.
  void meet() {
    client_ = connect();
    send(*client_, {1, 2});
    server_ = accept();
    receive(*server_);
  }
  void meet_over_v6() {
    auto there = factory_->listen(**factory_->parse("[::1]:0"), {});
    if (!there) GTEST_SKIP() << "needs IPv6";
    acceptor_ = *std::move(there);
    meet();
  }
  /// The handle says nothing of what lies in the carrier.
  static bool is_readable(const Transport& transport) {
    return ipc::wait_ready(transport.handle(), ipc::Ready::readable, Deadline::now(), Stage::wait).ok();
  }
  void expect(std::size_t from, std::size_t to, std::size_t size = 64) {
    for (std::size_t i = from; i < to; ++i) ASSERT_EQ(receive(*server_), numbered(i, size)) << i;
  }
  void expect_nothing() {
    EXPECT_FALSE(server_->pending());
    EXPECT_EQ(server_->receive(room_, Deadline::now()).error().code, Code::would_block);
  }
  /// The next receive takes what is there, and the one after it waits in a call that takes several.
  void get_into_batches() {
    for (std::size_t i = 0; i < 3; ++i) send(*client_, numbered(i));
    expect(0, 3);
  }
  /// Sends messages of these sizes; the calls that it took.
  std::size_t send_all(std::span<const std::uint32_t> sizes) {
    Bytes octets;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Bytes one = numbered(i, sizes[i]);
      octets.insert(octets.end(), one.begin(), one.end());
    }
    std::size_t calls = 0;
    base::ConstByteSpan rest(octets);
    while (!sizes.empty()) {
      const auto sent = client_->send_messages(rest, sizes);
      if (!sent) {
        ADD_FAILURE() << base::to_string(sent.error());
        return calls;
      }
      rest = rest.subspan(std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(*sent), 0U));
      sizes = sizes.subspan(*sent);
      ++calls;
    }
    return calls;
  }

  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> server_;
};

TEST_F(UdpBatches, ComeInOrderWholeAndInPart) {
  std::size_t taken_ahead = 0;
  for (const std::size_t count : {std::size_t{2}, kAtOnce, kAtOnce + 1, 4 * kAtOnce, 5 * kAtOnce + 3, std::size_t{1}}) {
    for (std::size_t i = 0; i < count; ++i) send(*client_, numbered(i));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(receive(*server_), numbered(i)) << i << " of " << count;
      taken_ahead += server_->pending() ? 1 : 0;
      ASSERT_TRUE(i + 1 == count || server_->pending() || is_readable(*server_)) << i << " of " << count;
    }
    expect_nothing();
  }
  EXPECT_GT(taken_ahead, 8 * kAtOnce) << "nearly all of them";
}

TEST_F(UdpBatches, AreToldOfByTheCarrierWhereTheHandleDoesNot) {
  for (std::size_t i = 0; i < 10; ++i) send(*client_, numbered(i));
  expect(0, 2);
  EXPECT_TRUE(server_->pending());
  EXPECT_FALSE(is_readable(*server_));
  expect(2, 9);
  EXPECT_TRUE(server_->pending());
  expect(9, 10);
  expect_nothing();
}

TEST_F(UdpBatches, AreAskedForSeldomWhereEachComesAlone) {
  for (std::size_t i = 0; i < 200; ++i) {
    send(*client_, numbered(i));
    expect(i, i + 1);
    EXPECT_FALSE(server_->pending());
  }
  for (std::size_t i = 0; i < 60; ++i) send(*client_, numbered(i));
  std::size_t alone = 0;
  for (; !server_->pending(); ++alone) expect(alone, alone + 1);
  EXPECT_LE(alone, ReceivedAhead<InetAddress>::kLongestPause + 1) << "but not too seldom";
  expect(alone, 60);
}

TEST_F(UdpBatches, HaveRoomForAnyMessageAmongSmallOnes) {
  for (const std::size_t size : {std::size_t{ReceivedAhead<InetAddress>::kLarge}, std::size_t{40'000}, kLargest}) {
    for (std::size_t i = 0; i < 8; ++i) send(*client_, numbered(i, i == 4 ? size : 64));
    for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(receive(*server_), numbered(i, i == 4 ? size : 64)) << size;
    expect_nothing();
  }
  EXPECT_FALSE(server_->pending());
}

TEST_F(UdpBatches, HaveOneInTheMiddleThatIsLargerThanAnyMessage) {
  ASSERT_NO_FATAL_FAILURE(meet_over_v6());
  if (IsSkipped()) return;
  auto raw = *ipc::ConnectedUdp::open(address(), InetAddress::loopback_v6());
  ASSERT_TRUE(raw.send(base::as_bytes("ab")));
  server_ = accept();
  receive(*server_);
  for (std::size_t i = 0; i < 8; ++i) ASSERT_TRUE(raw.send(i == 4 ? Bytes(kLargest + 20, 'x') : numbered(i)));
  expect(0, 4);
  expect(5, 8);
  expect_nothing();
}

TEST_F(UdpBatches, HaveOneInTheMiddleThatDoesNotFitTheBuffer) {
  for (std::size_t i = 0; i < 8; ++i) send(*client_, numbered(i, i == 4 ? 100 : 64));
  expect(0, 4);
  EXPECT_EQ(server_->receive(base::ByteSpan(room_).first(64), Deadline::after(kPatience)).error(),
            base::error(Stage::receive, Code::truncated));
  expect(5, 8);
  expect_nothing();
}

TEST_F(UdpBatches, MayBeginWithOrConsistOfEmptyDatagramsWhichAreNothing) {
  auto raw = *ipc::ConnectedUdp::open(address(), InetAddress::loopback_v4());
  ASSERT_TRUE(raw.send(base::as_bytes("ab")));
  server_ = accept();
  receive(*server_);
  ASSERT_TRUE(raw.send(numbered(0)));
  ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  ASSERT_TRUE(raw.send(numbered(1)));
  ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  expect(0, 2);
  EXPECT_EQ(server_->receive(room_, Deadline::after(20ms)).error().code, Code::timed_out);
  expect_nothing();
  for (std::size_t i = 0; i < 4 * kAtOnce; ++i) ASSERT_TRUE(raw.send(base::ConstByteSpan()));
  ASSERT_TRUE(raw.send(numbered(2)));
  expect(2, 3);
  expect_nothing();
}

TEST_F(UdpBatches, AreHandedOutBeforeAnErrorThatCameAfterThem) {
  for (std::size_t i = 0; i < 6; ++i) send(*server_, numbered(i));
  EXPECT_EQ(receive(*client_), numbered(0));
  EXPECT_EQ(receive(*client_), numbered(1));
  server_.reset();
  acceptor_->close();
  send(*client_, {7});  // is refused
  for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(receive(*client_), numbered(i));
  EXPECT_EQ(client_->receive(room_, Deadline::after(kPatience)).error().code, Code::lost);
}

TEST_F(UdpBatches, AreHandedOutAfterTheEndAndThenItIsTheEnd) {
  for (std::size_t i = 0; i < 6; ++i) send(*client_, numbered(i));
  expect(0, 2);
  server_->shutdown();
  EXPECT_TRUE(server_->pending());
  expect(2, 6);
  EXPECT_FALSE(server_->pending());
  EXPECT_EQ(server_->receive(room_, Deadline::after(kPatience)).error().code, Code::closed);
  EXPECT_FALSE(server_->pending());
}

TEST_F(UdpBatches, GoWithTheCarrierThatHoldsThem) {
  for (std::size_t i = 0; i < 6; ++i) send(*client_, numbered(i));
  expect(0, 2);
  server_.reset();
  send(*client_, numbered(9));
  server_ = accept();
  EXPECT_EQ(receive(*server_), numbered(9));
  expect_nothing();
}

TEST_F(UdpBatches, AreWaitedForUntilTheDeadlineOrTheEnd) {
  get_into_batches();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(server_->receive(room_, Deadline::after(20ms)).error().code, Code::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 20ms);
  get_into_batches();
  std::thread ends([&] {
    std::this_thread::sleep_for(10ms);
    server_->shutdown();
  });
  EXPECT_EQ(server_->receive(room_, Deadline::none()).error().code, Code::closed);
  ends.join();
}

TEST_F(UdpBatches, AreWaitedForInSpiteOfSignals) {
  struct sigaction before {};
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &nothing, &before), 0);
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
    get_into_batches();
    std::atomic<bool> over{false};
    const auto reader = ::pthread_self();
    std::thread disturbs([&] {
      for (int i = 0; i < 20; ++i) {
        ::pthread_kill(reader, SIGUSR1);
        std::this_thread::sleep_for(1ms);
      }
      EXPECT_FALSE(over);
      send(*client_, numbered(5));
    });
    EXPECT_EQ(*server_->receive(room_, deadline), 64U);
    over = true;
    disturbs.join();
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

// --- sending ---

TEST_F(UdpBatches, LeaveTogetherWhereTheyAreOfOneSizeAndComeByThemselves) {
  std::vector<std::uint32_t> sizes(100, 64);
  sizes.push_back(10);
  EXPECT_LE(send_all(sizes), 2U);
  expect(0, 100);
  expect(100, 101, 10);
  expect_nothing();
}

TEST_F(UdpBatches, LeaveTogetherWhateverTheirSizes) {
  const std::vector<std::uint32_t> sizes{64, 65, 66, 5000, 2, 3000, 64, 64, 1400, 1400, 1401};
  EXPECT_LE(send_all(sizes), sizes.size() / 2);
  for (std::size_t i = 0; i < sizes.size(); ++i) expect(i, i + 1, sizes[i]);
  expect_nothing();
}

TEST_F(UdpBatches, OfLargeMessagesLeaveTogetherToo) {
  const std::array<std::uint32_t, 3> sizes{30'000, 30'000, 30'000};
  EXPECT_LE(send_all(sizes), 3U);
  for (std::size_t i = 0; i < sizes.size(); ++i) expect(i, i + 1, sizes[i]);
}

TEST_F(UdpBatches, ToNobodyFailSoon) {
  for (const bool equal : {true, false}) {
    acceptor_ = *factory_->listen(**factory_->parse("127.0.0.1:0"), {});
    meet();
    server_.reset();
    acceptor_->close();
    const std::array<std::uint32_t, 4> sizes{64, equal ? 64U : 65U, equal ? 64U : 66U, 64};
    const Bytes octets(300);
    base::Result<std::size_t> sent(std::size_t{0});
    std::size_t took = 0;
    while (sent && took < 100) {
      sent = client_->send_messages(octets, sizes);
      took += sent ? *sent : 0;
    }
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, Code::lost);
    EXPECT_LE(took, 4U);
  }
}

TEST_F(UdpBatches, BeyondWhatTheSystemTakesNowWouldBlockOrLeaveInPart) {
  const std::vector<std::uint32_t> sizes(4, 60'000);
  const Bytes octets(240'000);
  for (int i = 0; i < 20; ++i) {
    const auto sent = client_->send_messages(octets, sizes);
    if (!sent) {
      EXPECT_EQ(sent.error().code, Code::would_block);
    } else {
      EXPECT_GE(*sent, 1U);
      EXPECT_LE(*sent, 4U);
    }
  }
}

}  // namespace
}  // namespace corbel::transport::udp
