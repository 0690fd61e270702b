// SPDX-License-Identifier: Apache-2.0
// Replies that a poller leaves to a reply handler (CORBA 3.3 part 1, 22.9.3).
#include "corbel/dynamic/request.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "support.hpp"

namespace corbel::polling_test {
namespace {

using Handler = CORBA::amic_traits<Async::Peer>::replyhandler_ref_type;
using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;

/// Writes down what it is told.
class Recorder : public virtual CORBA::amic_traits<Async::Peer>::replyhandler_base_type {
 public:
  void get_served(std::int32_t n) override { tell("get_served " + std::to_string(n)); }
  void get_served_excep(Holder) override { tell("get_served_excep"); }
  void get_greeting(const std::string& text) override { tell("get_greeting " + text); }
  void get_greeting_excep(Holder) override { tell("get_greeting_excep"); }
  void set_greeting() override { tell("set_greeting"); }
  void set_greeting_excep(Holder) override { tell("set_greeting_excep"); }
  void echo(const std::string& text) override {
    tell("echo " + text);
    if (text == "throw") throw CORBA::NO_PERMISSION();
  }
  void echo_excep(Holder) override { tell("echo_excep"); }
  void split(std::int32_t place, const std::string& head, const std::string& tail) override {
    tell("split " + std::to_string(place) + " " + head + " " + tail);
  }
  void split_excep(Holder) override { tell("split_excep"); }
  void nothing() override { tell("nothing"); }
  void nothing_excep(Holder) override { tell("nothing_excep"); }
  void swap(std::int32_t, std::int32_t) override { tell("swap"); }
  void swap_excep(Holder) override { tell("swap_excep"); }
  void wait() override { tell("wait"); }
  void wait_excep(Holder holder) override {
    try {
      holder->raise_exception();
    } catch (const CORBA::SystemException& exception) {
      tell(std::string("wait_excep ") + exception._name());
    }
  }
  void release() override { tell("release"); }
  void release_excep(Holder) override { tell("release_excep"); }
  void fail() override { tell("fail"); }
  void fail_excep(Holder holder) override {
    try {
      holder->raise_exception();
    } catch (const Async::Refused& refused) {
      tell("fail_excep " + refused.why());
    }
  }

  std::vector<std::string> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return told_.size() >= count; });
    return told_;
  }
  std::vector<std::string> told() { return await(0); }

 private:
  void tell(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> told_;
};

struct Handled : World {
  explicit Handled(std::vector<std::string> options = {}) : World("tcp://127.0.0.1:0", std::move(options)) {
    const auto root = IDL::traits<PortableServer::POA>::narrow(client->resolve_initial_references("RootPOA"));
    handler = CORBA::amic_traits<Async::Peer>::replyhandler_traits::narrow(root->servant_to_reference(recorder));
    root->the_POAManager()->activate();
  }
  CORBA::servant_reference<Recorder> recorder = CORBA::make_reference<Recorder>();
  Handler handler;
};

TEST(PolledHandler, IsToldInsteadOfThosePolling) {
  for (const bool local : {false, true}) {
    Handled world;
    const Poller poller = (local ? world.local : world.echo)->sendp_wait();
    EXPECT_EQ(poller->associated_handler(), nullptr);
    poller->associated_handler(world.handler);
    EXPECT_EQ(poller->associated_handler(), world.handler);
    EXPECT_FALSE(poller->is_ready(0));
    EXPECT_EQ(minor_of<CORBA::NO_RESPONSE>([&] { poller->wait(0); }), 1U);
    world.servant->release();
    EXPECT_EQ(world.recorder->await(1).back(), "wait");
    EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->wait(kForEver); }), 5U);
    EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->is_ready(kForEver); }), 5U);
    EXPECT_EQ(poller->associated_handler(), nullptr) << "what it may own is not kept";
  }
}

TEST(PolledHandler, IsToldAtOnceWhatIsThereAlready) {
  Handled world;
  const Poller poller = world.echo->sendp_split("a=b", '=', "");
  ASSERT_TRUE(poller->is_ready(kForEver));
  poller->associated_handler(world.handler);
  EXPECT_EQ(world.recorder->told(), std::vector<std::string>{"split 1 a b"});
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->is_ready(0); }), 5U);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->associated_handler(world.handler); }), 5U);
  EXPECT_EQ(world.recorder->told().size(), 1U);
}

