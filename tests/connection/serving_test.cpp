// SPDX-License-Identifier: Apache-2.0
// The server side: threads, slow upcalls, hostile peers, the orderly end.
#include <atomic>
#include <deque>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "corbel/ipc/handle.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "harness.hpp"
#include "raw_peer.hpp"
#include "support/eventually.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

using base::Code;
using base::Deadline;
using base::Stage;

Server::Settings with(policy::Concurrency concurrency) {
  Server::Settings settings;
  settings.serving.concurrency = concurrency;
  return settings;
}

class Mode : public testing::TestWithParam<policy::Concurrency> {};

TEST_P(Mode, ServesManyConnectionsAtOnce) {
  Harness harness("tcp://127.0.0.1:0", with(GetParam()));
  std::thread runner([&] { harness.server().run(); });
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 40; ++t) {
    threads.emplace_back([&] {
      bool fresh = false;
      ConnectionCache own(harness.registry(), {});
      auto connection = own.acquire(harness.route, Deadline::none(), fresh);
      for (int i = 0; i < 20 && connection; ++i) {
        std::string answer;
        if (!harness.call(**connection, "x", answer) || answer != "x") ++wrong;
      }
      if (!connection) ++wrong;
      own.close();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  harness.server().stop(true);
  runner.join();
}

INSTANTIATE_TEST_SUITE_P(All, Mode,
                         testing::Values(policy::Concurrency::adaptive, policy::Concurrency::pool,
                                         policy::Concurrency::single));

TEST(Serving, ASlowUpcallDoesNotHoldUpOtherRequestsOfTheSameConnection) {
  for (const auto mode : {policy::Concurrency::adaptive, policy::Concurrency::pool}) {
    Harness harness("tcp://127.0.0.1:0", with(mode));
    std::latch entered(1);
    std::latch release(1);
    harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      if (request.operation == "slow") {
        entered.count_down();
        release.wait();
      }
      Harness::echo(c, request, body);
    };
    auto connection = harness.connect();
    std::string slow_answer;
    std::thread slow(
        [&] { EXPECT_TRUE(harness.call(*connection, "slow", slow_answer, Deadline::none(), "slow").ok()); });
    entered.wait();
    // Only answered if another thread reads the connection while the first servant is still busy.
    for (int i = 0; i < 10; ++i) {
      std::string answer;
      auto status = harness.call(*connection, "fast", answer);
      ASSERT_TRUE(status.ok()) << base::to_string(status.error());
      EXPECT_EQ(answer, "fast");
    }
    release.count_down();
    slow.join();
    EXPECT_EQ(slow_answer, "slow");
  }
}

TEST(Serving, AHostilePeerLosesItsConnectionAndNobodyElseDoes) {
  Harness harness("tcp://127.0.0.1:0");
  auto good = harness.connect();
  std::string answer;
  ASSERT_TRUE(harness.call(*good, "x", answer).ok());
  const auto connector = transport::make_tcp()->make_connector();
  using namespace std::string_view_literals;
  for (const std::string_view garbage : {"GET / HTTP/1.1\r\n\r\n"sv, "GIOP\x01\x02\x01\x63\x00\x00\x00\x00"sv,
                                         "GIOP\x09\x09\x01\x00\x00\x00\x00\x00"sv}) {
    auto peer = connector->connect(*harness.route.endpoint, {}, Deadline::after(std::chrono::seconds(10)));
    ASSERT_TRUE(peer.ok());
    const cdr::Segment segment{garbage.data(), garbage.size()};
    ASSERT_TRUE((*peer)->send({&segment, 1}, Deadline::none()).ok());
    // MessageError, then the end.
    base::Octet octets[64];
    std::size_t total = 0;
    for (;;) {
      auto received =
          (*peer)->receive(base::ByteSpan(octets).subspan(total), Deadline::after(std::chrono::seconds(10)));
      if (!received) {
        EXPECT_NE(received.error().code, Code::timed_out);
        break;
      }
      total += *received;
    }
    EXPECT_TRUE(total == 0 || (total == 12 && octets[7] == 6)) << total;
  }
  ASSERT_TRUE(harness.call(*good, "still here", answer).ok());
  EXPECT_EQ(answer, "still here");
}

TEST(Serving, StoppingTellsIdleClientsInOrder) {
  auto harness = std::make_unique<Harness>("tcp://127.0.0.1:0");
  auto connection = harness->connect();
  std::string answer;
  ASSERT_TRUE(harness->call(*connection, "x", answer).ok());
  harness->server().stop(true);
  auto status = harness->call(*connection, "x", answer);
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().code == Code::closed || status.error().stage == Stage::send)
      << base::to_string(status.error());
}

