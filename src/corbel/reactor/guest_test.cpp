// SPDX-License-Identifier: Apache-2.0
// The reactor in somebody else's loop: whoever waits for nothing but its handle misses nothing.
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <atomic>
#include <thread>
#include <vector>

#include "corbel/ipc/handle.hpp"
#include "corbel/reactor/test_support.hpp"

namespace corbel::reactor {
namespace {

using base::Deadline;
using std::chrono::hours;
using std::chrono::milliseconds;
using testing::HandlerPtr;
using testing::make_handler;
using testing::Pair;

class ReactorGuest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto handle = reactor_->pollable();
    ASSERT_TRUE(handle);
    handle_ = *handle;
  }
  bool readable(Deadline deadline = Deadline::now()) const {
    return static_cast<bool>(ipc::wait_ready(handle_, ipc::Ready::readable, deadline, base::Stage::wait));
  }
  /// The other loop: waits for the handle alone.
  std::size_t await_and_dispatch() {
    EXPECT_TRUE(readable(Deadline::after(std::chrono::seconds(30))));
    return dispatch();
  }
  std::size_t dispatch(std::size_t most = SIZE_MAX) {
    const auto done = reactor_->run_once(Deadline::now(), most);
    return done ? *done : 0;
  }
  /// What is left over of wake-ups whose work is done already.
  void settle() {
    while (readable()) (void)dispatch();
  }

  std::unique_ptr<Reactor> reactor_ = *Reactor::create();
  int handle_ = -1;
  Pair pair_;
  int calls_ = 0;
  HandlerPtr counter_ = make_handler([this](Events) {
    ++calls_;
    (void)pair_.drain();
  });
};

TEST_F(ReactorGuest, IsTheSameHandleAndNotReadableWhileThereIsNothing) {
  EXPECT_EQ(*reactor_->pollable(), handle_);
  EXPECT_FALSE(readable());
  EXPECT_EQ(dispatch(), 0U);
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, IsReadableFromAnEventUntilItIsDispatched) {
  ASSERT_TRUE(reactor_->add(counter_, pair_.ours.handle(), Events::readable, Trigger::one_shot));
  EXPECT_FALSE(readable());
  pair_.poke();
  EXPECT_TRUE(readable());
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(readable());
  pair_.poke();
  EXPECT_FALSE(readable());
  ASSERT_TRUE(reactor_->rearm(*counter_));
  EXPECT_TRUE(readable());
}

TEST_F(ReactorGuest, StaysReadableWhileAHandlerLeavesItsHandleReady) {
  const auto lazy = make_handler([this](Events) { ++calls_; });
  ASSERT_TRUE(reactor_->add(lazy, pair_.ours.handle(), Events::readable));
  pair_.poke();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(readable());
    EXPECT_EQ(dispatch(), 1U);
    EXPECT_EQ(calls_, i);
  }
}

TEST_F(ReactorGuest, HearsOfWhatIsPostedOutsideOfIt) {
  reactor_->post([this] { ++calls_; });
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_FALSE(readable());
  std::thread([this] { reactor_->post([this] { ++calls_; }); }).join();
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_EQ(calls_, 2);
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, HearsOfWhatIsPostedWhileItDispatches) {
  reactor_->post([this] { reactor_->post([this] { ++calls_; }); });
  EXPECT_EQ(await_and_dispatch(), 1U);
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, HearsOfWhatWasThereBefore) {
  auto reactor = *Reactor::create();
  reactor->post([this] { ++calls_; });
  const int handle = *reactor->pollable();
  EXPECT_TRUE(ipc::wait_ready(handle, ipc::Ready::readable, Deadline::now(), base::Stage::wait));
  EXPECT_EQ(*reactor->run_once(Deadline::now()), 1U);
  EXPECT_FALSE(ipc::wait_ready(handle, ipc::Ready::readable, Deadline::now(), base::Stage::wait));
}

