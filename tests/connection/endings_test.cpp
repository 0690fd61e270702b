// SPDX-License-Identifier: Apache-2.0
// What becomes of a connection, and of the callers that wait on it, when one of them leaves in an unusual way.
#include <cerrno>
#include <condition_variable>
#include <future>
#include <latch>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "corbel/ipc/event.hpp"
#include "harness.hpp"
#include "raw_peer.hpp"
#include "scripted.hpp"
#include "support/allocations.hpp"
#include "support/eventually.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;
using base::Stage;

TEST(Endings, AnExceptionThrownWhileMarshallingArgumentsLeavesTheConnectionUsable) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  EXPECT_THROW((void)connection->call(
                   request_named("echo"), [](cdr::Encoder&) { throw std::runtime_error("thrown"); }, Deadline::none(),
                   [](const messaging::IncomingReply&, cdr::Decoder&) {}),
               std::runtime_error);
  connection->set_completions(&harness.server().completions());
  Unwatched reply(*connection);
  EXPECT_THROW((void)connection->start(
                   reply.request("echo"), [](cdr::Encoder&) { throw std::runtime_error("thrown"); }, reply),
               std::runtime_error);
  EXPECT_EQ(connection->load(), 0U);
  std::string answer;
  EXPECT_TRUE(harness.call(*connection, "fine", answer, Deadline::after(5s)).ok());
}

/// Keeps requests and answers them when told.
class Later {
 public:
  void keep(Connection& connection, const messaging::IncomingRequest& request) {
    const std::lock_guard lock(mutex_);
    kept_[std::string(request.operation)] = {ConnectionPtr(&connection), request.origin};
    changed_.notify_all();
  }
  void await(const std::string& operation) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kept_.contains(operation); });
  }
  void answer(const std::string& operation) {
    await(operation);
    const std::lock_guard lock(mutex_);
    const Kept kept = kept_.extract(operation).mapped();
    (void)kept.connection->reply(kept.origin, messaging::ReplyStatus::no_exception, {}, [](cdr::Encoder&) {});
  }

 private:
  struct Kept {
    ConnectionPtr connection;
    messaging::Origin origin;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Kept> kept_;
};

// The reader leaves and chooses the thread that helps an asynchronous request, which is cancelled before that thread
// wakes up: the other caller must not be forgotten.
TEST(Endings, WhoWasChosenToReadAndLeavesLetsTheNextOneRead) {
  Harness harness("tcp://127.0.0.1:0");
  Later later;
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder&) {
    later.keep(c, request);
  };
  auto connection = harness.connect();
  connection->set_completions(&harness.server().completions());
  for (int round = 0; round < 30; ++round) {
    Unwatched reply(*connection);
    AsyncReplyList cancelled;
    std::string ignored;
    std::thread reader([&] {
      EXPECT_TRUE(harness.call(*connection, "x", ignored, Deadline::none(), "first").ok());
      connection->cancel_async(cancelled);
    });
    later.await("first");
    ASSERT_TRUE(connection
                    ->start(
                        reply.request("never"), [](cdr::Encoder&) {}, reply)
                    .ok());
    later.await("never");
    const auto begin = std::chrono::steady_clock::now();
    std::thread caller([&] {
      std::string text;
      EXPECT_TRUE(harness.call(*connection, "x", text, Deadline::after(60s), "second").ok());
    });
    later.await("second");
    std::thread helper([&] { EXPECT_FALSE(connection->help(reply, reply.token, Deadline::none())); });
    while (connection->waiting() < 2) std::this_thread::yield();
    later.answer("first");
    reader.join();
    later.answer("second");
    caller.join();
    helper.join();
    ASSERT_LT(std::chrono::steady_clock::now() - begin, 30s) << "in round " << round;
  }
}