TEST(Serving, PeersInTheSameProcessThatDoNotReadKeepNoThread) {
  Server::Settings settings;
  settings.serving.threads = 2;
  Harness harness("inproc://crowded", settings);
  const std::string large(4U << 20, 'y');  // the encoder refers to it
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation != "big") return Harness::echo(c, request, body);
    (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                  [&](cdr::Encoder& e) { e.put_string(large); });
  };
  const auto connector = harness.route.transport->factory().make_connector();
  std::vector<std::unique_ptr<transport::Transport>> peers;
  const messaging::OutgoingRequest request{.object_key = harness.route.object_key, .operation = "big", .contexts = {}};
  cdr::Encoder encoder;
  messaging::giop::Giop({1, 2}).encode_request(encoder, 2, request, [](cdr::Encoder& e) { e.put_string("x"); });
  for (int i = 0; i < 4; ++i) {
    auto peer = connector->connect(*harness.route.endpoint, {}, Deadline::after(std::chrono::seconds(20)));
    ASSERT_TRUE(peer.ok());
    ASSERT_TRUE((*peer)->send(encoder.segments(), Deadline::none()).ok());
    peers.push_back(*std::move(peer));
  }
  auto connection = harness.connect();
  std::string answer;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(harness.call(*connection, "x", answer).ok());
  // And what waits for them comes when they read, whole.
  for (auto& peer : peers) {
    std::vector<base::Octet> octets(1U << 20);
    std::size_t total = 0;
    while (total < 4U << 20) {
      const auto received = peer->receive(octets, Deadline::after(std::chrono::seconds(20)));
      ASSERT_TRUE(received.ok());
      total += *received;
    }
  }
}

TEST(Acceptors, ListenNoMoreOnceClosed) {
  Harness harness("tcp://127.0.0.1:0");
  AcceptorRegistry acceptors({});
  acceptors.close();
  const auto point = *harness.registry().parse_endpoint("tcp://127.0.0.1:0");
  EXPECT_EQ(acceptors.open(point, harness.server()).error(), base::error(Stage::listen, Code::cancelled));
  EXPECT_TRUE(acceptors.published().empty());
}

class Nobody final : public RequestHandler {
  void on_request(Connection&, const messaging::IncomingRequest&, cdr::Decoder&) noexcept override {}
  void on_locate_request(Connection&, const messaging::IncomingLocateRequest&) noexcept override {}
};

/// "hoard://": inproc, whose acceptor takes all peers that wait when it is told of the first, as that of udp puts aside
/// those that it hears beside another one. Its handle tells once.
class Hoard final : public transport::Factory {
 public:
  std::string_view scheme() const noexcept override { return "inproc"; }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override { return inner_->parse(address); }
  std::unique_ptr<transport::Connector> make_connector() const override { return inner_->make_connector(); }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    CORBEL_TRY(auto inner, inner_->listen(endpoint, options));
    return std::unique_ptr<transport::Acceptor>(new Acceptor(std::move(inner), *this));
  }

  static constexpr int kPeers = 300;
  std::atomic<bool> all_there = false;
  mutable std::atomic<int> given = 0;

 private:
  struct Acceptor final : transport::Acceptor {
    Acceptor(std::unique_ptr<transport::Acceptor> acceptor, const Hoard& whose)
        : inner(std::move(acceptor)), hoard(whose) {}
    base::Result<std::unique_ptr<transport::Transport>> accept() override {
      while (!hoard.all_there) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (auto accepted = inner->accept(); accepted; accepted = inner->accept()) aside.push_back(*std::move(accepted));
      if (aside.empty()) return base::error(Stage::accept, Code::would_block);
      auto first = std::move(aside.front());
      aside.pop_front();
      ++hoard.given;
      return first;
    }
    int handle() const noexcept override { return inner->handle(); }
    std::vector<transport::EndpointPtr> endpoints() const override { return inner->endpoints(); }
    void close() noexcept override { inner->close(); }

    const std::unique_ptr<transport::Acceptor> inner;
    const Hoard& hoard;
    std::deque<std::unique_ptr<transport::Transport>> aside;
  };
  const std::shared_ptr<const transport::Factory> inner_ = transport::make_inproc();
};

