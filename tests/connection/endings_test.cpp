// SPDX-License-Identifier: Apache-2.0
// What becomes of a connection, and of those who wait on it, when one of them leaves in an unusual way.
#include <condition_variable>
#include <future>
#include <latch>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "corbel/ipc/event.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;
using base::Stage;

messaging::OutgoingRequest request_named(std::string_view operation) {
  static const base::Bytes key{'k', 'e', 'y'};
  messaging::OutgoingRequest request;
  request.object_key = key;
  request.operation = operation;
  return request;
}

base::Status call(Connection& connection, Deadline deadline = Deadline::after(20s)) {
  return connection.call(
      request_named("echo"), [](cdr::Encoder& e) { e.put_string("x"); }, deadline, false,
      [](const messaging::IncomingReply&, cdr::Decoder&) {});
}

/// An asynchronous request whose outcome nobody looks at.
class Unwatched final : public AsyncReply {
 public:
  explicit Unwatched(Connection& connection) { request_id = connection.take_request_id(); }
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void on_queued() noexcept override {}
  void finish() noexcept override {}
  messaging::OutgoingRequest request(std::string_view operation) const {
    auto request = request_named(operation);
    request.request_id = request_id;
    return request;
  }
};

TEST(Endings, AnExceptionThrownWhileMarshallingArgumentsLeavesTheConnectionUsable) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  EXPECT_THROW((void)connection->call(
                   request_named("echo"), [](cdr::Encoder&) { throw std::runtime_error("thrown"); }, Deadline::none(),
                   false, [](const messaging::IncomingReply&, cdr::Decoder&) {}),
               std::runtime_error);
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
  void keep(Connection& connection, const messaging::IncomingRequest& request, std::uint8_t minor) {
    const std::lock_guard lock(mutex_);
    kept_[std::string(request.operation)] = {ConnectionPtr(&connection), request.request_id, minor};
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
    (void)kept.connection->send_reply(kept.minor, [&](cdr::Encoder& encoder) {
      kept.connection->protocol().encode_reply(encoder, kept.id, messaging::ReplyStatus::no_exception, {},
                                               [](cdr::Encoder&) {});
    });
  }

 private:
  struct Kept {
    ConnectionPtr connection;
    std::uint32_t id = 0;
    std::uint8_t minor = 0;
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
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, std::uint8_t minor, cdr::Decoder&) {
    later.keep(c, request, minor);
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
      EXPECT_TRUE(harness.call(*connection, "x", text, Deadline::after(10s), "second").ok());
    });
    later.await("second");
    std::thread helper([&] { EXPECT_FALSE(connection->help(reply, reply.request_id, Deadline::none())); });
    while (connection->load() < 3) std::this_thread::yield();
    later.answer("first");
    reader.join();
    later.answer("second");
    caller.join();
    helper.join();
    ASSERT_LT(std::chrono::steady_clock::now() - begin, 5s) << "in round " << round;
  }
}

/// A carrier that does what the test says.
class Scripted final : public transport::Transport {
 public:
  struct Acts {
    std::function<base::Result<std::size_t>(std::size_t, Deadline)> send = [](std::size_t size, Deadline) {
      return base::Result<std::size_t>(size);
    };
    std::function<base::Result<std::size_t>(base::ByteSpan, Deadline)> receive;
    std::function<void()> shutdown = [] {};
    int handle = -1;
  };
  explicit Scripted(Acts& acts) : acts_(acts) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, Deadline deadline) override {
    std::size_t size = 0;
    for (const auto& segment : data) size += segment.size;
    return acts_.send(size, deadline);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) override {
    return acts_.receive(buffer, deadline);
  }
  void shutdown() noexcept override { acts_.shutdown(); }
  int handle() const noexcept override { return acts_.handle; }
  transport::Traits traits() const noexcept override { return {}; }
  std::string local() const override { return "here"; }
  std::string peer() const override { return "there"; }

 private:
  Acts& acts_;
};

