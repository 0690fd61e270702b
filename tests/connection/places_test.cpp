// SPDX-License-Identifier: Apache-2.0
// Connections that have threads of their own, and what -ORBThreads says.
#include <latch>
#include <thread>
#include <vector>

#include "corbel/ipc/stream.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

Server::Settings at_most(unsigned threads) {
  Server::Settings settings;
  settings.serving.threads = threads;
  return settings;
}

/// Calls over a connection of its own, and what became of that.
class Client {
 public:
  explicit Client(Harness& harness) : harness_(harness), own_(harness.registry(), {}) {
    const std::size_t before = harness.server().all_live().size();
    bool fresh = false;
    connection_ = *own_.acquire(harness.route, Deadline::after(20s), fresh);
    while (harness.server().all_live().size() == before) std::this_thread::yield();
  }
  ~Client() {
    wait();
    own_.close();
  }
  void call(int times) {
    thread_ = std::thread([this, times] {
      for (int i = 0; i < times; ++i) {
        std::string answer;
        const auto status = harness_.call(*connection_, "x", answer);
        if (!status) error = status.error();
        answered += status && answer == "x" ? 1 : 0;
      }
    });
  }
  void wait() {
    if (thread_.joinable()) thread_.join();
  }

  int answered = 0;
  base::Error error;

 private:
  Harness& harness_;
  ConnectionCache own_;
  ConnectionPtr connection_;
  std::thread thread_;
};

// Each such connection has a thread that reads. The requests count like any other.
TEST(Places, OfThreadsAreNotExceededByConnectionsWithThreadsOfTheirOwn) {
  for (const unsigned most : {1U, 2U}) {
    Harness harness("bare://places", at_most(most));
    std::atomic<unsigned> inside = 0, largest = 0;
    harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      const unsigned now = ++inside;
      for (unsigned seen = largest; now > seen && !largest.compare_exchange_weak(seen, now);) {
      }
      for (int i = 0; i < 50; ++i) std::this_thread::yield();
      --inside;
      Harness::echo(c, request, body);
    };
    std::vector<std::unique_ptr<Client>> clients;
    for (int t = 0; t < 4; ++t) clients.push_back(std::make_unique<Client>(harness));
    // Others have handles, and share the limit.
    std::vector<ConnectionPtr> with_handles;
    std::vector<std::thread> callers;
    std::atomic<int> answered = 0;
    for (int t = 0; t < 3; ++t) {
      using Pair = transport::StreamTransport<ipc::UnixAddress>;
      auto ends = *ipc::make_stream_pair();
      harness.server().adopt(std::make_unique<Pair>("near", std::move(ends.first)), messaging::make_giop());
      Connection::Settings settings;
      settings.version = {1, 2};
      with_handles.emplace_back(
          new Connection(std::make_unique<Pair>("far", std::move(ends.second)), messaging::make_giop(), settings));
      callers.emplace_back([&, connection = with_handles.back()] {
        for (int i = 0; i < 30; ++i) {
          std::string answer;
          answered += harness.call(*connection, "y", answer) && answer == "y" ? 1 : 0;
        }
      });
    }
    for (auto& client : clients) client->call(30);
    for (auto& client : clients) {
      client->wait();
      EXPECT_EQ(client->answered, 30);
    }
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(answered, 90);
    EXPECT_LE(largest, most);
    for (auto& each : with_handles) each->close();
  }
}

/// The first client has the only place until `go`, and the second waits for it, or is about to.
struct OnePlace {
  OnePlace() {
    harness.serve = [this](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      if (++begun == 1) {
        entered.count_down();
        go.wait();
      }
      Harness::echo(c, request, body);
    };
    first.call(1);
    entered.wait();
    second.call(1);
    while (!harness.server().starving()) std::this_thread::yield();
  }

  std::latch entered{1}, go{1};
  std::atomic<int> begun = 0;
  Harness harness{"bare://place", at_most(1)};
  Client first{harness}, second{harness};
};

// Often, because of the instant in which a connection has ended and its thread looks whether it has.
TEST(Places, WhoWaitsForOneAtTheEndIsToldThatNothingWasExecuted) {
  for (int round = 0; round < 100; ++round) {
    OnePlace one;
    EXPECT_FALSE(one.harness.server().stop(false));
    one.second.wait();
    // Behind the end it cannot even be sent.
    EXPECT_TRUE(one.second.error.code == Code::closed || one.second.error.stage == base::Stage::send)
        << base::to_string(one.second.error);
    EXPECT_EQ(one.second.answered, 0);
    one.go.count_down();
    one.first.wait();
    EXPECT_EQ(one.first.answered, 1) << base::to_string(one.first.error);
    EXPECT_TRUE(one.harness.server().stop(true));
    ASSERT_EQ(one.begun, 1);
  }
}

TEST(Places, AServantThatDoesNotReturnKeepsNobodyWhoWaitsForOneBeyondTheEnd) {
  OnePlace one;
  (void)one.harness.server().stop(true, Deadline::after(20ms));
  one.first.wait();
  one.second.wait();
  EXPECT_EQ(one.first.answered, 0);
  EXPECT_EQ(one.second.answered, 0);
  one.go.count_down();
  EXPECT_TRUE(one.harness.server().stop(true));
  EXPECT_EQ(one.begun, 1);
}

// While a request takes long another thread reads on, which needs a place for the next.
TEST(Places, TakenByASlowRequestAreFoundByTheNextOnesOfItsConnection) {
  Harness harness("bare://slow", at_most(3));
  std::latch go(1);
  std::atomic<unsigned> inside = 0, largest = 0;
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    const unsigned now = ++inside;
    for (unsigned seen = largest; now > seen && !largest.compare_exchange_weak(seen, now);) {
    }
    if (request.operation == "slow") go.wait();
    --inside;
    Harness::echo(c, request, body);
  };
  const ConnectionPtr connection = harness.connect();
  ASSERT_TRUE(connection);
  std::vector<std::thread> callers;
  std::atomic<int> answered = 0;
  callers.emplace_back([&] {
    std::string answer;
    answered += harness.call(*connection, "x", answer, Deadline::after(20s), "slow").ok() ? 1 : 0;
  });
  while (inside == 0) std::this_thread::yield();
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::string answer;
        answered += harness.call(*connection, "x", answer).ok() ? 1 : 0;
      }
    });
  }
  while (answered < 80) std::this_thread::yield();
  go.count_down();
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(answered, 81);
  EXPECT_LE(largest, 3U);
}

}  // namespace
}  // namespace corbel::connection
