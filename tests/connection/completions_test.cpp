// SPDX-License-Identifier: Apache-2.0
// Which threads finish asynchronous requests when some of them take long.
#include "corbel/connection/completions.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <thread>

#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

class Reply final : public AsyncReply {
 public:
  explicit Reply(std::function<void()> act) : act_(std::move(act)) {}
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void on_queued() noexcept override { queued = true; }
  void finish() noexcept override { act_(); }

  bool queued = false;

 private:
  std::function<void()> act_;
};

class CompletionsOfPool : public testing::Test {
 protected:
  CompletionsOfPool() {
    reactor_->set_tick(1ms, [this] { return completions_.look(); });
  }
  ~CompletionsOfPool() override {
    pool_.stop();
    pool_.join();
  }

  const std::unique_ptr<reactor::Reactor> reactor_ = *reactor::Reactor::create();
  Completions completions_{*reactor_, true};
  reactor::ThreadPool pool_{*reactor_, {.min_threads = 1}};
};

// Both are in the queue before the one thread that was called for them looks: it must not be the only one.
TEST_F(CompletionsOfPool, GoOnInAnotherThreadWhenOneOfThosePushedBlocks) {
  std::latch both(2);
  Reply first([&] { both.arrive_and_wait(); });
  Reply second([&] { both.arrive_and_wait(); });
  completions_.push(first);
  completions_.push(second);
  ASSERT_TRUE(pool_.start());
  both.wait();
  completions_.settle();
}

TEST_F(CompletionsOfPool, SettlingHasABound) {
  std::latch begun(1);
  std::latch go(1);
  Reply stuck([&] {
    begun.count_down();
    go.wait();
  });
  completions_.push(stuck);
  ASSERT_TRUE(pool_.start());
  begun.wait();
  EXPECT_FALSE(completions_.settle(base::Deadline::after(10ms)));
  go.count_down();
  EXPECT_TRUE(completions_.settle());
}

TEST_F(CompletionsOfPool, GoOnInAnotherThreadWhenOneOfThoseRunBlocks) {
  ASSERT_TRUE(pool_.start());
  std::latch three(3);
  Reply first([&] { three.arrive_and_wait(); });
  Reply second([&] { three.arrive_and_wait(); });
  Reply third([&] { three.arrive_and_wait(); });
  AsyncReplyList list;
  for (Reply* reply : {&first, &second, &third}) list.push(*reply);
  completions_.run(list);
  completions_.settle();
}

TEST(Completions, TellWhoeverWaitsForOneOfThoseRunThatItCanBeTakenFromThem) {
  const auto reactor = *reactor::Reactor::create();
  Completions completions(*reactor, false);
  Reply second([] {});
  Reply first([&] {
    EXPECT_TRUE(second.queued);
    EXPECT_TRUE(completions.take(second));
  });
  AsyncReplyList list;
  for (Reply* reply : {&first, &second}) list.push(*reply);
  completions.run(list);
}

// Requests of another ORB that run below the caller do not count.
TEST_F(CompletionsOfPool, SettleWaitsForTheirOwnAlsoInsideThoseOfAnotherOrb) {
  ASSERT_TRUE(pool_.start());
  std::latch begun(1);
  std::latch go_on(1);
  std::atomic<bool> over{false};
  Reply here([&] {
    begun.count_down();
    go_on.wait();
    over = true;
  });
  const auto other_reactor = *reactor::Reactor::create();
  Completions other(*other_reactor, false);
  Reply outer([&] {
    EXPECT_TRUE(other.busy_here());
    EXPECT_FALSE(completions_.busy_here());
    completions_.push(here);
    begun.wait();
    std::thread later([&] { go_on.count_down(); });
    completions_.settle();
    EXPECT_TRUE(over);
    later.join();
  });
  AsyncReplyList list;
  list.push(outer);
  other.run(list);
}

}  // namespace
}  // namespace corbel::connection
