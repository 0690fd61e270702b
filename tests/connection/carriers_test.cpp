// SPDX-License-Identifier: Apache-2.0
// Carriers that are no sockets: one that no reactor can wait for, one that keeps octets inside.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "corbel/connection/completions.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "eventually.hpp"
#include "harness.hpp"
#include "scripted.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using test::eventually;

/// Asynchronous requests that are counted when they are finished.
class CountedReply final : public AsyncReply {
 public:
  explicit CountedReply(std::atomic<int>& finished) : finished_(finished) {}
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override { replied = true; }
  void on_queued() noexcept override {}
  void finish() noexcept override { ++finished_; }
  base::Status start_on(Connection& connection, Deadline until = Deadline::none()) {
    token = connection.take_token();
    deadline = until;
    return connection.start(
        request_named("counted"), [this](cdr::Encoder& encoder) { encoder.put_octet_sequence(data); }, *this);
  }

  base::Bytes data;  ///< sent from here if there is much
  std::atomic<bool> replied{false};

 private:
  std::atomic<int>& finished_;
};

/// A peer that answers every request at once; the replies wait inside the carrier.
class Inside {
 public:
  explicit Inside(Scripted::Acts& acts) {
    acts.on_send = [this](const base::Bytes& octets) {
      std::uint32_t id = 0;
      if (octets.size() < 12 + sizeof id) return;  // no request: the end is told in a header alone
      std::memcpy(&id, &octets[12], sizeof id);
      const std::lock_guard lock(mutex_);
      ids_.push_back(id);
      changed_.notify_all();
    };
    acts.receive = [this](base::ByteSpan buffer, Deadline deadline) { return receive(buffer, deadline); };
    acts.shutdown = [this] {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    };
  }
  void of(Connection& connection) { connection_ = &connection; }
  void await_end() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 20s, [this] { return ended_; });
  }
  /// One reply, however much there is room for.
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const auto there = [this] { return ended_ || !ids_.empty(); };
    if (!deadline.is_now()) changed_.wait_for(lock, std::min<base::Duration>(deadline.remaining(), 120s), there);
    if (ended_) return base::error(Stage::receive, Code::closed);
    if (ids_.empty()) return base::error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
    const std::uint32_t id = ids_.front();
    ids_.pop_front();
    return Octets().reply(id).into(buffer);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint32_t> ids_;
  bool ended_ = false;
  Connection* connection_ = nullptr;
};

class Carriers : public testing::Test {
 protected:
  void begin() {
    connection_ = connect(acts_);
    inside_.of(*connection_);
    connection_->set_completions(&harness_.server().completions());
  }
  void end() {
    connection_->close();
    EXPECT_TRUE(eventually([&] { return connection_->load() == static_cast<std::size_t>(-1); }));
    harness_.server().stop(true);
    harness_.server().completions().close();
  }

  Harness harness_{"tcp://127.0.0.1:0"};  // for its threads
  Scripted::Acts acts_;
  Inside inside_{acts_};
  ConnectionPtr connection_;
  std::atomic<int> finished_{0};
};

TEST_F(Carriers, OfWhichNoReactorCanWaitAreReadByAThreadOfTheirOwn) {
  acts_.handle = -1;
  begin();
  std::deque<CountedReply> replies;
  for (int round = 1; round <= 3; ++round) {  // the thread comes again when it is needed again
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(replies.emplace_back(finished_).start_on(*connection_).ok());
    ASSERT_TRUE(eventually([&] { return finished_ == 10 * round; })) << finished_;
  }
  EXPECT_FALSE(connection_->failed());
  for (const CountedReply& reply : replies) EXPECT_TRUE(reply.replied);
  EXPECT_TRUE(call(*connection_).ok());
  end();
}

TEST_F(Carriers, OfWhichNoReactorCanWaitEndWhileTheirThreadReads) {
  acts_.handle = -1;
  acts_.on_send = nullptr;  // a peer that never answers
  begin();
  CountedReply reply(finished_);
  ASSERT_TRUE(reply.start_on(*connection_).ok());
  end();
  EXPECT_EQ(finished_, 1);
  EXPECT_FALSE(reply.replied);
}

