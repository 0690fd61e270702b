// SPDX-License-Identifier: Apache-2.0
// Futures of asynchronous calls, waited for and co_awaited.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <limits>
#include <optional>

#include "support.hpp"
#include "support/eventually.hpp"

namespace corbel::async_test {
namespace {

class Combination : public testing::TestWithParam<std::string> {};

TEST_P(Combination, CarriesResultsOfManyCallsAtOnce) {
  World world(GetParam());
  std::vector<Future<std::string>> futures;
  for (int i = 0; i < 1000; ++i) futures.push_back(world.echo->async_echo(std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), std::to_string(i));
}

TEST_P(Combination, GivesResultAndOutParametersInOrder) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    const auto [place, head, tail] = object->async_split("key=mark", '=', "re").get();
    EXPECT_EQ(place, 3);
    EXPECT_EQ(head, "key");
    EXPECT_EQ(tail, "remark");
    const auto [a, b] = object->async_swap(1, 2).get();
    EXPECT_EQ(a, 2);
    EXPECT_EQ(b, 1);
    object->async_nothing().get();
    object->async_set_greeting("hi").get();
    EXPECT_EQ(object->async_get_greeting().get(), "hi");
    EXPECT_GT(object->async_get_served().get(), 0);
  }
}

TEST_P(Combination, ThrowsWhatTheCallEndedWith) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    EXPECT_THROW(object->async_split("nothing", '=', "").get(), Async::Refused);
    try {
      object->async_fail(0).get();
      ADD_FAILURE();
    } catch (const CORBA::NO_PERMISSION& exception) {
      EXPECT_EQ(exception.minor(), 7U);
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_YES);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Combination, testing::ValuesIn(all_endpoints()));

