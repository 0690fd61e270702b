// SPDX-License-Identifier: Apache-2.0
// How many connections there are to one endpoint, and which ones are kept.
#include <functional>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Deadline;

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
  std::unique_ptr<transport::Connector> make_connector() const override {
    return std::make_unique<Connector>(inner_->make_connector(), all_);
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
                                                                const transport::ConnectionOptions& options,
                                                                Deadline deadline) override {
      all.arrive_and_wait();
      return inner->connect(endpoint, options, deadline);
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
  const auto acceptor = *point.transport->factory().listen(*point.endpoint, {});
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

// Not the first that is idle: partners and processors would change with every call, and the search grow with the
// connections.
TEST(Cache, GivesAThreadTheSameIdleConnectionEveryTimeAndOthersTheirs) {
  constexpr int kThreads = 4;
  Harness harness("tcp://127.0.0.1:0");
  const std::function<void(int)> connect = [&](int more) {
    if (more == 0) return;
    messaging::OutgoingRequest request;
    request.object_key = harness.route.object_key;
    request.operation = "echo";
    const auto body = [&](cdr::Encoder& encoder) {
      connect(more - 1);  // while this one is in use
      encoder.put_string("");
    };
    EXPECT_TRUE(harness.connect()->call(request, body, Deadline::after(20s), [](auto&, auto&) {}).ok());
  };
  connect(kThreads);
  ASSERT_EQ(harness.cache().all().size(), static_cast<std::size_t>(kThreads));
  std::set<const Connection*> given;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&] {
      const auto own = harness.connect();
      for (int again = 0; again < 3; ++again) EXPECT_EQ(harness.connect(), own);
      given.insert(own.get());
    }).join();
  }
  EXPECT_EQ(given.size(), static_cast<std::size_t>(kThreads));
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

/// Else the request that is sent over it is lost, and nobody knows whether it was executed.
TEST(Cache, DoesNotGiveOutAnIdleConnectionThatThePeerHasClosed) {
  Harness harness("tcp://127.0.0.1:0");
  ConnectionPtr served;
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    Harness::echo(c, request, body);
    served = ConnectionPtr(&c);
  };
  const auto connection = harness.connect();
  std::string answer;
  ASSERT_TRUE(harness.call(*connection, "x", answer).ok());
  EXPECT_EQ(harness.connect(), connection);
  harness.server().drain();
  EXPECT_TRUE(test::eventually([&] {
    connection->use(Deadline::clock_now() - base::Duration(2s).count());
    return harness.connect() != connection;
  }));
  EXPECT_TRUE(connection->failed());
}

TEST(Cache, PrefersTheConnectionThatIsAskedFor) {
  Harness harness("tcp://127.0.0.1:0");
  ConnectionPtr first = harness.connect(), second;
  messaging::OutgoingRequest request;
  request.object_key = harness.route.object_key;
  request.operation = "echo";
  const auto body = [&](cdr::Encoder& encoder) {
    second = harness.connect();  // while the first is in use
    encoder.put_string("");
  };
  ASSERT_TRUE(first->call(request, body, Deadline::after(20s), [](auto&, auto&) {}).ok());
  ASSERT_NE(first, second);
  bool fresh = true;
  for (const auto& each : {first, second, first}) {
    EXPECT_EQ(*harness.cache().acquire(harness.route, Deadline::after(20s), fresh, each.get()), each);
    EXPECT_FALSE(fresh);
  }
  second->close();
  EXPECT_EQ(*harness.cache().acquire(harness.route, Deadline::after(20s), fresh, second.get()), first);
}

TEST(Cache, ClosesConnectionsThatNobodyHoldsWhenAnotherOneIsOpened) {
  Harness harness("tcp://127.0.0.1:0");
  const Harness elsewhere("tcp://127.0.0.1:0");
  Route other = harness.route;
  other.endpoint = elsewhere.route.endpoint;
  other.key = elsewhere.route.key;
  for (const base::Duration after : {base::Duration(0), base::Duration(1h)}) {
    ConnectionCache::Settings settings;
    settings.unused_after = after;
    ConnectionCache cache(harness.registry(), settings);
    bool fresh = false;
    auto held = *cache.acquire(harness.route, Deadline::after(20s), fresh);
    (void)cache.acquire(other, Deadline::after(20s), fresh);
    EXPECT_EQ(cache.routes(), 2U);
    Route third = harness.route;
    third.key += "third";
    (void)cache.acquire(third, Deadline::after(20s), fresh);
    EXPECT_EQ(cache.routes(), after == 0s ? 2U : 3U);  // the held one and the third
    EXPECT_FALSE(held->failed());
    (void)cache.acquire(other, Deadline::after(20s), fresh);
    EXPECT_EQ(fresh, after == 0s);
    cache.close();
  }
}