// The handle tells once that there is something, like that of a carrier that decodes records of several messages.
TEST_F(Carriers, ThatKeepOctetsInsideAreAskedUntilTheyHaveNone) {
  auto told = ipc::Event::open();
  acts_.handle = told->handle();
  begin();
  std::atomic<int> inside{100};
  acts_.pending = [&] { return inside != 0; };
  const auto receive = acts_.receive;
  acts_.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    told->clear();
    auto received = receive(buffer, deadline);
    if (received) --inside;
    return received;
  };
  std::deque<CountedReply> replies;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(replies.emplace_back(finished_).start_on(*connection_).ok());
  told->set();
  EXPECT_TRUE(eventually([&] { return finished_ == 100; })) << finished_;
  end();
}

// One receive brought the caller's own reply, and the carrier has the other one inside.
TEST_F(Carriers, ThatKeepOctetsInsideWhenACallerLeavesAreReadForTheRest) {
  auto silent = ipc::Event::open();
  acts_.handle = silent->handle();
  begin();
  CountedReply reply(finished_);
  std::atomic<bool> inside{false};
  acts_.pending = [&] { return inside.load(); };
  acts_.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    if (!deadline.is_now() && !inside.exchange(true)) return Octets().reply(reply.token + 2).into(buffer);
    if (inside.exchange(false)) return Octets().reply(reply.token).into(buffer);
    return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
  };
  ASSERT_TRUE(reply.start_on(*connection_).ok());
  EXPECT_TRUE(call(*connection_).ok());
  EXPECT_TRUE(eventually([&] { return finished_ == 1; }));
  end();
}

using Pair = transport::StreamTransport<ipc::UnixAddress>;

/// A carrier that no reactor can wait for.
class Hidden final : public transport::Transport {
 public:
  explicit Hidden(ipc::UnixStream stream) : inner_("hidden", std::move(stream)) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, Deadline deadline) override {
    return inner_.send(data, deadline);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) override {
    return inner_.receive(buffer, deadline);
  }
  void shutdown() noexcept override { inner_.shutdown(); }
  int handle() const noexcept override { return -1; }
  std::string local() const override { return inner_.local(); }
  std::string peer() const override { return inner_.peer(); }

 private:
  Pair inner_;
};

TEST(CarriersOfServers, OfWhichNoReactorCanWaitAreServedByAThreadOfTheirOwn) {
  Harness harness("tcp://127.0.0.1:0");
  auto ends = *ipc::make_stream_pair();
  harness.server().adopt(std::make_unique<Hidden>(std::move(ends.first)), messaging::make_giop());
  Connection::Settings settings;
  settings.version = {1, 2};
  const ConnectionPtr client(
      new Connection(std::make_unique<Pair>("pair", std::move(ends.second)), messaging::make_giop(), settings));
  for (int i = 0; i < 20; ++i) {
    std::string answer;
    ASSERT_TRUE(harness.call(*client, std::to_string(i), answer).ok());
    EXPECT_EQ(answer, std::to_string(i));
  }
  std::latch slow(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "slow") slow.wait();
    Harness::echo(c, request, body);
  };
  std::string late;
  std::thread caller([&] { EXPECT_TRUE(harness.call(*client, "late", late, Deadline::after(20s), "slow").ok()); });
  while (client->load() < 1) std::this_thread::yield();
  std::string answer;
  EXPECT_TRUE(harness.call(*client, "quick", answer).ok());  // another thread reads on
  EXPECT_EQ(answer, "quick");
  slow.count_down();
  caller.join();
  EXPECT_EQ(late, "late");
  EXPECT_TRUE(harness.server().stop(true));
  EXPECT_FALSE(harness.call(*client, "x", answer).ok());
}