TEST_F(ReactorGuest, HearsOfTimersInTheirOrder) {
  std::vector<int> order;
  reactor_->schedule_after(milliseconds(40), [&] { order.push_back(3); });
  reactor_->schedule_after(milliseconds(20), [&] { order.push_back(2); });
  std::thread([&] { reactor_->schedule_after(milliseconds(1), [&] { order.push_back(1); }); }).join();
  while (order.size() < 3) await_and_dispatch();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  settle();
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, SleepsUntilALaterTimerOnceTheFirstIsCancelled) {
  const auto soon = reactor_->schedule_after(milliseconds(1), [this] { ++calls_; });
  EXPECT_TRUE(reactor_->cancel(soon));
  reactor_->schedule_after(hours(1), [this] { ++calls_; });
  // The time of the cancelled one may be looked at once more; then the reactor knows better.
  while (readable(Deadline::after(milliseconds(20)))) EXPECT_EQ(dispatch(), 0U);
  EXPECT_EQ(calls_, 0);
}

TEST_F(ReactorGuest, HearsOfTimersThatTimersSchedule) {
  std::function<void()> again = [&] {
    if (++calls_ < 5) reactor_->schedule_after(milliseconds(1), again);
  };
  reactor_->schedule_after(milliseconds(1), again);
  while (calls_ < 5) await_and_dispatch();
  settle();
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, HearsOfTimersThatAreDueAlready) {
  reactor_->post([this] { reactor_->schedule(reactor_->clock().now() - hours(1), [this] { ++calls_; }); });
  EXPECT_EQ(await_and_dispatch(), 1U);
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_EQ(calls_, 1);
}

TEST_F(ReactorGuest, HearsOfTheTick) {
  reactor_->set_tick(milliseconds(1), [this] { return ++calls_ < 3; });
  reactor_->start_tick();
  while (calls_ < 3) await_and_dispatch();
  settle();
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, DoesAsMuchAsItMayAndStaysReadable) {
  Pair other;
  std::vector<char> order;
  const auto first = make_handler([&](Events) { order.push_back('e'), (void)pair_.drain(); });
  const auto second = make_handler([&](Events) { order.push_back('e'), (void)other.drain(); });
  ASSERT_TRUE(reactor_->add(first, pair_.ours.handle(), Events::readable));
  ASSERT_TRUE(reactor_->add(second, other.ours.handle(), Events::readable));
  reactor_->schedule_after(base::Duration::zero(), [&] { order.push_back('t'); });
  reactor_->post([&] { order.push_back('p'); });
  pair_.poke();
  other.poke();
  for (std::size_t i = 1; i <= 4; ++i) {
    EXPECT_TRUE(readable());
    EXPECT_EQ(dispatch(1), 1U);
    EXPECT_EQ(order.size(), i);
  }
  EXPECT_EQ(order, (std::vector<char>{'e', 'e', 'p', 't'}));
  settle();
  EXPECT_EQ(order.size(), 4U);
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, DoesNothingIfItMayDoNothing) {
  reactor_->post([this] { ++calls_; });
  EXPECT_EQ(dispatch(0), 0U);
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(readable());
}

TEST_F(ReactorGuest, StaysReadableAfterALookAtWhatIsPending) {
  ASSERT_TRUE(reactor_->add(counter_, pair_.ours.handle(), Events::readable, Trigger::one_shot));
  pair_.poke();
  EXPECT_TRUE(reactor_->work_pending());
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  settle();
  EXPECT_FALSE(reactor_->work_pending());
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, TellsOfMoreThanOneBatch) {
  constexpr std::size_t kMany = 150;  // a batch has 64
  std::vector<Pair> pairs(kMany);
  std::vector<HandlerPtr> handlers;
  for (Pair& pair : pairs) {
    handlers.push_back(make_handler([this, &pair](Events) { calls_ += pair.drain() ? 1 : 0; }));
    ASSERT_TRUE(reactor_->add(handlers.back(), pair.ours.handle(), Events::readable, Trigger::one_shot));
    pair.poke();
  }
  while (readable()) (void)dispatch();
  EXPECT_EQ(calls_, static_cast<int>(kMany));
}

