// SPDX-License-Identifier: Apache-2.0
// Everything at once on few connections: every caller gets an answer, whatever the others do.
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Deadline;

/// An asynchronous call that knows whether it was finished once and with its own answer.
class Counted final : public AsyncReply {
 public:
  void on_reply(const messaging::IncomingReply&, cdr::Decoder& body) noexcept override { body.get_string(answer); }
  void on_queued() noexcept override {}
  void finish() noexcept override {
    ++finished;
    ended.release();
  }
  std::string answer;
  std::atomic<int> finished{0};
  std::binary_semaphore ended{0};
};

class Stress : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kThreads = 6;
  static constexpr int kRounds = 300;

  messaging::OutgoingRequest request() const {
    messaging::OutgoingRequest request;
    request.object_key = harness_.route.object_key;
    request.operation = "echo";
    return request;
  }
  void call(Connection& connection, const std::string& text, Deadline deadline) {
    std::string answer;
    if (harness_.call(connection, text, answer, deadline)) {
      EXPECT_EQ(answer, text);
    }
  }
  /// Starts a call and waits for its end, by helping or not.
  void call_async(Connection& connection, const std::string& text, Deadline deadline, bool help) {
    Counted reply;
    reply.token = connection.take_token();
    reply.deadline = deadline;
    const std::uint32_t id = reply.token;
    const auto started = connection.start(
        request(), [&](cdr::Encoder& e) { e.put_string(text); }, reply);
    if (!started) return;
    if (help && connection.help(reply, id, Deadline::after(50ms))) reply.finish();
    reply.ended.acquire();
    EXPECT_EQ(reply.finished, 1);
    if (reply.error.code == base::Code::none) {
      EXPECT_EQ(reply.answer, text);
    }
  }
  ConnectionPtr connect() {
    bool fresh = false;
    auto connection = harness_.cache().acquire(harness_.route, Deadline::after(10s), fresh);
    return connection ? *connection : ConnectionPtr();
  }
  void work(int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread) + 1);
    for (int round = 0; round < kRounds; ++round) {
      const auto connection = connect();
      if (!connection) continue;
      const std::string text = std::to_string(thread) + ':' + std::to_string(round) + std::string(random() % 3000, '.');
      const auto what = random() % 100;
      const Deadline deadline =
          random() % 4 == 0 ? Deadline::after(std::chrono::microseconds(random() % 500)) : Deadline::after(30s);
      if (what < 45) {
        call(*connection, text, deadline);
      } else if (what < 90) {
        call_async(*connection, text, deadline, what % 2 == 0);
      } else if (what < 96) {
        (void)connection->send_oneway(
            one_way(), [&](cdr::Encoder& e) { e.put_string(text); }, deadline);
      } else if (what < 98) {
        AsyncReplyList cancelled;
        connection->cancel_async(cancelled);
        harness_.server().completions().run(cancelled);
      } else {
        connection->close();
      }
    }
  }
  messaging::OutgoingRequest one_way() const {
    auto request = this->request();
    request.response = messaging::Response::none;
    return request;
  }

  std::atomic<int> requests_{0};
  Harness harness_{GetParam()};
};

TEST_P(Stress, EveryCallEnds) {
  harness_.cache().set_completions(&harness_.server().completions());
  harness_.serve = [this](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (++requests_ % 211 == 0) return c.close();
    Harness::echo(c, request, body);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { work(i); });
  for (auto& thread : threads) thread.join();
  const auto connection = connect();
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->load(), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Stress, testing::ValuesIn(test::endpoints_and({"giop_lite+unix://"})));

}  // namespace
}  // namespace corbel::connection