TEST(Acceptors, AreAskedForAllPeersThatTheyHaveAlready) {
  Nobody handler;
  const auto server = *Server::create({}, handler);
  ASSERT_TRUE(server->start());
  const auto hoard = std::make_shared<Hoard>();
  const Registry registry({messaging::make_giop()}, {hoard}, {1, 2}, {});
  transport::Options options;
  options.backlog = Hoard::kPeers;
  AcceptorRegistry acceptors(options);
  const auto point = *registry.parse_endpoint("inproc://hoard");
  ASSERT_TRUE(acceptors.open(point, *server).ok());
  std::vector<std::unique_ptr<transport::Transport>> peers;
  const auto connector = hoard->make_connector();
  for (int i = 0; i < Hoard::kPeers; ++i) {
    peers.push_back(*connector->connect(*point.endpoint, {}, Deadline::after(std::chrono::seconds(10))));
  }
  hoard->all_there = true;
  EXPECT_TRUE(test::eventually([&] { return hoard->given == Hoard::kPeers; })) << hoard->given;
  acceptors.close();
  (void)server->stop(true);
}

TEST(Room, IsNotMadeByThoseWhoseRequestNoThreadHasReadYet) {
  Nobody handler;
  Server::Settings settings;
  settings.limits.connections = 3;
  settings.limits.connections_of_host = 3;
  const auto server = *Server::create(settings, handler);  // not started: nothing is read
  const Registry registry({messaging::make_giop()}, {transport::make_tcp()}, {1, 2}, {});
  const auto point = *registry.parse_endpoint("tcp://127.0.0.1:0");
  const auto acceptor = *point.transport->factory().listen(*point.endpoint, {});
  const std::string address = acceptor->endpoints().front()->text();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  const auto come = [&](test::RawPeer& peer) {
    ASSERT_TRUE(peer.connect(port));
    ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::none(), Stage::accept));
    auto accepted = acceptor->accept();
    ASSERT_TRUE(accepted) << base::to_string(accepted.error());
    server->adopt(*std::move(accepted), point.protocol, point.transport);
  };
  test::RawPeer asking;
  test::RawPeer silent;
  test::RawPeer asking_too;
  test::RawPeer newcomer;
  come(asking);
  come(silent);
  come(asking_too);
  ASSERT_TRUE(asking.send(test::raw_request(1, "key", "echo")));
  ASSERT_TRUE(asking_too.send(test::raw_request(1, "key", "echo")));
  come(newcomer);
  EXPECT_EQ(silent.rest(), test::raw_control(5)) << "although another had been idle for longer";
  EXPECT_TRUE(asking.silent());
  EXPECT_TRUE(asking_too.silent());
  // If all have asked, the oldest goes, and is told that nothing was executed.
  ASSERT_TRUE(newcomer.send(test::raw_request(1, "key", "echo")));
  test::RawPeer another;
  come(another);
  EXPECT_EQ(asking.rest(), test::raw_control(5));
  server->stop(true);
}

TEST(Draining, WhoWaitsForSomeConnectionsIsToldThatTheyHaveEnded) {
  Harness harness("tcp://127.0.0.1:0");
  std::latch entered(1);
  std::latch go(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    entered.count_down();
    go.wait();
    Harness::echo(c, request, body);
  };
  const auto connection = harness.connect();
  std::thread caller([&] {
    std::string answer;
    EXPECT_TRUE(harness.call(*connection, "x", answer).ok());
  });
  entered.wait();
  int asked = 0;  // once before it waits, and then with the mutex, of which waiting lets go
  const auto all = [&](const Connection&) {
    if (++asked == 2) go.count_down();
    return true;
  };
  EXPECT_TRUE(harness.server().drain(all, Deadline::none()));
  caller.join();
}

// A connection rests after so many receptions, of which the last may be the one that completes what lies apart.
TEST(Turns, MayEndWithALongSequenceThatHasJustBecomeWhole) {
  Server::Settings settings;
  settings.serving.concurrency = policy::Concurrency::pool;
  Harness harness("tcp://127.0.0.1:0", settings);
  transport::faulty::Script script;
  script.receive_at_most = 2048;
  harness.plan->set(transport::faulty::Side::accepting, script);
  const auto connection = harness.connect();
  for (std::size_t pieces = 17; pieces < 72; ++pieces) {
    const std::string text(pieces * 2048 - 500, 'x');
    std::string answer;
    ASSERT_TRUE(harness.call(*connection, text, answer, Deadline::after(30s)).ok()) << pieces;
    ASSERT_EQ(answer, text);
  }
}

TEST(PerformWork, LetsOthersServeWhileWhatItRunsBlocks) {
  Nobody nobody;
  std::latch both(2);
  auto server = *Server::create({}, nobody);
  for (int i = 0; i < 2; ++i) server->reactor().post([&] { both.arrive_and_wait(); });
  server->perform_work();
  both.wait();
}

}  // namespace
}  // namespace corbel::connection