ConnectionPtr connect(Scripted::Acts& acts) {
  Connection::Settings settings;
  settings.version = {1, 2};
  return ConnectionPtr(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
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
  reply.request_id = connection->take_request_id();
  auto request = request_named("first");
  request.request_id = reply.request_id;
  ASSERT_TRUE(connection
                  ->start(
                      request, [](cdr::Encoder&) {}, reply)
                  .ok());
  acts.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    if (deadline.is_now()) return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
    std::size_t size = 0;
    for (const std::uint32_t id : {reply.request_id + 2, reply.request_id}) {
      cdr::Encoder encoder;
      encoder.reset(connection->format(2));
      connection->protocol().encode_reply(encoder, id, messaging::ReplyStatus::no_exception, {}, [](cdr::Encoder&) {});
      const base::Bytes octets = encoder.to_bytes();
      std::copy(octets.begin(), octets.end(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
      size += octets.size();
    }
    return base::Result<std::size_t>(size);
  };
  EXPECT_TRUE(call(*connection).ok());
  const auto finished = reply.finished.get_future();
  EXPECT_EQ(finished.wait_for(5s), std::future_status::ready);
  connection->close();
  finished.wait();
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
  EXPECT_EQ(call(*connection).error(), base::error(Stage::wait, Code::lost));
  EXPECT_EQ(call(*connection).error().stage, Stage::send);
}

/// Another transport whose connects go on only when so many are under way.
class Meeting final : public transport::Factory {
 public:
  Meeting(std::shared_ptr<const transport::Factory> inner, int connects) : inner_(std::move(inner)), all_(connects) {}

  std::string_view scheme() const noexcept override { return inner_->scheme(); }
  transport::Traits traits() const noexcept override { return inner_->traits(); }
  base::Result<transport::EndpointPtr> parse(std::string_view text) const override { return inner_->parse(text); }
  base::Result<transport::EndpointPtr> from_url(const ior::UrlAddress& url) const override {
    return inner_->from_url(url);
  }
  std::unique_ptr<transport::Connector> make_connector(const transport::Options& options) const override {
    return std::make_unique<Connector>(inner_->make_connector(options), all_);
  }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    return inner_->listen(endpoint, options);
  }
  base::Result<transport::Reachable> decode(const ior::TaggedProfile& profile,
                                            const cdr::Limits& limits) const override {
    return inner_->decode(profile, limits);
  }
  bool publish(std::span<const transport::EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override {
    return inner_->publish(endpoints, base, profiles);
  }

 private:
  struct Connector final : transport::Connector {
    Connector(std::unique_ptr<transport::Connector> made, std::latch& latch) : inner(std::move(made)), all(latch) {}
    base::Result<std::unique_ptr<transport::Transport>> connect(const transport::Endpoint& endpoint,
                                                                Deadline deadline) override {
      all.arrive_and_wait();
      return inner->connect(endpoint, deadline);
    }
    std::unique_ptr<transport::Connector> inner;
    std::latch& all;
  };

  const std::shared_ptr<const transport::Factory> inner_;
  mutable std::latch all_;
};

TEST(Cache, KeepsToItsLimitWhenManyConnectAtOnce) {
  constexpr int kCallers = 8;
  constexpr std::size_t kLimit = 2;
  const Registry registry({messaging::make_giop()}, {std::make_shared<Meeting>(transport::make_inproc(), kCallers)},
                          {1, 2}, {});
  const auto point = *registry.parse_endpoint("inproc://limited");
  const auto acceptor = *registry.transports()[point.transport]->listen(*point.endpoint, {});
  const base::Bytes key{'k'};
  const auto route = registry.routes({"IDL:test:1.0", registry.publish({{point}}, key)}, {})->front();
  ConnectionCache cache(registry, {.transport = {}, .limits = {}, .max_per_route = kLimit});
  std::mutex mutex;
  std::set<Connection*> connections;
  std::vector<ConnectionPtr> alive;
  std::vector<std::thread> threads;
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      bool fresh = false;
      auto connection = *cache.acquire(route, Deadline::after(20s), fresh);
      const std::lock_guard lock(mutex);
      connections.insert(connection.get());
      alive.push_back(std::move(connection));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(connections.size(), kLimit);
}

TEST(Cache, KeepsConnectionsThatOthersMayBeUsing) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  harness.cache().forget(harness.route, *connection);
  EXPECT_EQ(harness.connect(), connection);
  connection->close();
  harness.cache().forget(harness.route, *connection);
  EXPECT_NE(harness.connect(), connection);
}

class Nobody final : public RequestHandler {
  void on_request(Connection&, const messaging::IncomingRequest&, std::uint8_t, cdr::Decoder&) noexcept override {}
  void on_locate_request(Connection&, const messaging::IncomingLocateRequest&, std::uint8_t) noexcept override {}
};

TEST(PerformWork, LetsOthersServeWhileWhatItRunsBlocks) {
  Nobody nobody;
  auto server = *Server::create({}, nobody);
  std::latch both(2);
  for (int i = 0; i < 2; ++i) server->reactor().post([&] { both.arrive_and_wait(); });
  server->perform_work();
  both.wait();
}

}  // namespace
}  // namespace corbel::connection