TEST(Cache, WithdrawnConnectionsThatAreIdleDoNotStayForOneThatIsBusy) {
  Harness harness("tcp://127.0.0.1:0");
  std::latch entered(1);
  std::latch go(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    entered.count_down();
    go.wait();
    Harness::echo(c, request, body);
  };
  const auto busy = harness.connect();
  std::thread caller([&] {
    std::string answer;
    EXPECT_TRUE(harness.call(*busy, "x", answer).ok());
  });
  entered.wait();
  const auto idle = harness.connect();
  EXPECT_NE(idle, busy);
  const auto all = [](const Connection&) { return true; };
  EXPECT_FALSE(harness.cache().withdraw(all, Deadline::now()));
  EXPECT_TRUE(idle->failed());
  EXPECT_FALSE(busy->failed());
  EXPECT_EQ(harness.cache().all(), std::vector{busy}) << "its oneways and calls are seen to until it has ended";
  go.count_down();
  caller.join();
  EXPECT_TRUE(harness.cache().withdraw(all, Deadline::after(20s)));
  EXPECT_TRUE(busy->failed());
}

TEST(Cache, AWithdrawnConnectionThatWasBusyEndsWhenACallFindsAnotherOne) {
  Harness harness("tcp://127.0.0.1:0");
  std::latch entered(1);
  std::latch go(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    entered.count_down();
    go.wait();
    Harness::echo(c, request, body);
  };
  const auto busy = harness.connect();
  std::thread caller([&] {
    std::string answer;
    EXPECT_TRUE(harness.call(*busy, "x", answer).ok());
  });
  entered.wait();
  const auto idle = harness.connect();
  EXPECT_FALSE(harness.cache().withdraw([&](const Connection& one) { return &one == busy.get(); }, Deadline::now()));
  EXPECT_EQ(harness.connect(), idle);
  EXPECT_FALSE(busy->failed()) << "its call goes on";
  go.count_down();
  caller.join();
  EXPECT_EQ(harness.connect(), idle);
  EXPECT_TRUE(busy->failed());
  EXPECT_EQ(harness.cache().all(), std::vector{idle});
}

// Threads that look for a connection try to end what has been withdrawn, and so does the one that withdraws it.
TEST(Cache, AWithdrawnConnectionEndsInItsTimeHoweverManyThreadsEndIt) {
  Harness harness("tcp://127.0.0.1:0");
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!over) (void)harness.cache().withdraw([](const Connection&) { return false; }, Deadline::now());
    });
  }
  for (int i = 0; i < 3000; ++i) {
    (void)harness.connect();
    EXPECT_TRUE(harness.cache().withdraw([](const Connection&) { return true; }, Deadline::after(60s))) << i;
  }
  over = true;
  for (auto& each : others) each.join();
}

/// A time of use that is not long ago, however busy the machine is.
std::int64_t ever_recent() {
  return Deadline::clock_now() + std::chrono::nanoseconds(1h).count();
}

TEST(Cache, AtItsLimitClosesThoseThatNoCallUses) {
  Harness harness("tcp://127.0.0.1:0");
  ConnectionCache::Settings settings;
  settings.max_connections = 3;
  ConnectionCache cache(harness.registry(), settings);
  const auto acquire = [&](int number) {
    Route route = harness.route;
    route.key += std::to_string(number);
    bool fresh = false;
    return *cache.acquire(route, Deadline::after(20s), fresh);
  };
  const auto held = acquire(0);
  for (int i = 1; i < 50; ++i) {
    acquire(i);
    ASSERT_LE(cache.all().size(), 3U) << i;
  }
  EXPECT_FALSE(held->failed());
  // If all are held: those of references that have not been used for a moment, and they connect anew.
  std::vector<ConnectionPtr> more;
  held->use(ever_recent());
  for (int i = 100; i < 103; ++i) {
    more.push_back(acquire(i));
    more.back()->use(ever_recent());
  }
  EXPECT_EQ(cache.all().size(), 4U) << "none of them has been idle for a second";
  held->use(1);
  acquire(200);
  EXPECT_TRUE(held->failed());
  for (const auto& each : more) EXPECT_FALSE(each->failed());
  EXPECT_NE(acquire(0), held);
  cache.close();
}