// The reactor was asked to read, but a caller got everything that came: its own reply and the other one behind it.
TEST(Endings, AReplyThatCameWithTheLastCallersOwnIsNotLeftUnread) {
  Harness harness("tcp://127.0.0.1:0");  // for its threads
  const auto silent = ipc::Event::open();
  Scripted::Acts acts;
  acts.handle = silent->handle();
  auto connection = connect(acts);
  connection->set_completions(&harness.server().completions());
  struct Awaited final : AsyncReply {
    void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
    void on_queued() noexcept override {}
    void finish() noexcept override { finished.set_value(); }
    std::promise<void> finished;
  } reply;
  reply.token = connection->take_token();
  auto request = request_named("first");
  ASSERT_TRUE(connection
                  ->start(
                      request, [](cdr::Encoder&) {}, reply)
                  .ok());
  acts.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    if (deadline.is_now()) return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
    std::size_t size = 0;
    for (const std::uint32_t id : {reply.token + 2, reply.token}) {
      cdr::Encoder encoder;
      messaging::giop::Giop({1, 2}).encode_reply(encoder, id, messaging::ReplyStatus::no_exception, {},
                                                 [](cdr::Encoder&) {});
      const base::Bytes octets = encoder.to_bytes();
      std::copy(octets.begin(), octets.end(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
      size += octets.size();
    }
    return base::Result<std::size_t>(size);
  };
  EXPECT_TRUE(call(*connection).ok());
  const auto finished = reply.finished.get_future();
  EXPECT_EQ(finished.wait_for(60s), std::future_status::ready);
  connection->close();
  finished.wait();
}

// The peer takes nothing more until it gets rid of its replies: a caller that cannot send yet must not keep others from
// reading them.
TEST(Endings, ACallerThatWaitsToSendDoesNotKeepTheReactorFromReading) {
  Harness harness("tcp://127.0.0.1:0");  // for its threads
  auto octets = ipc::Event::open();
  Scripted::Acts acts;
  acts.handle = octets->handle();
  auto connection = connect(acts);
  connection->set_completions(&harness.server().completions());
  Unwatched first(*connection);
  ASSERT_TRUE(connection
                  ->start(
                      first.request("first"), [](cdr::Encoder&) {}, first)
                  .ok());
  std::promise<void> read;
  std::latch sending(1);
  acts.receive = [&, once = false](base::ByteSpan, Deadline) mutable {
    if (!std::exchange(once, true)) read.set_value();
    return base::Result<std::size_t>(base::error(Stage::receive, Code::lost));
  };
  const auto taken = read.get_future();
  acts.send = [&, once = false](std::size_t, Deadline) mutable {
    if (!std::exchange(once, true)) {
      sending.count_down();
      EXPECT_EQ(taken.wait_for(60s), std::future_status::ready);
    }
    return base::Result<std::size_t>(base::error(Stage::send, Code::lost));
  };
  Unwatched second(*connection);
  std::thread sender([&] {
    (void)connection->start(
        second.request("second"), [](cdr::Encoder&) {}, second);
  });
  sending.wait();
  std::thread caller([&] { EXPECT_FALSE(call(*connection, Deadline::after(5min)).ok()); });
  while (connection->load() < 3) std::this_thread::yield();
  octets->set();
  sender.join();
  caller.join();
  harness.server().stop(true);
  harness.server().completions().close();
}

TEST(Endings, ClosingDoesNotWaitForARequestThatThePeerDoesNotTake) {
  Scripted::Acts acts;
  std::latch sending(1);
  std::latch ended(1);
  acts.send = [&](std::size_t, Deadline) {
    sending.count_down();
    ended.wait();
    return base::Result<std::size_t>(base::error(Stage::send, Code::lost));
  };
  bool ending = false;
  acts.shutdown = [&] {
    if (!std::exchange(ending, true)) ended.count_down();
  };
  auto connection = connect(acts);
  std::thread caller([&] { EXPECT_EQ(call(*connection, Deadline::none()).error().code, Code::cancelled); });
  sending.wait();
  connection->close();
  caller.join();
}

TEST(Endings, OneCallersSlowSendIsNotWaitedForBeyondAnothersDeadline) {
  Scripted::Acts acts;
  std::latch sending(1);
  std::latch go(1);
  std::atomic<int> sends{0};
  acts.send = [&](std::size_t size, Deadline) {
    if (++sends == 1) {
      sending.count_down();
      go.wait();
    }
    return base::Result<std::size_t>(size);
  };
  acts.receive = [&](base::ByteSpan buffer, Deadline) -> base::Result<std::size_t> {
    go.wait();
    return Octets().reply(2).into(buffer);
  };
  auto connection = connect(acts);
  std::thread slow([&] { EXPECT_TRUE(call(*connection).ok()); });
  sending.wait();
  const auto late = call(*connection, Deadline::after(20ms));
  EXPECT_EQ(late.error().stage, Stage::send);
  EXPECT_EQ(late.error().code, Code::timed_out);
  EXPECT_FALSE(connection
                   ->send_oneway(
                       request_named("tell"), [](cdr::Encoder&) {}, Deadline::after(20ms))
                   .ok());
  EXPECT_FALSE(connection->failed());
  EXPECT_EQ(connection->load(), 1U);
  go.count_down();
  slow.join();
  EXPECT_EQ(sends, 1);
}

TEST(Endings, AfterHalfAMessageNothingIsSent) {
  for (int round = 0; round < 100; ++round) {
    Scripted::Acts acts;
    std::atomic<int> came{0};
    std::atomic<bool> cut{false};
    std::atomic<bool> ended{false};
    std::atomic<int> mixed{0};
    constexpr int kCallers = 4;
    acts.send = [&](std::size_t size, Deadline) {
      if (ended) return base::Result<std::size_t>(base::error(Stage::send, Code::lost));
      if (cut) {
        ++mixed;
        return base::Result<std::size_t>(size);
      }
      while (came < kCallers) std::this_thread::yield();
      cut = true;
      return base::Result<std::size_t>(base::error(Stage::send, Code::timed_out));
    };
    acts.receive = [&](base::ByteSpan, Deadline) {
      while (!ended) std::this_thread::yield();
      return base::Result<std::size_t>(base::error(Stage::receive, Code::closed));
    };
    acts.shutdown = [&] { ended = true; };
    auto connection = connect(acts);
    std::vector<std::thread> callers;
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        ++came;
        EXPECT_FALSE(call(*connection).ok());
      });
    }
    for (auto& caller : callers) caller.join();
    ASSERT_EQ(mixed, 0) << "in round " << round;
  }
}