TEST_F(ReactorGuest, GivesUpARemovedHandler) {
  bool gone = false;
  auto handler = make_handler([](Events) {}, [&] { gone = true; });
  ASSERT_TRUE(reactor_->add(handler, pair_.ours.handle(), Events::readable));
  reactor_->remove(*handler);
  handler.reset();
  EXPECT_FALSE(gone);
  EXPECT_TRUE(readable());
  (void)dispatch();
  EXPECT_TRUE(gone);
  EXPECT_FALSE(readable());
}

TEST_F(ReactorGuest, GivesUpAHandlerThatRemovesItself) {
  bool gone = false;
  HandlerPtr handler = make_handler(
      [&](Events) {
        ++calls_;
        reactor_->remove(*handler);
        handler.reset();
      },
      [&] { gone = true; });
  ASSERT_TRUE(reactor_->add(handler, pair_.ours.handle(), Events::readable));
  pair_.poke();
  EXPECT_EQ(dispatch(), 1U);
  settle();
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(gone);
}

TEST_F(ReactorGuest, MayBeRunFromWithinWhatItRuns) {
  reactor_->post([this] {
    reactor_->post([this] { ++calls_; });
    EXPECT_EQ(dispatch(), 1U);
    EXPECT_EQ(calls_, 1);
    reactor_->post([this] { ++calls_; });
  });
  EXPECT_EQ(await_and_dispatch(), 1U);
  EXPECT_TRUE(readable());
  EXPECT_EQ(dispatch(), 1U);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ReactorGuest, IsReadableForEverOnceItHasStopped) {
  std::thread([this] { reactor_->stop(); }).join();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(readable());
    EXPECT_EQ(dispatch(), 0U);
  }
}

TEST_F(ReactorGuest, IsReadableForEverOnceWhatItRanHasStoppedIt) {
  reactor_->post([this] { reactor_->stop(); });
  EXPECT_EQ(await_and_dispatch(), 1U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(readable());
    EXPECT_EQ(dispatch(), 0U);
  }
}

TEST_F(ReactorGuest, TellsALoopThatHearsOfItOnce) {
  ipc::Handle outer(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  ASSERT_EQ(::epoll_ctl(outer.get(), EPOLL_CTL_ADD, handle_, &event), 0);
  ASSERT_TRUE(reactor_->add(counter_, pair_.ours.handle(), Events::readable, Trigger::one_shot));
  const auto hears = [&](int timeout) { return ::epoll_wait(outer.get(), &event, 1, timeout) == 1; };
  const auto dispatch_all = [&] {
    do (void)dispatch();
    while (readable());
  };
  for (int i = 1; i <= 3; ++i) {
    pair_.poke();
    ASSERT_TRUE(hears(30'000));
    dispatch_all();
    EXPECT_EQ(calls_, i);
    ASSERT_TRUE(reactor_->rearm(*counter_));
  }
  reactor_->post([this] { ++calls_; });
  ASSERT_TRUE(hears(30'000));
  dispatch_all();
  EXPECT_EQ(calls_, 4);
  reactor_->schedule_after(milliseconds(1), [this] { ++calls_; });
  while (calls_ < 5) {
    ASSERT_TRUE(hears(30'000));
    dispatch_all();
  }
}

// Whenever something is published, before, during or after a dispatch, waiting for the handle is enough.
TEST_F(ReactorGuest, MissesNothingThatOtherThreadsPublish) {
  constexpr int kRounds = 20'000;
  std::atomic<int> seen{0};
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (i % 3 == 0) {
        reactor_->schedule_after(base::Duration::zero(), [&] { seen.fetch_add(1); });
      } else {
        reactor_->post([&] { seen.fetch_add(1); });
      }
      if (i % 7 == 0) {
        while (seen.load() <= i) std::this_thread::yield();  // the other loop has to wait again
      }
    }
  });
  while (seen.load() < kRounds) {
    if (!readable(Deadline::after(std::chrono::seconds(30)))) break;
    (void)dispatch();
  }
  EXPECT_EQ(seen.load(), kRounds);
  if (seen.load() < kRounds) std::abort();  // the other thread would wait for ever
  other.join();
}

}  // namespace
}  // namespace corbel::reactor
