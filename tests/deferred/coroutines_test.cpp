// SPDX-License-Identifier: Apache-2.0
// Operations that are coroutines.
#include <coroutine>
#include <future>
#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace corbel::deferred_test {
namespace {

/// What coroutines here wait for, until the test lets them go on, on its own thread.
class Gate {
 public:
  auto operator co_await() noexcept {
    struct Awaiter {
      Gate& gate;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> coroutine) const {
        const std::lock_guard lock(gate.mutex_);
        gate.waiting_.push_back(coroutine);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  std::vector<std::coroutine_handle<>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  void open() {
    for (const auto coroutine : take()) coroutine.resume();
  }

 private:
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
};

/// Counts itself.
struct Counted {
  explicit Counted(std::atomic<int>& all) : count(all) { ++count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count; }
  std::atomic<int>& count;
};

/// Asks another desk what it is asked, or does as the question says.
class Relay final : public Keeper {
 public:
  explicit Relay(DeskRef desk) : desk_(std::move(desk)) {}

  void ask(Answer answer, std::string question) override {
    const Counted counted(running);
    if (question == "throw at once") throw Deferred::Refused("at once");
    if (question == "gate" || question == "gate and throw" || question == "gate and drop") {
      co_await gate;
      if (question == "gate and throw") throw std::runtime_error("later");
      if (question == "gate") answer->ask("opened");
      co_return;
    }
    const std::string said = co_await desk_->async_ask(question);
    answer->ask("relayed: " + said);
    if (question == "throw behind it") throw Deferred::Refused("behind");
  }
  void split(Answer answer, std::string text, char at, std::string tail) override {
    auto [place, head, rest] = co_await desk_->async_split(text, at, tail);
    auto [again, first, last] = co_await desk_->async_split(rest, at, head);
    answer->split(place + again, first, last);
  }
  void nothing(Answer answer) override { twice_nothing(std::move(answer), *this); }

  Gate gate;
  std::atomic<int> running{0};
  DeskRef desk_;

 private:
  /// A function that is given the handler.
  static void twice_nothing(Answer answer, Relay& relay) {
    co_await relay.desk_->async_nothing();
    co_await relay.desk_->async_nothing();
    answer->nothing();
  }
};

class Coroutines : public ::testing::Test {
 protected:
  /// "REFUSED why", an exception's name, or what was said.
  static std::string outcome(const std::function<std::string()>& call) {
    try {
      return call();
    } catch (const Deferred::Refused& refused) {
      return "REFUSED " + refused.why();
    } catch (const CORBA::SystemException& exception) {
      return exception._name();
    }
  }
  std::string ask(const std::string& question) {
    return outcome([&] { return desk->ask(question); });
  }
  ~Coroutines() override {
    if (relay != nullptr) relay->desk_.reset();
    desk.reset();
  }

  World world{"unix://", {"-ORBShutdownTimeout", "2000"}};
  CORBA::servant_reference<Relay> relay = CORBA::make_reference<Relay>(world.remote(world.local));
  DeskRef desk = world.remote(
      IDL::traits<Deferred::Desk>::narrow(world.root->id_to_reference(world.root->activate_object(relay))));
};

TEST_F(Coroutines, AwaitOtherCallsAndAnswer) {
  auto asked = desk->async_ask("what?");
  auto kept = world.servant->take();
  EXPECT_EQ(kept.question, "what?");
  EXPECT_FALSE(asked.ready());
  kept.answer->ask("this");
  EXPECT_EQ(asked.get(), "relayed: this");
  std::string head;
  std::string tail = "t";
  EXPECT_EQ(desk->split("a-b-c", '-', head, tail), 3);
  EXPECT_EQ(head, "tb");
  EXPECT_EQ(tail, "ac");
  desk->nothing();
  EXPECT_TRUE(test::eventually([&] { return relay->running == 0; })) << "frames that nobody destroyed";
}

TEST_F(Coroutines, WhatTheyThrowIsTheAnswer) {
  EXPECT_EQ(ask("throw at once"), "REFUSED at once");
  EXPECT_EQ(ask("throw"), "REFUSED thrown") << "by the call that is awaited";
  EXPECT_EQ(ask("throw what is foreign"), "UNKNOWN");
  auto later = desk->async_ask("gate and throw");
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  relay->gate.open();
  EXPECT_EQ(outcome([&] { return later.get(); }), "UNKNOWN");
}

TEST_F(Coroutines, WhatTheyThrowAfterTheAnswerIsLost) {
  auto asked = desk->async_ask("throw behind it");
  world.servant->take().answer->ask("said");
  EXPECT_EQ(asked.get(), "relayed: said");
  EXPECT_TRUE(test::eventually([&] { return relay->running == 0; }));
  EXPECT_EQ(ask("now"), "relayed: at once");
}

TEST_F(Coroutines, ThatEndWithoutAnAnswerGiveNone) {
  auto asked = desk->async_ask("gate and drop");
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  relay->gate.open();
  EXPECT_EQ(outcome([&] { return asked.get(); }), "NO_RESPONSE");
  auto destroyed = desk->async_ask("gate");
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  for (const auto coroutine : relay->gate.take()) coroutine.destroy();
  EXPECT_EQ(outcome([&] { return destroyed.get(); }), "NO_RESPONSE");
  EXPECT_EQ(relay->running, 0);
}

TEST_F(Coroutines, ThatWaitHoldNoThread) {
  constexpr std::size_t kMany = 500;
  std::vector<Future<std::string>> asked;
  asked.reserve(kMany);
  for (std::size_t i = 0; i < kMany; ++i) asked.push_back(desk->async_ask("gate"));
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == kMany; }));
  relay->gate.open();
  for (auto& one : asked) EXPECT_EQ(one.get(), "opened");
  EXPECT_EQ(relay->running, 0);
}