TEST(ExceptionHolder, RaisesWhatIsInAList) {
  World world;
  const auto type = [&](const std::string& id) { return world.client->create_exception_tc(id, "Refused", {}); };
  const Messaging::ExceptionHolder refused(std::make_exception_ptr(Async::Refused("no")));
  EXPECT_THROW(
      refused.raise_exception_with_list(CORBA::ExceptionList{type("IDL:Other:1.0"), type(Async::Refused::_id)}),
      Async::Refused);
  EXPECT_EQ(
      minor_of<CORBA::UNKNOWN>([&] { refused.raise_exception_with_list(CORBA::ExceptionList{type("IDL:Other:1.0")}); }),
      1U);
  const Messaging::ExceptionHolder failed(std::make_exception_ptr(CORBA::NO_PERMISSION()));
  EXPECT_THROW(failed.raise_exception_with_list(CORBA::ExceptionList{}), CORBA::NO_PERMISSION);
}

TEST(PolledHandler, IsToldExceptions) {
  Handled world;
  const Poller refused = world.echo->sendp_fail(3);
  ASSERT_TRUE(refused->is_ready(kForEver));
  refused->associated_handler(world.handler);
  EXPECT_EQ(world.recorder->told(), std::vector<std::string>{"fail_excep failed 3"});
  const Poller waiting = world.echo->sendp_wait();
  waiting->associated_handler(world.handler);
  world.client->shutdown(false);
  EXPECT_EQ(world.recorder->await(2).back(), "wait_excep BAD_INV_ORDER");
}

TEST(PolledHandler, MayBeTakenBackWhileTheReplyIsNotThere) {
  Handled world;
  const Poller poller = world.echo->sendp_wait();
  poller->associated_handler(world.handler);
  poller->associated_handler(nullptr);
  EXPECT_EQ(poller->associated_handler(), nullptr);
  world.servant->release();
  poller->wait(kForEver);
  EXPECT_EQ(world.recorder->told().size(), 0U);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->associated_handler(nullptr); }), 5U);
}

TEST(PolledHandler, IsOneOfTheInterfaceThatWasCalled) {
  Handled world;
  const Poller poller = world.echo->sendp_echo("x");
  // The handler of the base knows nothing of echo.
  class OfBase : public virtual CORBA::amic_traits<Async::Base>::replyhandler_base_type {
   public:
    void get_served(std::int32_t) override {}
    void get_served_excep(Holder) override {}
  };
  const auto root = IDL::traits<PortableServer::POA>::narrow(world.client->resolve_initial_references("RootPOA"));
  const auto other = CORBA::amic_traits<Async::Base>::replyhandler_traits::narrow(
      root->servant_to_reference(CORBA::make_reference<OfBase>()));
  EXPECT_THROW(poller->associated_handler(other), CORBA::BAD_PARAM);
  std::string text;
  poller->echo(kForEver, text);
  EXPECT_EQ(text, "x") << "nothing has happened";
  // But the derived one may be told what the base has.
  world.echo->sendp_get_served()->associated_handler(world.handler);
  EXPECT_EQ(world.recorder->await(1).back(), "get_served 1");
}

TEST(PolledHandler, ThatThrowsDoesNoHarm) {
  Handled world;
  const Poller here = world.echo->sendp_echo("throw");
  ASSERT_TRUE(here->is_ready(kForEver));
  EXPECT_NO_THROW(here->associated_handler(world.handler));
  const Poller there = world.echo->sendp_wait();
  there->associated_handler(world.handler);
  world.servant->release();
  EXPECT_EQ(world.recorder->await(2), (std::vector<std::string>{"echo throw", "wait"}));
}

TEST(PolledHandler, IsToldOfPollersThatWereDropped) {
  Handled world;
  world.echo->sendp_wait()->associated_handler(world.handler);
  world.servant->release();
  EXPECT_EQ(world.recorder->await(1), std::vector<std::string>{"wait"});
}

// Whoever waits reads the reply, and so tells the handler, where no other thread would.
TEST(PolledHandler, IsToldByAThreadThatPollsInSingleMode) {
  Handled world({"-ORBConcurrency", "single"});
  const Poller poller = world.echo->sendp_nothing();
  poller->associated_handler(world.handler);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->is_ready(kForEver); }), 5U);
  EXPECT_EQ(world.recorder->told(), std::vector<std::string>{"nothing"});
}

// Setting it and the reply race: the handler is told once, or the poller has the reply.
TEST(PolledHandler, IsToldOnceHoweverItRacesWithTheReply) {
  Handled world;
  for (int i = 0; i < 300; ++i) {
    const Poller poller = world.echo->sendp_echo(std::to_string(i));
    poller->associated_handler(world.handler);
    EXPECT_EQ(world.recorder->await(static_cast<std::size_t>(i) + 1).back(), "echo " + std::to_string(i));
  }
  EXPECT_EQ(world.recorder->told().size(), 300U);
}

}  // namespace
}  // namespace corbel::polling_test