TEST(Future, MixesWithSynchronousCallsOfSeveralThreadsOnOneConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string text = std::to_string(t) + ":" + std::to_string(i);
        auto future = world.echo->async_echo(text);
        if (i % 3 != 0 && world.echo->echo(text + "s") != text + "s") ++wrong;
        if (future.get() != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// More calls than there are places for their memory, large ones among them, dropped ones too, from two threads.
TEST(Future, HasRoomForAnyNumber) {
  World world("tcp://127.0.0.1:0");
  const std::string large(3000, 'x');
  std::atomic<int> wrong{0};
  const auto call = [&] {
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<corbel::Future<std::string>> futures;
      futures.reserve(300);
      for (int i = 0; i < 300; ++i) {
        futures.push_back(world.echo->async_echo(i % 7 == 0 ? large : std::to_string(i)));
        if (i % 5 == 0) (void)world.echo->async_echo("nobody wants to know");
      }
      for (int i = 0; i < 300; ++i) {
        if (futures[static_cast<std::size_t>(i)].get() != (i % 7 == 0 ? large : std::to_string(i))) ++wrong;
      }
    }
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Future, IsReadByTheWaiterItselfInSingleMode) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  auto first = world.echo->async_echo("first");
  auto second = world.echo->async_echo("second");
  EXPECT_EQ(second.get(), "second");
  EXPECT_FALSE(second.valid());
  EXPECT_EQ(first.get(), "first");
}

TEST(Future, IsGoodForOneResult) {
  World world;
  const auto refuses = [](corbel::Future<std::string>& future) {
    EXPECT_FALSE(future.valid());
    EXPECT_THROW(future.get(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)future.ready(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW(future.wait(), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)future.wait_for(std::chrono::seconds(0)), CORBA::BAD_INV_ORDER);
    EXPECT_THROW((void)std::move(future).operator co_await(), CORBA::BAD_INV_ORDER);
  };
  corbel::Future<std::string> future;
  refuses(future);
  future = world.echo->async_echo("once");
  auto moved = std::move(future);
  refuses(future);
  EXPECT_EQ(moved.get(), "once");
  refuses(moved);
}

TEST(Future, WaitsNoLongerThanAsked) {
  World world;
  auto future = world.echo->async_wait();
  world.servant->await_waiting(1);
  EXPECT_FALSE(future.ready());
  EXPECT_FALSE(future.wait_for(std::chrono::milliseconds(5)));
  world.servant->release();
  future.get();
}

// Threads of the ORB read for whoever only looks.
TEST(Future, GetsReadyForWhoOnlyLooks) {
  World world;
  world.echo->async_nothing().get();  // what is warm is left to who asks
  auto future = world.echo->async_echo("seen");
  EXPECT_TRUE(test::eventually([&] { return future.ready(); }));
  EXPECT_EQ(future.get(), "seen");
}

TEST(Future, ThrowsTimeoutWhenTheAnswerIsLate) {
  World world("tcp://127.0.0.1:0", {"-ORBCallTimeout", "1000"});
  auto completed = CORBA::CompletionStatus::COMPLETED_NO;
  // On a loaded machine the time may be over before the request has left: once more, then.
  for (int tries = 0; tries < 10 && completed == CORBA::CompletionStatus::COMPLETED_NO; ++tries) {
    auto future = world.echo->async_wait();
    try {
      future.get();
      ADD_FAILURE();
      break;
    } catch (const CORBA::TIMEOUT& exception) {
      completed = exception.completed();
    }
  }
  EXPECT_EQ(completed, CORBA::CompletionStatus::COMPLETED_MAYBE);
}

TEST(Future, ThrowsWhatKeptTheRequestFromBeingSent) {
  World world;
  world.use_client({});
  world.server->destroy();
  world.server = make_orb("other");
  auto future = world.echo->async_echo("nobody");
  EXPECT_TRUE(future.ready());
  EXPECT_THROW(future.get(), CORBA::TRANSIENT);
}

// The memory of a call is that of one before; sanitizers see to it that each has its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMostAllocations = 110;
#else
constexpr std::size_t kMostAllocations = 10;
#endif

TEST(Future, CostsNoAllocationPerCallOnceWarm) {
  World world("unix://");
  const auto run = [&] {
    for (int i = 0; i < 100; ++i) {
      auto [a, b] = world.echo->async_swap(i, 1).get();
      EXPECT_EQ(b, i);
    }
  };
  run();
  run();
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  // Server and tick are in this process too, and on a loaded machine do more now and then.
  for (int tries = 0; tries < 5 && fewest > kMostAllocations; ++tries) {
    const std::size_t before = test::allocations_of_all();
    run();
    fewest = std::min(fewest, test::allocations_of_all() - before);
  }
  EXPECT_LE(fewest, kMostAllocations);
}

Task add_lengths(EchoRef echo, std::atomic<int>& sum, std::latch& done) {
  for (int i = 0; i < 50; ++i) {
    const std::string text = co_await echo->async_echo(std::string(static_cast<std::size_t>(i), 'x'));
    sum += static_cast<int>(text.size());
  }
  try {
    co_await echo->async_fail(3);
  } catch (const Async::Refused& refused) {
    if (refused.why() == "failed 3") ++sum;
  }
  auto [place, head, tail] = co_await echo->async_split("a=b", '=', "");
  sum += place;
  done.count_down();
}

TEST(Coroutine, AwaitsResultsAndExceptions) {
  World world;
  std::atomic<int> sum{0};
  std::latch done(20);
  for (int i = 0; i < 10; ++i) {
    add_lengths(world.echo, sum, done);
    add_lengths(world.local, sum, done);
  }
  done.wait();
  EXPECT_EQ(sum, 20 * (50 * 49 / 2 + 2));
}

Task call_back(EchoRef echo, std::latch& done) {
  co_await echo->async_nothing();
  // In a thread of the ORB: calls from here must not wait for that thread.
  EXPECT_EQ(echo->echo("synchronous"), "synchronous");
  EXPECT_EQ(echo->async_echo("blocking").get(), "blocking");
  done.count_down();
}

TEST(Coroutine, MayBlockInCallsOnTheSameConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::latch done(1);
  call_back(world.echo, done);
  done.wait();
}

/// Asks another server, and says what came of it.
class AskingServant : public EchoServant {
 public:
  explicit AskingServant(EchoRef other) : other_(std::move(other)) {}
  std::string echo(const std::string&) override {
    inside_ = true;
    try {
      other_->async_wait().get();
      return "answered";
    } catch (const CORBA::SystemException& exception) {
      return exception._name();
    }
  }
  bool inside() const { return inside_; }

 private:
  const EchoRef other_;
  std::atomic<bool> inside_{false};
};

/// Such an object of the world's client, which listens then, as the world's server sees it.
struct Answerer {
  template <class MakeOther>
  Answerer(World& world, const MakeOther& make_other) {
    world.use_client({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    const auto root = IDL::traits<PortableServer::POA>::narrow(world.client->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<AskingServant>(IDL::traits<Async::Peer>::unchecked_narrow(make_other()));
    root->activate_object(servant);
    root->the_POAManager()->activate();
    const auto ior = world.client->object_to_string(root->servant_to_reference(servant));
    asked = IDL::traits<Async::Peer>::unchecked_narrow(world.server->string_to_object(ior));
  }

  CORBA::servant_reference<AskingServant> servant;
  EchoRef asked;
};

// The thread that waits for it reads the connection, on which nothing comes any more.
TEST(Future, OfARequestThatRunsEndsWithTheOrb) {
  World world;
  const Answerer asker(world, [&] { return world.echo; });
  auto outcome = std::async(std::launch::async, [&] { return asker.asked->echo(""); });
  world.servant->await_waiting(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for that thread to be where it reads
  const auto begin = std::chrono::steady_clock::now();
  world.client->shutdown(true);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(outcome.get(), "BAD_INV_ORDER");
}

/// A server with room for one connection, which it does not accept. Who wants another asks again after a second.
struct FullServer {
  FullServer() {
    EXPECT_EQ(::bind(acceptor, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(acceptor, 0), 0);
    EXPECT_EQ(::getsockname(acceptor, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(::connect(first, reinterpret_cast<sockaddr*>(&address), size), 0);
  }
  ~FullServer() {
    for (const int each : {acceptor, first, accepted}) ::close(each);
  }
  FullServer(const FullServer&) = delete;
  FullServer& operator=(const FullServer&) = delete;
  void make_room() { accepted = ::accept4(acceptor, nullptr, nullptr, SOCK_CLOEXEC); }

  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {::htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  const int acceptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int first = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int accepted = -1;
};

TEST(Future, OfARequestThatRunsEndsWithTheOrbThatEndsWhileItConnects) {
  FullServer other;
  World world;
  const auto place = "corbaloc:iiop:127.0.0.1:" + std::to_string(::ntohs(other.address.sin_port)) + "/x";
  const Answerer asker(world, [&] { return world.client->string_to_object(place); });
  auto outcome = std::async(std::launch::async, [&] { return asker.asked->echo(""); });
  EXPECT_TRUE(test::eventually([&] { return asker.servant->inside(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // for its thread to wait for the connection
  auto ending = std::async(std::launch::async, [&] { world.client->shutdown(true); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // for calls that are under way to be given up
  other.make_room();
  EXPECT_EQ(ending.wait_for(std::chrono::seconds(15)), std::future_status::ready);
  EXPECT_EQ(outcome.get(), "BAD_INV_ORDER");
}

}  // namespace
}  // namespace corbel::async_test
