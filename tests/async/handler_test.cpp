// SPDX-License-Identifier: Apache-2.0
// Reply handlers: what they are told, when, and how often.
#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>

#include "support.hpp"

namespace corbel::async_test {
namespace {

using Handler = CORBA::amic_traits<Async::Peer>::replyhandler_ref_type;
using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;

/// Writes down what it is told.
class Recorder : public virtual CORBA::amic_traits<Async::Peer>::replyhandler_base_type {
 public:
  void get_served(std::int32_t n) override { tell("get_served " + std::to_string(n)); }
  void get_served_excep(Holder holder) override { fail("get_served", holder); }
  void get_greeting(const std::string& text) override { tell("get_greeting " + text); }
  void get_greeting_excep(Holder holder) override { fail("get_greeting", holder); }
  void set_greeting() override { tell("set_greeting"); }
  void set_greeting_excep(Holder holder) override { fail("set_greeting", holder); }
  void echo(const std::string& text) override {
    if (on_echo) on_echo(text);
    tell("echo " + text);
  }
  void echo_excep(Holder holder) override { fail("echo", holder); }
  void split(std::int32_t place, const std::string& head, const std::string& tail) override {
    tell("split " + std::to_string(place) + " " + head + " " + tail);
  }
  void split_excep(Holder holder) override { fail("split", holder); }
  void nothing() override { tell("nothing"); }
  void nothing_excep(Holder holder) override { fail("nothing", holder); }
  void swap(std::int32_t a, std::int32_t b) override { tell("swap " + std::to_string(a) + " " + std::to_string(b)); }
  void swap_excep(Holder holder) override { fail("swap", holder); }
  void wait() override { tell("wait"); }
  void wait_excep(Holder holder) override { fail("wait", holder); }
  void release() override { tell("release"); }
  void release_excep(Holder holder) override { fail("release", holder); }
  void fail() override { tell("fail"); }
  void fail_excep(Holder holder) override { fail("fail", holder); }
  // A oneway: never called, but code for other implementations has these.
  void forget() override { tell("forget"); }
  void forget_excep(Holder holder) override { fail("forget", holder); }

  /// Waits until so many things have been told; sorted.
  std::vector<std::string> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return told_.size() >= count; });
    std::sort(told_.begin(), told_.end());
    return told_;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return told_.size();
  }

  std::function<void(const std::string&)> on_echo;

 private:
  void tell(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
    changed_.notify_all();
  }
  void fail(const std::string& what, const Holder& holder) {
    try {
      holder->raise_exception();
    } catch (const Async::Refused& refused) {
      tell(what + ": refused, " + refused.why());
    } catch (const CORBA::SystemException& exception) {
      tell(what + ": " + exception._name() + " " + std::to_string(static_cast<int>(exception.completed())));
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> told_;
};

/// A world whose client has a handler.
struct Asking : World {
  explicit Asking(const std::string& endpoint = "tcp://127.0.0.1:0", std::vector<std::string> options = {})
      : World(endpoint, std::move(options)) {
    auto root = IDL::traits<PortableServer::POA>::narrow(client->resolve_initial_references("RootPOA"));
    recorder = CORBA::make_reference<Recorder>();
    handler = CORBA::amic_traits<Async::Peer>::replyhandler_traits::narrow(root->servant_to_reference(recorder));
    root->the_POAManager()->activate();
  }

  CORBA::servant_reference<Recorder> recorder;
  Handler handler;
};

class Handlers : public testing::TestWithParam<std::string> {};

TEST_P(Handlers, AreToldResultsOfOperationsAndAttributes) {
  Asking world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    const std::size_t before = world.recorder->count();
    object->sendc_split(world.handler, "key=mark", '=', "re");
    object->sendc_swap(world.handler, 1, 2);
    object->sendc_nothing(world.handler);
    object->sendc_set_greeting(world.handler, "hi");
    const auto told = world.recorder->await(before + 4);
    EXPECT_EQ(told.back(), "swap 2 1");
  }
  world.echo->sendc_get_greeting(world.handler);
  const auto told = world.recorder->await(9);
  EXPECT_EQ(told, (std::vector<std::string>{"get_greeting hi", "nothing", "nothing", "set_greeting", "set_greeting",
                                            "split 3 key remark", "split 3 key remark", "swap 2 1", "swap 2 1"}));
}

