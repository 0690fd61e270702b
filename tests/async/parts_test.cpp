// SPDX-License-Identifier: Apache-2.0
// Protocols, transports and endpoints that come and go while calls of all kinds are under way (corbel/orb/parts.hpp).
#include "corbel/orb/parts.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>

#include "corbel/orb/core.hpp"
#include "corbel/orb/statistics.hpp"
#include "support.hpp"

namespace corbel::async_test {
namespace {

constexpr std::chrono::seconds kLong{60};

std::string minor_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const CORBA::SystemException& exception) {
    return exception._name();
  }
  return "none";
}

/// A socket in a folder of its own.
struct Socket {
  Socket() { EXPECT_NE(::mkdtemp(folder.data()), nullptr); }
  ~Socket() { ::rmdir(folder.c_str()); }
  std::string endpoint() const { return "unix://" + folder + "/socket"; }

  std::string folder = testing::TempDir() + "corbel_parts_XXXXXX";
};

std::vector<std::string> places(const OrbRef& orb, const std::string& ior) {
  std::vector<std::string> all;
  const auto routes = orb->_core().registry().routes(orb->string_to_object(ior)->_target()->ior(), {});
  if (!routes) return all;
  for (const auto& route : *routes) all.emplace_back(route.endpoint->scheme());
  return all;
}

TEST(Parts, ReferencesFindTransportsThatAreAddedAndMissThoseThatAreWithdrawn) {
  World world("unix://");
  EXPECT_EQ(world.echo->echo("a"), "a");
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(orb::withdraw_transport(*world.client, "unix", kLong));
    EXPECT_TRUE(orb::conversations(*world.client).empty());
    EXPECT_EQ(minor_of([&] { world.echo->echo("b"); }), "TRANSIENT");
    EXPECT_THROW(world.echo->async_echo("c").get(), CORBA::TRANSIENT);
    orb::add_transport(*world.client, transport::make_unix());
    EXPECT_EQ(world.echo->echo("d"), "d");
  }
}

TEST(Parts, AProtocolThatIsWithdrawnIsSpokenOnNeitherSide) {
  World world("giop_lite+tcp://127.0.0.1:0;tcp://127.0.0.1:0", {"-ORBProtocolPreference", "giop_lite+tcp,tcp"});
  const auto spoken = [&] {
    EXPECT_EQ(world.echo->echo("a"), "a");
    const auto all = orb::conversations(*world.client);
    return all.size() == 1 ? all.front().protocol : std::to_string(all.size());
  };
  EXPECT_EQ(spoken(), "giop_lite");
  EXPECT_TRUE(orb::withdraw_protocol(*world.client, "giop_lite", kLong));
  EXPECT_EQ(spoken(), "giop");
  orb::add_protocol(*world.client, messaging::make_giop_lite());
  EXPECT_TRUE(orb::withdraw_protocol(*world.client, "giop", kLong));
  EXPECT_EQ(spoken(), "giop_lite");
  orb::add_protocol(*world.client, messaging::make_giop());
  EXPECT_TRUE(orb::withdraw_protocol(*world.server, "giop_lite", kLong));
  EXPECT_EQ(spoken(), "giop");
  EXPECT_EQ(places(world.client, world.server->object_to_string(world.servant->_this())),
            std::vector<std::string>{"tcp"});
}

TEST(Parts, CallsUnderWayAreAnsweredAndThenTheConnectionEnds) {
  for (const int variant : {0, 1, 2, 3}) {
    const bool waits = variant % 2 == 0;
    World world("unix://");
    CORBA::ORB& orb = variant < 2 ? *world.server : *world.client;
    const std::size_t all = orb._core().registry().transports().size();
    auto held = std::async(std::launch::async, [&] { world.echo->wait(); });
    world.servant->await_waiting(1);
    auto future = world.echo->async_wait();
    world.servant->await_waiting(2);
    if (!waits) {
      EXPECT_FALSE(orb::withdraw_transport(orb, "unix"));
    }
    auto withdrawn = std::async(waits ? std::launch::async : std::launch::deferred,
                                [&] { return !waits || orb::withdraw_transport(orb, "unix", kLong); });
    while (orb._core().registry().transports().size() == all) std::this_thread::yield();
    world.servant->release();
    held.get();
    future.get();
    EXPECT_TRUE(withdrawn.get());
    EXPECT_EQ(minor_of([&] { world.echo->echo("a"); }), "TRANSIENT");
  }
}