// Which side asks is a matter of what was agreed on, not of which side opened the connection: what bidirectional GIOP
// needs.
TEST(CarriersOfServers, CarryRequestsBothWaysIfBothSidesServe) {
  Harness near("tcp://127.0.0.1:0");
  Harness far("tcp://127.0.0.1:0");
  near.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation != "ask back") return Harness::echo(c, request, body);
    std::string text;
    body.get_string(text);
    std::string answer;
    EXPECT_TRUE(near.call(c, text + " and back", answer).ok());
    (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                  [&](cdr::Encoder& encoder) { encoder.put_string(answer); });
  };
  auto ends = *ipc::make_stream_pair();
  near.server().adopt(std::make_unique<Pair>("near", std::move(ends.first)), messaging::make_giop());
  Connection::Settings settings;
  settings.version = {1, 2};
  const ConnectionPtr opened(
      new Connection(std::make_unique<Pair>("far", std::move(ends.second)), messaging::make_giop(), settings));
  far.server().take(opened);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string text = std::to_string(t) + ":" + std::to_string(i);
        std::string answer;
        EXPECT_TRUE(far.call(*opened, text, answer, Deadline::after(20s), i % 4 == 0 ? "ask back" : "echo").ok());
        EXPECT_EQ(answer, i % 4 == 0 ? text + " and back" : text);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(opened->load(), 0U);
  EXPECT_TRUE(near.server().stop(true));
  EXPECT_TRUE(far.server().stop(true));
}

TEST_F(Carriers, OfWhichNoReactorCanWaitKeepNoThreadForRequestsThatWereGivenUp) {
  acts_.handle = -1;
  acts_.on_send = nullptr;
  begin();
  CountedReply reply(finished_);
  ASSERT_TRUE(reply.start_on(*connection_, Deadline::after(500ms)).ok());
  EXPECT_TRUE(eventually([&] { return finished_ == 1; }));
  Caller caller;
  EXPECT_TRUE(eventually([&] { return caller.reading || connection_->enter(caller); })) << "somebody reads for nothing";
  end();
}

// The results of a call may be the values that are still being sent.
TEST_F(Carriers, ThatAnswerARequestBeforeTheyHaveAllOfItAreEnded) {
  acts_.handle = -1;
  const auto answer = std::exchange(acts_.on_send, nullptr);
  begin();
  CountedReply first(finished_);  // keeps a thread reading
  ASSERT_TRUE(first.start_on(*connection_).ok());
  acts_.on_send = answer;
  acts_.send = [this](std::size_t, Deadline) {
    inside_.await_end();
    return base::Result<std::size_t>(base::error(Stage::send, Code::closed));
  };
  CountedReply early(finished_);
  early.data.resize(1U << 16);
  const int started = early.start_on(*connection_).ok() ? 2 : 1;
  EXPECT_TRUE(connection_->failed());
  EXPECT_TRUE(eventually([&] { return finished_ == started; }));
  EXPECT_FALSE(early.replied);
  acts_.send = [](std::size_t size, Deadline) { return base::Result<std::size_t>(size); };
  end();
}

// Arguments that were copied cannot become results: the thread that reads need not wait for the one that sends, which
// the kernel may have put aside.
TEST_F(Carriers, ThatAnswerWhatWasCopiedBeforeItsSenderIsBackAreHeardAtOnce) {
  acts_.handle = -1;
  const auto answer = std::exchange(acts_.on_send, nullptr);
  begin();
  CountedReply first(finished_);  // keeps a thread reading
  ASSERT_TRUE(first.start_on(*connection_).ok());
  acts_.on_send = answer;
  CountedReply early(finished_);
  acts_.send = [&](std::size_t size, Deadline) {
    EXPECT_TRUE(eventually([&] { return early.replied.load(); }));
    return base::Result<std::size_t>(size);
  };
  EXPECT_TRUE(early.start_on(*connection_).ok());
  EXPECT_FALSE(connection_->failed());
  acts_.send = [](std::size_t size, Deadline) { return base::Result<std::size_t>(size); };
  end();
}

}  // namespace
}  // namespace corbel::connection
