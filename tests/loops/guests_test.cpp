// SPDX-License-Identifier: Apache-2.0
// Handles, timers and functions of the application in the ORB's own loop, on its threads or on that of its host.
#include <fcntl.h>
#include <unistd.h>

#include <latch>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/ipc/fifo.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/handle_watch.hpp"
#include "corbel/orb/timer.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::HandleWatch;
using orb::Timer;
using reactor::Events;
using std::chrono::hours;
using std::chrono::milliseconds;

/// Octets in a pipe.
struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
  }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void put() { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  bool take() {
    char octet = 0;
    return ::read(ends[0], &octet, 1) == 1;
  }
  int handle() const { return ends[0]; }

  int ends[2];
};

/// The ORB's threads, or the one of a loop.
class Guests : public ::testing::TestWithParam<const char*> {
 protected:
  Guests() : orb_(make_orb("host", {"-ORBConcurrency", GetParam()})) {
    if (single()) runner_ = std::thread([orb = orb_] { run(*orb); });
  }
  ~Guests() override { end(); }
  void end() {
    if (orb_ != nullptr) orb_->shutdown(true);
    if (runner_.joinable()) runner_.join();
    if (orb_ != nullptr) orb_->destroy();
    orb_ = nullptr;
  }
  static void run(CORBA::ORB& orb) try {
    orb.run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the test was over before it began
  }
  static bool single() { return std::string(GetParam()) == "single"; }
  /// Waits until it is so.
  template <class Condition>
  static void await(const Condition& is_so) {
    const auto deadline = Deadline::after(kPatience);
    while (!is_so()) {
      if (deadline.expired()) FAIL() << "it did not come about";
      std::this_thread::yield();
    }
  }
  /// Until the ORB has run whatever was ready before.
  void pass() {
    std::atomic<bool> passed{false};
    orb::post(*orb_, [&] { passed = true; });
    await([&] { return passed.load(); });
  }

  OrbRef orb_;
  std::thread runner_;
  Pipe pipe_;
  std::atomic<int> calls_{0};
};

TEST_P(Guests, AHandleIsWatchedAsLongAsItIsReady) {
  HandleWatch watch(*orb_, pipe_.handle(), Events::readable, [&](Events events) {
    EXPECT_TRUE(any(events, Events::readable));
    if (pipe_.take()) ++calls_;  // one octet a time
  });
  pass();
  EXPECT_EQ(calls_, 0);
  for (int i = 0; i < 50; ++i) pipe_.put();
  await([&] { return calls_ == 50; });
}

TEST_P(Guests, OneCallAtATime) {
  std::atomic<int> inside{0}, most{0};
  HandleWatch watch(*orb_, pipe_.handle(), Events::readable, [&](Events) {
    most = std::max(most.load(), ++inside);
    std::this_thread::yield();
    --inside;
    if (++calls_ >= 50) (void)pipe_.take();
  });
  pipe_.put();
  await([&] { return calls_ >= 50; });
  EXPECT_EQ(most, 1);
}

TEST_P(Guests, AWatchEndsItselfInItsCallBack) {
  auto held = std::make_shared<int>(1);
  HandleWatch watch;
  std::atomic<bool> made{false};
  watch = HandleWatch(*orb_, pipe_.handle(), Events::readable, [&, held](Events) {
    while (!made) std::this_thread::yield();
    ++calls_;
    watch.end();
    ++calls_;
  });
  const std::weak_ptr<int> kept = std::exchange(held, nullptr);
  made = true;
  pipe_.put();
  await([&] { return calls_ == 2; });
  await([&] { return kept.expired(); });  // what it held goes when it has returned
  pass();
  EXPECT_EQ(calls_, 2);
  // The handle may be watched anew.
  HandleWatch again(*orb_, pipe_.handle(), Events::readable, [&](Events) {
    if (pipe_.take()) ++calls_;
  });
  await([&] { return calls_ == 3; });
}