TEST_P(Handlers, AreToldExceptions) {
  Asking world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    object->sendc_fail(world.handler, 0);
    object->sendc_fail(world.handler, 5);
  }
  EXPECT_EQ(world.recorder->await(4), (std::vector<std::string>{"fail: NO_PERMISSION 0", "fail: NO_PERMISSION 0",
                                                                "fail: refused, failed 5", "fail: refused, failed 5"}));
}

TEST(HandlersOfThisProcess, AreToldExceptionsWithoutCollocationToo) {
  Asking world("tcp://127.0.0.1:0", {"-ORBCollocation", "off"});
  world.echo->sendc_fail(world.handler, 0);
  world.echo->sendc_fail(world.handler, 5);
  world.echo->sendc_echo(world.handler, "and results");
  EXPECT_EQ(world.recorder->await(3),
            (std::vector<std::string>{"echo and results", "fail: NO_PERMISSION 0", "fail: refused, failed 5"}));
}

TEST_P(Handlers, AreToldAllOfTenThousandCallsInFlight) {
  Asking world(GetParam(), {"-ORBConnectionsPerEndpoint", "1"});
  std::atomic<int> sum{0};
  world.recorder->on_echo = [&](const std::string& text) { sum += std::stoi(text); };
  world.echo->sendc_wait(world.handler);
  world.servant->await_waiting(1);
  for (int i = 0; i < 10'000; ++i) world.echo->sendc_echo(world.handler, std::to_string(i));
  world.servant->release();
  EXPECT_EQ(world.recorder->await(10'001).size(), 10'001U);
  EXPECT_EQ(sum, 9'999 * 5'000);
}

INSTANTIATE_TEST_SUITE_P(All, Handlers, testing::ValuesIn(all_endpoints()));

TEST(Handler, MayBeNilToIgnoreReplies) {
  World world;
  const Handler nobody;
  world.echo->sendc_nothing(nobody);
  world.echo->sendc_fail(nobody, 1);
  world.echo->nothing();
  EXPECT_EQ(world.echo->async_get_served().get(), 2);
}

TEST(Handler, MayCallAnythingAndBlock) {
  Asking world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::latch met(3);
  // Each waits for all: their replies come together, but they must run at the same time.
  world.recorder->on_echo = [&](const std::string&) {
    EXPECT_EQ(world.echo->async_echo("inside").get(), "inside");
    met.arrive_and_wait();
  };
  world.echo->sendc_wait(world.handler);
  world.servant->await_waiting(1);
  for (int i = 0; i < 3; ++i) world.echo->sendc_echo(world.handler, std::to_string(i));
  world.servant->release();
  EXPECT_EQ(world.recorder->await(4).size(), 4U);
}

// There is nobody but the log to be told, and the next replies are heard all the same.
TEST(Handler, ThatThrowsIsToldOfInTheLog) {
  Asking world;
  world.recorder->on_echo = [](const std::string& text) {
    if (text == "system") throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO, "not today");
    if (text == "foreign") throw std::runtime_error("a mistake");
  };
  world.echo->sendc_echo(world.handler, "system");
  const auto told = world.log->wait_for("reply handler threw");
  EXPECT_EQ(told.level, base::LogLevel::warning);
  EXPECT_EQ(told.value("operation"), "echo");
  EXPECT_NE(told.value("type").find("NO_PERMISSION"), std::string::npos) << told.value("type");
  EXPECT_NE(told.value("what").find("NO_PERMISSION"), std::string::npos) << told.value("what");
  world.echo->sendc_echo(world.handler, "foreign");
  const auto foreign = world.log->wait_for("servant threw a foreign exception");
  EXPECT_EQ(foreign.value("what"), "a mistake");
  world.echo->sendc_echo(world.handler, "well");
  EXPECT_EQ(world.recorder->await(1), std::vector<std::string>{"echo well"});
}

TEST(Handler, IsServedByPerformWorkInSingleMode) {
  Asking world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  const auto here = std::this_thread::get_id();
  world.recorder->on_echo = [&](const std::string&) { EXPECT_EQ(std::this_thread::get_id(), here); };
  for (int i = 0; i < 20; ++i) world.echo->sendc_echo(world.handler, std::to_string(i));
  EXPECT_EQ(world.recorder->count(), 0U);
  while (world.recorder->count() < 20) {
    if (world.client->work_pending()) world.client->perform_work();
  }
}

TEST(Handler, RunsInThreadsOfRunToo) {
  Asking world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  world.recorder->on_echo = [&](const std::string&) { world.client->shutdown(false); };
  world.echo->sendc_echo(world.handler, "last");
  world.client->run();
  EXPECT_EQ(world.recorder->count(), 1U);
}

TEST(Handler, IsToldOnceWhenTheConnectionBreaks) {
  Asking world;
  for (int i = 0; i < 100; ++i) world.echo->sendc_wait(world.handler);
  world.servant->await_waiting(1);
  transport::faulty::Script script;
  script.cut_sent = world.plan->sent(transport::faulty::Side::connecting);
  world.plan->set(transport::faulty::Side::connecting, script);
  // Goes out over a new connection, unless the reader notices the end before the sender does.
  world.echo->sendc_nothing(world.handler);
  const auto told = world.recorder->await(101);
  EXPECT_EQ(std::count(told.begin(), told.end(), "wait: COMM_FAILURE 2"), 100);
  EXPECT_TRUE(told.front().starts_with("nothing")) << told.front();
  EXPECT_EQ(world.echo->echo("synchronous"), "synchronous");
  EXPECT_EQ(world.recorder->count(), 101U);
}

TEST(Handler, IsToldOnceWhenTheOrbShutsDown) {
  Asking world;
  for (int i = 0; i < 100; ++i) world.echo->sendc_wait(world.handler);
  world.servant->await_waiting(1);
  world.client->shutdown(true);
  const auto told = world.recorder->await(100);
  EXPECT_EQ(std::count(told.begin(), told.end(), "wait: BAD_INV_ORDER 2"), 100);
  EXPECT_THROW(world.echo->sendc_wait(world.handler), CORBA::BAD_INV_ORDER);
  EXPECT_EQ(world.recorder->count(), 100U);
}

TEST(Handler, IsToldWhenTimeIsUp) {
  const std::vector<std::string> both{"wait: TIMEOUT 2", "wait: TIMEOUT 2"};
  std::vector<std::string> told;
  // On a loaded machine the time may be over before a request has left, which is told another way: once more, then.
  for (int tries = 0; tries < 10 && told != both; ++tries) {
    Asking world("tcp://127.0.0.1:0", {"-ORBCallTimeout", "1000"});
    try {
      world.echo->sendc_wait(world.handler);
      world.echo->sendc_wait(world.handler);
    } catch (const CORBA::TIMEOUT& exception) {
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      continue;
    }
    told = world.recorder->await(2);
    for (const std::string& each : told) ASSERT_TRUE(each.starts_with("wait: TIMEOUT ")) << each;
  }
  EXPECT_EQ(told, both);
}

TEST(Handler, IsNotToldWhatSendingThrows) {
  Asking world;
  world.server->destroy();
  world.server = make_orb("other");
  EXPECT_THROW(world.echo->sendc_nothing(world.handler), CORBA::TRANSIENT);
  EXPECT_EQ(world.recorder->count(), 0U);
}

/// Sends every request on to another object.
class Forwarder : public PortableServer::ServantLocator {
 public:
  explicit Forwarder(IDL::traits<CORBA::Object>::ref_type to) : to_(std::move(to)) {}
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&,
                                                           Cookie&) override {
    throw PortableServer::ForwardRequest(to_);
  }
  void postinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&, Cookie,
                  IDL::traits<PortableServer::Servant>::ref_type) override {}

 private:
  IDL::traits<CORBA::Object>::ref_type to_;
};

TEST(Handler, IsToldTheResultFromWhereTheCallWasForwarded) {
  Asking world;
  auto root = IDL::traits<PortableServer::POA>::narrow(world.server->resolve_initial_references("RootPOA"));
  auto poa = root->create_POA(
      "forwarding", root->the_POAManager(),
      {root->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN)});
  poa->set_servant_manager(CORBA::make_reference<Forwarder>(world.local));
  const auto there = poa->create_reference("IDL:Async/Peer:1.0");
  const auto ior = world.server->object_to_string(there);
  for (int i = 0; i < 3; ++i) {
    const auto moved = IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(ior));
    moved->sendc_split(world.handler, "a=b", '=', "");
    EXPECT_EQ(moved->async_echo("followed").get(), "followed");
  }
  EXPECT_EQ(world.recorder->await(3), (std::vector<std::string>(3, "split 1 a b")));
  // Collocated too.
  IDL::traits<Async::Peer>::unchecked_narrow(there)->sendc_nothing(world.handler);
  EXPECT_EQ(world.recorder->await(4).front(), "nothing");
}

}  // namespace
}  // namespace corbel::async_test