TEST_F(Coroutines, MayOutliveTheirOrb) {
  auto asked = desk->async_ask("gate");
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  relay->desk_.reset();
  world.server->shutdown(false);
  std::thread ends([server = std::exchange(world.server, nullptr)] { server->destroy(); });
  EXPECT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  relay->gate.open();
  EXPECT_EQ(outcome([&] { return asked.get(); }), "opened") << "what runs is answered";
  ends.join();
}

TEST_F(Coroutines, KeepTheirServants) {
  auto asked = desk->async_ask("gate");
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  const auto coroutines = relay->gate.take();
  const CORBA::weak_servant_reference<Relay> servant(relay);
  const auto here = IDL::traits<Deferred::Desk>::narrow(world.root->servant_to_reference(relay));
  world.root->deactivate_object(world.root->reference_to_id(here));
  relay = nullptr;
  // The ORB ends, and answers, without it.
  world.root.reset();
  desk.reset();
  std::exchange(world.server, nullptr)->destroy();
  EXPECT_EQ(outcome([&] { return asked.get(); }), "NO_RESPONSE");
  EXPECT_NE(servant.lock(), nullptr);
  for (const auto coroutine : coroutines) coroutine.resume();
  EXPECT_EQ(servant.lock(), nullptr);
}

TEST_F(Coroutines, InsideTheProcessTheirCallersWait) {
  const auto here = IDL::traits<Deferred::Desk>::narrow(world.root->servant_to_reference(relay));
  EXPECT_EQ(outcome([&] { return here->ask("throw at once"); }), "REFUSED at once");
  auto said = std::async(std::launch::async, [&] { return here->ask("gate"); });
  ASSERT_TRUE(test::eventually([&] { return relay->gate.waiting() == 1; }));
  relay->gate.open();
  EXPECT_EQ(said.get(), "opened");
  EXPECT_EQ(here->ask("now"), "relayed: at once");
}

}  // namespace
}  // namespace corbel::deferred_test