TEST_P(Guests, TheEndOfAWatchWaitsForItsCallBack) {
  std::latch began(1);
  std::atomic<bool> may_go{false}, returned{false};
  auto held = std::make_shared<int>(1);
  HandleWatch watch(*orb_, pipe_.handle(), Events::readable, [&, held](Events) {
    if (calls_++ == 0) began.count_down();
    returned = false;
    while (!may_go) std::this_thread::yield();
    returned = true;
  });
  const std::weak_ptr<int> kept = std::exchange(held, nullptr);
  pipe_.put();
  began.wait();
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    may_go = true;
  });
  watch.end();
  EXPECT_TRUE(returned);
  EXPECT_TRUE(kept.expired());
  const int so_far = calls_;
  other.join();
  pass();
  EXPECT_EQ(calls_, so_far);
}

TEST_P(Guests, WhatAWatchWaitsForChanges) {
  HandleWatch watch(*orb_, pipe_.handle(), Events::none, [&](Events) {
    watch.change(Events::none);
    ++calls_;
  });
  pipe_.put();
  pass();
  EXPECT_EQ(calls_, 0);
  watch.change(Events::readable);
  await([&] { return calls_ == 1; });
  pass();
  EXPECT_EQ(calls_, 1);
  watch.change(Events::readable);
  await([&] { return calls_ == 2; });
}

TEST_P(Guests, WatchesComeAndGoWhileTheyAreCalled) {
  for (int i = 0; i < 100; ++i) {
    HandleWatch watch(*orb_, pipe_.handle(), Events::readable, [&](Events) { ++calls_; });
    if (i == 0) pipe_.put();
    if (i % 3 == 0) await([&, before = calls_.load()] { return calls_ > before; });
    HandleWatch moved = std::move(watch);
    if (i % 2 == 0) moved = {};
  }
}

TEST_P(Guests, ATimerRunsOnceOrAgainAndAgain) {
  std::atomic<int> ticks{0};
  Timer once(*orb_, milliseconds(1), {}, [&] { ++calls_; });
  Timer tick(*orb_, milliseconds(0), milliseconds(1), [&] { ++ticks; });
  Timer never(*orb_, hours(1), hours(1), [&] { ADD_FAILURE(); });
  await([&] { return ticks >= 10 && calls_ == 1; });
  tick.end();
  const int so_far = ticks;
  pass();
  EXPECT_EQ(ticks, so_far);
  EXPECT_EQ(calls_, 1);
}

TEST_P(Guests, ATimerOfTimeWithoutEndHasNone) {
  constexpr auto kEver = std::chrono::nanoseconds::max();
  Timer never(*orb_, kEver, kEver, [&] { ADD_FAILURE(); });
  Timer once(*orb_, milliseconds(0), kEver, [&] { ++calls_; });
  Timer at_once(*orb_, std::chrono::nanoseconds::min(), kEver, [&] { ++calls_; });
  await([&] { return calls_ == 2; });
  pass();
  EXPECT_EQ(calls_, 2);
}

TEST_P(Guests, ATimerEndsItselfInItsCallBack) {
  auto held = std::make_shared<int>(1);
  std::atomic<bool> made{false};
  Timer timer;
  timer = Timer(*orb_, milliseconds(0), hours(1), [&, held] {
    while (!made) std::this_thread::yield();
    timer.end();
    ++calls_;
  });
  const std::weak_ptr<int> kept = std::exchange(held, nullptr);
  made = true;
  await([&] { return calls_ == 1; });
  await([&] { return kept.expired(); });
}

TEST_P(Guests, TheEndOfATimerWaitsForItsCallBack) {
  std::latch began(1);
  std::atomic<bool> may_go{false}, returned{false};
  Timer timer(*orb_, milliseconds(0), milliseconds(1), [&] {
    if (calls_++ == 0) began.count_down();
    returned = false;
    while (!may_go) std::this_thread::yield();
    returned = true;
  });
  began.wait();
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    may_go = true;
  });
  timer.end();
  EXPECT_TRUE(returned);
  const int so_far = calls_;
  other.join();
  pass();
  EXPECT_EQ(calls_, so_far);
}

TEST_P(Guests, FunctionsArePosted) {
  std::mutex mutex;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    orb::post(*orb_, [&, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
      ++calls_;
    });
  }
  await([&] { return calls_ == 100; });
  EXPECT_TRUE(!single() || std::is_sorted(order.begin(), order.end()));
}