TEST(Parts, ReferencesNameEndpointsThatAreOpenedLaterUntilTheyAreClosed) {
  const Socket socket;
  World world;
  const auto fresh = [&] { return world.server->object_to_string(world.servant->_this()); };
  EXPECT_EQ(places(world.client, fresh()), std::vector<std::string>{"tcp"});
  const auto said = orb::listen(*world.server, socket.endpoint());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with(socket.endpoint())) << said[0];
  const std::string both = fresh();
  world.use_client({"-ORBProtocolPreference", "unix"});
  EXPECT_EQ(places(world.server, both), (std::vector<std::string>{"tcp", "unix"}));
  const auto object = IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(both));
  EXPECT_EQ(object->echo("a"), "a");
  ASSERT_EQ(orb::conversations(*world.client).size(), 1U);
  EXPECT_TRUE(orb::conversations(*world.client)[0].peer.starts_with("unix://"));
  EXPECT_TRUE(orb::stop_listening(*world.server, said[0]));
  EXPECT_FALSE(orb::stop_listening(*world.server, said[0]));
  EXPECT_FALSE(orb::stop_listening(*world.server, "nonsense"));
  EXPECT_EQ(places(world.client, fresh()), std::vector<std::string>{"tcp"});
  EXPECT_EQ(object->echo("b"), "b");  // what was accepted stays
}

TEST(Parts, MistakesAreRefusedAndChangeNothing) {
  World world;
  EXPECT_EQ(minor_of([&] { orb::add_transport(*world.client, nullptr); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::add_protocol(*world.client, nullptr); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::add_transport(*world.client, transport::make_unix()); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::add_protocol(*world.client, messaging::make_giop()); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::withdraw_transport(*world.client, "pigeon"); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::withdraw_protocol(*world.client, "latin"); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::listen(*world.server, "unix://", "fast"); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::listen(*world.server, "pigeon://loft"); }), "BAD_PARAM");
  EXPECT_EQ(minor_of([&] { orb::listen(*world.server, "unix:///nowhere/to/be/found"); }), "INITIALIZE");
  EXPECT_EQ(world.echo->echo("a"), "a");
  world.client->shutdown(true);
  EXPECT_EQ(minor_of([&] { orb::add_transport(*world.client, transport::make_unix()); }), "BAD_INV_ORDER");
}

/// Callers of all kinds that never stop.
class Traffic {
 public:
  explicit Traffic(const EchoRef& echo) : echo_(echo) {
    for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this, i] { run(i); });
  }
  ~Traffic() { stop(); }
  void stop() {
    stop_ = true;
    for (auto& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  /// Returns when each thread has made some more calls, or failed.
  void await_progress() const {
    std::array<int, kThreads> before{};
    for (std::size_t i = 0; i < kThreads; ++i) before[i] = made_[i];
    for (std::size_t i = 0; i < kThreads; ++i) {
      while (made_[i] < before[i] + 3 && failed_ == 0) std::this_thread::yield();
    }
  }
  int made() const {
    int all = 0;
    for (const auto& each : made_) all += each;
    return all;
  }
  int failed() const { return failed_; }

 private:
  static constexpr std::size_t kThreads = 5;

  void run(std::size_t i) {
    for (int n = 0; !stop_; ++n) {
      const std::string text = std::to_string(i) + '/' + std::to_string(n);
      try {
        if (i == 0) {  // several at once, for which no thread waits
          auto first = echo_->async_echo(text);
          auto second = echo_->async_echo(text);
          if (first.get() != text || second.get() != text) throw std::runtime_error("another's reply");
          made_[i] += 2;
          continue;
        }
        if (echo_->echo(text) != text) throw std::runtime_error("another's reply");
        ++made_[i];
      } catch (const std::exception& exception) {
        ++failed_;
        ADD_FAILURE() << text << ": " << exception.what();
        return;
      }
    }
  }

  const EchoRef echo_;
  std::atomic<bool> stop_{false};
  std::atomic<int> failed_{0};
  std::array<std::atomic<int>, kThreads> made_{};
  std::vector<std::thread> threads_;
};

/// At each moment one of the two ways is open.
TEST(Parts, NoCallIsLostOrMadeTwiceWhileTheyComeAndGo) {
  const Socket socket;
  World world("tcp://127.0.0.1:0;" + socket.endpoint());
  const int before = world.servant->served();
  Traffic traffic(world.echo);
  for (int round = 0; round < 6 && traffic.failed() == 0; ++round) {
    traffic.await_progress();
    EXPECT_TRUE(orb::withdraw_transport(*world.client, "tcp", kLong));
    traffic.await_progress();
    orb::add_transport(*world.client, transport::make_tcp());
    traffic.await_progress();
    EXPECT_TRUE(orb::withdraw_transport(*world.client, "unix", kLong));
    traffic.await_progress();
    orb::add_transport(*world.client, transport::make_unix());
    traffic.await_progress();
    EXPECT_TRUE(orb::withdraw_transport(*world.server, "unix", kLong));
    traffic.await_progress();
    orb::add_transport(*world.server, transport::make_unix());
    EXPECT_EQ(orb::listen(*world.server, socket.endpoint()).size(), 1U);
    traffic.await_progress();
  }
  traffic.stop();
  EXPECT_EQ(world.servant->served() - before, traffic.made());
}

}  // namespace
}  // namespace corbel::async_test
