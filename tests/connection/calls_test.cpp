// SPDX-License-Identifier: Apache-2.0
// The client side: which thread reads, which caller gets which reply, and how failures end calls.
#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace corbel::connection {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using transport::faulty::Script;
using transport::faulty::Side;

class Combination : public testing::TestWithParam<std::string> {};

TEST_P(Combination, CarriesCallsAndReplies) {
  Harness harness(GetParam());
  auto connection = harness.connect();
  ASSERT_TRUE(connection);
  for (int i = 0; i < 100; ++i) {
    std::string answer;
    const std::string text(static_cast<std::size_t>(i * i), 'x');
    auto status = harness.call(*connection, text, answer);
    ASSERT_TRUE(status.ok()) << base::to_string(status.error());
    EXPECT_EQ(answer, text);
  }
}

TEST_P(Combination, GivesEveryThreadItsOwnReplyOnASharedConnection) {
  Harness harness(GetParam());
  auto connection = harness.connect();
  ASSERT_TRUE(connection);
  std::latch start(8);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < 200; ++i) {
        std::string answer;
        const std::string text = std::to_string(t) + ":" + std::to_string(i);
        if (!harness.call(*connection, text, answer) || answer != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Combination, CarriesMegabytesBothWays) {
  Harness harness(GetParam());
  auto connection = harness.connect();
  const std::size_t largest = connection->transport().traits().largest_message;
  std::string text(largest == 0 ? 20U << 20 : largest - 100, 'm');
  for (std::size_t i = 0; i < text.size(); i += 4096) text[i] = static_cast<char>('a' + i / 4096 % 26);
  std::string answer;
  auto status = harness.call(*connection, text, answer);
  ASSERT_TRUE(status.ok()) << base::to_string(status.error());
  EXPECT_TRUE(answer == text);
}

std::vector<std::string> all_combinations() {
  std::vector<std::string> all =
      test::endpoints_and({"masked://127.0.0.1:0", "bare://", "udp://127.0.0.1:0", "giop_lite+udp://127.0.0.1:0"});
  for (const std::string& each : test::endpoints()) all.push_back("giop_lite+" + each);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Combination, testing::ValuesIn(all_combinations()));

TEST(Calls, EndWithTimedOutWhenThePeerIsSilentAndIgnoreTheLateReply) {
  std::latch release(1);  // outlives the servant that is waiting for it
  Harness harness("tcp://127.0.0.1:0");
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "wait") release.wait();
    Harness::echo(c, request, body);
  };
  auto connection = harness.connect();
  std::string answer;
  auto status = harness.call(*connection, "late", answer, Deadline::after(std::chrono::milliseconds(500)), "wait");
  if (!status.ok() && status.error().stage == Stage::send) {  // a busy machine may not even have sent it in that time
    connection = harness.connect();
    status = harness.call(*connection, "late", answer, Deadline::after(std::chrono::seconds(5)), "wait");
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error(), base::error(Stage::wait, Code::timed_out));
  release.count_down();
  ASSERT_TRUE(harness.call(*connection, "next", answer).ok());
  EXPECT_EQ(answer, "next");
}

TEST(Calls, AnExceptionThrownWhileReadingTheReplyLeavesTheConnectionUsable) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  messaging::OutgoingRequest request;
  request.object_key = harness.route.object_key;
  request.operation = "echo";
  EXPECT_THROW((void)connection->call(
                   request, [](cdr::Encoder& e) { e.put_string("x"); }, Deadline::none(),
                   [](const messaging::IncomingReply&, cdr::Decoder&) { throw std::runtime_error("thrown"); }),
               std::runtime_error);
  std::string answer;
  EXPECT_TRUE(harness.call(*connection, "fine", answer).ok());
}

TEST(Calls, AnArgumentThatCannotBeEncodedSendsNothing) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  const auto sent = harness.plan->sent(Side::connecting);
  messaging::OutgoingRequest request;
  request.object_key = harness.route.object_key;
  request.operation = "echo";
  auto status = connection->call(
      request, [](cdr::Encoder& e) { e.fail(Code::bad_bound); }, Deadline::none(),
      [](const messaging::IncomingReply&, cdr::Decoder&) {});
  EXPECT_EQ(status.error(), base::error(Stage::encode, Code::bad_bound));
  EXPECT_EQ(harness.plan->sent(Side::connecting), sent);
  std::string answer;
  EXPECT_TRUE(harness.call(*connection, "fine", answer).ok());
}