TEST_P(Guests, TheyMayCallObjects) {
  Party host(orb_);
  Party peer(make_orb("peer"));
  const auto object = host.see(peer);
  Timer timer(*orb_, milliseconds(0), milliseconds(1), [&] {
    if (calls_ < 5 && object->echo(calls_) == calls_) ++calls_;
  });
  await([&] { return calls_ == 5; });
  EXPECT_EQ(peer.see(host)->echo(8), 8) << "and others are served";
  timer.end();
  peer.orb->destroy();
  end();
}

TEST_P(Guests, WhatCannotBeCalledOrWatchedIsRefused) {
  const auto nothing = [](Events) {};
  const auto refused = [&](const auto& act) { return minor_of<CORBA::BAD_PARAM>(act) == kBadArgument; };
  EXPECT_TRUE(refused([&] { HandleWatch watch(*orb_, pipe_.handle(), Events::readable, nullptr); }));
  EXPECT_TRUE(refused([&] { Timer timer(*orb_, {}, {}, nullptr); }));
  EXPECT_TRUE(refused([&] { orb::post(*orb_, nullptr); }));
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(refused([&] { HandleWatch watch(*orb_, file, Events::readable, nothing); })) << "a file is always ready";
  ::close(file);
  HandleWatch first(*orb_, pipe_.handle(), Events::readable, nothing);
  EXPECT_TRUE(refused([&] { HandleWatch second(*orb_, pipe_.handle(), Events::readable, nothing); }));
}

TEST_P(Guests, AfterTheEndNothingIsCalledAndNothingBegins) {
  HandleWatch watch(*orb_, pipe_.handle(), Events::readable, [&](Events) { ++calls_; });
  Timer timer(*orb_, milliseconds(0), milliseconds(1), [&] { ++calls_; });
  await([&] { return calls_ >= 1; });
  const OrbRef orb = orb_;
  end();
  const int so_far = calls_;
  pipe_.put();
  EXPECT_EQ(calls_, so_far);
  watch.change(Events::readable);
  timer.end();
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { orb::post(*orb, [] {}); }), corba::minor::kAdapterGone);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { Timer late(*orb, {}, {}, [] {}); }), corba::minor::kAdapterGone);
  EXPECT_EQ(calls_, so_far);
}  // the watch goes after its ORB

INSTANTIATE_TEST_SUITE_P(Modes, Guests, testing::Values("adaptive", "pool", "single"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST(GuestsOfGuests, WhatTheyThrowIsLogged) {
  orb::Components components = builtins::components();
  const auto log = std::make_shared<base::KeptLog>();
  components.log_sink = log;
  int argc = 1;
  char name[] = "throws";
  char* argv[] = {name, nullptr};
  auto orb = CORBA::ORB_init(argc, argv, "throws", components);
  orb::post(*orb, [] { throw std::runtime_error("a mistake"); });
  EXPECT_EQ(log->wait_for("a call-back of the application threw").value("what"), "a mistake");
  std::atomic<int> calls{0};
  Timer timer(*orb, {}, milliseconds(1), [&] {
    ++calls;
    throw 7;
  });
  while (calls < 3) std::this_thread::yield();  // it goes on
  orb->destroy();
}

// In the loop of an application both kinds of guests meet.
TEST(GuestsOfGuests, AreServedByTheLoopOfTheHost) {
  Party guest(make_guest("guest"));
  Party peer(make_orb("peer"));
  orb::WorkHandle work(*guest.orb);
  Pipe pipe;
  int ticks = 0, octets = 0, elsewhere = 0;
  const auto here = std::this_thread::get_id();
  HandleWatch watch(*guest.orb, pipe.handle(), Events::readable, [&](Events) {
    octets += pipe.take();
    elsewhere += std::this_thread::get_id() != here;
  });
  Timer tick(*guest.orb, milliseconds(1), milliseconds(1), [&] {
    if (++ticks <= 5) pipe.put();
    elsewhere += std::this_thread::get_id() != here;
  });
  auto call = std::async(std::launch::async, [object = peer.see(guest)] { return object->echo(3); });
  loop_until(work, [&] { return ticks >= 5 && octets == 5 && guest.servant->served() == 1; });
  EXPECT_EQ(call.get(), 3);
  EXPECT_EQ(elsewhere, 0);
  tick.end();
  watch.end();
  settle(work);
  EXPECT_FALSE(readable(work));
  peer.orb->destroy();
  guest.orb->destroy();
}

}  // namespace
}  // namespace corbel::loops_test