TEST(Cache, AtItsLimitClosesTheOneIdleLongestAndLastOfAllWhatCannotBeReplaced) {
  Harness harness("tcp://127.0.0.1:0");
  ConnectionCache::Settings settings;
  settings.max_connections = 4;
  ConnectionCache cache(harness.registry(), settings);
  const auto acquire = [&](int number) {
    Route route = harness.route;
    route.key += std::to_string(number);
    bool fresh = false;
    return *cache.acquire(route, Deadline::after(20s), fresh);
  };
  const auto bound = acquire(0), bound_younger = acquire(1);
  const auto younger = acquire(2), older = acquire(3);
  bound->bind_for_good();
  bound_younger->bind_for_good();
  bound->use(1);
  older->use(2);
  younger->use(3);
  bound_younger->use(4);
  const auto fourth = acquire(4);
  EXPECT_TRUE(older->failed());
  EXPECT_FALSE(younger->failed());
  fourth->use(5);
  const auto fifth = acquire(5);
  EXPECT_TRUE(younger->failed());
  EXPECT_FALSE(fourth->failed());
  fifth->use(ever_recent());
  const auto sixth = acquire(6);
  sixth->use(ever_recent());
  EXPECT_TRUE(fourth->failed());
  EXPECT_FALSE(bound->failed()) << "others could leave";
  const auto seventh = acquire(7);
  EXPECT_TRUE(bound->failed()) << "nobody else has been idle for a second";
  EXPECT_FALSE(bound_younger->failed()) << "one is enough";
  cache.close();
}

TEST(Cache, OpensNothingOverWhatIsNotInstalled) {
  Harness harness("tcp://127.0.0.1:0");
  const Harness other("tcp://127.0.0.1:0");  // a registry of its own
  bool fresh = false;
  const auto refused = harness.cache().acquire(other.route, Deadline::after(20s), fresh);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), base::error(base::Stage::connect, base::Code::unsupported));
  EXPECT_EQ(harness.cache().routes(), 0U);
}

TEST(Cache, KeepsNothingOfRoutesThatNeverConnect) {
  Harness harness("tcp://127.0.0.1:0");
  for (int port = 1; port <= 100; ++port) {
    Route dead = harness.route;
    dead.endpoint = harness.registry().parse_endpoint("tcp://127.0.0.1:0")->endpoint;  // no peer is reached there
    dead.key += std::to_string(port);
    bool fresh = false;
    EXPECT_FALSE(harness.cache().acquire(dead, Deadline::after(20s), fresh));
  }
  EXPECT_EQ(harness.cache().routes(), 0U);
  const auto connection = harness.connect();
  EXPECT_EQ(harness.cache().routes(), 1U);
}

TEST(Flushing, OneConnectionThatTakesNothingKeepsNoOther) {
  Harness harness("tcp://127.0.0.1:0");
  const auto stall_after = [&](std::uint64_t octets) {
    transport::faulty::Script script;
    script.stall_sent = octets;
    harness.plan->set(transport::faulty::Side::connecting, script);
  };
  const std::string key = harness.route.key;
  std::vector<ConnectionPtr> connections;
  for (const char* number : {"1", "2"}) {
    harness.route.key = key + number;
    connections.push_back(harness.connect());
  }
  std::string answer;
  ASSERT_TRUE(harness.call(*connections[0], std::string(1000, 'x'), answer));
  const std::uint64_t sent = harness.plan->sent(transport::faulty::Side::connecting);
  stall_after(0);
  for (const auto& each : connections) {
    messaging::OutgoingRequest oneway;
    oneway.object_key = harness.route.object_key;
    oneway.operation = "tell";
    oneway.response = messaging::Response::none;
    const auto body = [](cdr::Encoder& encoder) { encoder.put_string("x"); };
    ASSERT_TRUE(each->post_oneway(oneway, body, Deadline::now()));
    ASSERT_TRUE(each->has_backlog());
  }
  stall_after(sent);  // what the first has sent already
  EXPECT_FALSE(harness.cache().flush_oneways(Deadline::now()));
  EXPECT_TRUE(connections[0]->has_backlog());
  EXPECT_FALSE(connections[1]->has_backlog());
  stall_after(transport::faulty::Script::kNever);
  EXPECT_TRUE(harness.cache().flush_oneways(Deadline::after(20s)));
}

}  // namespace
}  // namespace corbel::connection