TEST(Calls, EverybodyIsToldWhenTheConnectionBreaks) {
  std::latch arrived(4);
  Harness harness("tcp://127.0.0.1:0");
  harness.serve = [&](Connection& c, const messaging::IncomingRequest&, cdr::Decoder&) {
    arrived.count_down();
    arrived.wait();
    c.transport().shutdown();
  };
  auto connection = harness.connect();
  std::vector<std::thread> threads;
  std::atomic<int> lost{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::string answer;
      auto status = harness.call(*connection, "x", answer);
      if (!status && status.error().stage == Stage::wait && status.error().code == Code::lost) ++lost;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lost, 4);
  EXPECT_FALSE(connection->usable(base::Deadline::clock_now()));
}

TEST(Calls, TheServersCloseConnectionMeansNotExecuted) {
  Harness harness("tcp://127.0.0.1:0");
  harness.serve = [](Connection& c, const messaging::IncomingRequest&, cdr::Decoder&) { c.close(); };
  auto connection = harness.connect();
  std::string answer;
  auto status = harness.call(*connection, "x", answer);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error(), base::error(Stage::wait, Code::closed));
}

/// Cuts the conversation after every number of octets that a call sends or receives, and checks that the error says
/// truly how far it got.
TEST(Calls, EveryCutIsReportedWithTheRightStage) {
  std::uint64_t request_size = 0;
  std::uint64_t reply_size = 0;
  {
    Harness harness("tcp://127.0.0.1:0");
    auto connection = harness.connect();
    std::string answer;
    ASSERT_TRUE(harness.call(*connection, "hello", answer).ok());
    request_size = harness.plan->sent(Side::connecting);
    reply_size = harness.plan->received(Side::connecting);
  }
  Harness harness("tcp://127.0.0.1:0");
  for (std::uint64_t cut = 0; cut < request_size; ++cut) {
    Script script;
    script.cut_sent = cut;
    harness.plan->set(Side::connecting, script);
    auto connection = harness.connect();
    std::string answer;
    auto status = harness.call(*connection, "hello", answer);
    ASSERT_FALSE(status.ok()) << "cut after " << cut << " octets sent";
    EXPECT_EQ(status.error().stage, Stage::send) << "cut after " << cut << " octets sent";
  }
  for (std::uint64_t cut = 1; cut < reply_size; ++cut) {
    Script script;
    script.cut_received = cut;
    harness.plan->set(Side::connecting, script);
    auto connection = harness.connect();
    std::string answer;
    auto status = harness.call(*connection, "hello", answer);
    ASSERT_FALSE(status.ok()) << "cut after " << cut << " octets received";
    EXPECT_EQ(status.error().stage, Stage::wait) << "cut after " << cut << " octets received";
    EXPECT_EQ(status.error().code, Code::lost);
  }
}

TEST(Calls, SurviveShortReadsAndWrites) {
  Harness harness("tcp://127.0.0.1:0");
  Script script;
  script.send_at_most = 3;
  script.receive_at_most = 5;
  harness.plan->set(Side::connecting, script);
  harness.plan->set(Side::accepting, script);
  auto connection = harness.connect();
  const std::string text(1000, 's');
  std::string answer;
  auto status = harness.call(*connection, text, answer);
  ASSERT_TRUE(status.ok()) << base::to_string(status.error());
  EXPECT_EQ(answer, text);
}

TEST(Cache, PrefersIdleConnectionsAndSharesWhenThereMayBeNoMore) {
  Harness harness("tcp://127.0.0.1:0");
  auto first = harness.connect();
  EXPECT_EQ(harness.connect(), first);
  std::latch arrived(4);
  std::latch release(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    arrived.count_down();
    release.wait();
    Harness::echo(c, request, body);
  };
  std::vector<std::thread> threads;
  std::vector<ConnectionPtr> busy;
  for (int i = 0; i < 4; ++i) {
    auto connection = harness.connect();
    for (const auto& other : busy) EXPECT_NE(connection, other);
    busy.push_back(connection);
    threads.emplace_back([&harness, connection] {
      std::string answer;
      EXPECT_TRUE(harness.call(*connection, "x", answer).ok());
    });
    while (connection->load() == 0) std::this_thread::yield();
  }
  arrived.wait();
  auto shared = harness.connect();
  EXPECT_NE(std::find(busy.begin(), busy.end(), shared), busy.end());
  release.count_down();
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace corbel::connection