TEST(Endings, OneCallersTimeOutIsNotTheNextOnes) {
  Scripted::Acts acts;
  acts.send = [](std::size_t, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::send, Code::timed_out));
  };
  auto connection = connect(acts);
  EXPECT_EQ(call(*connection).error(), base::error(Stage::send, Code::timed_out));
  EXPECT_EQ(call(*connection).error(), base::error(Stage::send, Code::lost));
}

TEST(Endings, WithoutMemoryForTheReplyTheConnectionFailsAndNobodyWaitsForIt) {
  Scripted::Acts acts;
  acts.receive = [](base::ByteSpan, Deadline) -> base::Result<std::size_t> { throw std::bad_alloc(); };
  auto connection = connect(acts);
  // Of the system, and not because others take what the connections may have together.
  EXPECT_EQ(call(*connection).error(), base::error(Stage::receive, Code::out_of_resources, ENOMEM));
  EXPECT_EQ(call(*connection).error().stage, Stage::send);
}

/// A peer that asks once and takes no reply, over a carrier that cannot say when it reads: it is asked again and again.
struct TakesNothing {
  TakesNothing() {
    event_->set();
    acts_.handle = event_->handle();
    acts_.shutdown = [this] { gone = true; };
    acts_.receive = [this](base::ByteSpan buffer, Deadline) -> base::Result<std::size_t> {
      if (given_.exchange(true)) return base::error(Stage::receive, gone ? Code::closed : Code::would_block);
      std::copy(request_.begin(), request_.end(), buffer.begin());
      return request_.size();
    };
    acts_.send = [this](std::size_t, Deadline) -> base::Result<std::size_t> {
      if (++sends == 2 && on_second_send) on_second_send();
      return base::error(Stage::send, Code::would_block);
    };
  }
  void come(Harness& harness) { harness.server().adopt(std::make_unique<Scripted>(acts_), messaging::make_giop()); }

  std::function<void()> on_second_send;
  std::atomic<int> sends{0};
  std::atomic<bool> gone{false};

 private:
  base::Result<ipc::Event> event_ = ipc::Event::open();
  const test::Octets request_ = test::raw_request(1, "key", "echo", [](test::Writer& writer) { writer.string("x"); });
  std::atomic<bool> given_{false};
  Scripted::Acts acts_;
};

TEST(Endings, AServerMayFindNoMemoryToAskOneThatTakesNoReply) {
  Server::Settings settings;
  settings.connection.send_timeout = 10min;  // is not what ends it
  TakesNothing peer;
  Harness harness("tcp://127.0.0.1:0", settings);
  peer.come(harness);
  EXPECT_TRUE(test::eventually([&] { return peer.sends > 5; }));
  test::refuse_allocations(0, SIZE_MAX);
  const bool gone = test::eventually([&] { return peer.gone.load(); });
  test::refuse_allocations(0, 0);
  EXPECT_TRUE(gone);
  std::string answer;
  EXPECT_TRUE(harness.call(*harness.connect(), "y", answer).ok());
  EXPECT_EQ(answer, "y");
}

TEST(Endings, NorToKeepAReplyForIt) {
  Server::Settings settings;
  settings.connection.send_timeout = 10min;  // does not end it before its time here is over
  for (std::size_t refused = 0; refused < 8; ++refused) {
    TakesNothing peer;
    Harness harness("tcp://127.0.0.1:0", settings);
    peer.on_second_send = [&] { test::refuse_allocations(refused, 1); };
    peer.come(harness);
    EXPECT_TRUE(test::eventually([&] { return peer.sends > 10 || peer.gone; })) << refused;
    test::refuse_allocations(0, 0);
    if (!peer.gone) continue;
    EXPECT_TRUE(test::eventually([&] { return harness.server().all_live().empty(); })) << refused;
  }
}

}  // namespace
}  // namespace corbel::connection
