// SPDX-License-Identifier: Apache-2.0
// Gates know who is inside, however their threads say so.
#include "corbel/poa/gate.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace corbel::poa::testing {
namespace {

/// Closes it, and counts who is inside.
std::uint32_t closed(Gate& gate) {
  std::uint32_t inside = gate.close();
  orb::Presences::take_over([&](const void* place) {
    inside += place == &gate ? 1 : 0;
    return place == &gate;
  });
  return inside;
}

TEST(Gate, LetsInWithItsTicketOnly) {
  Gate gate;
  EXPECT_FALSE(gate.enter(1));
  gate.open(1);
  EXPECT_EQ(gate.ticket(), 1U);
  const Gate::Pass first = gate.enter(1);
  const Gate::Pass second = gate.enter(1);
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(gate.enter(2));
  EXPECT_TRUE(gate.leave(1, second));
  EXPECT_EQ(closed(gate), 1U);
  EXPECT_EQ(gate.ticket(), 0U);
  EXPECT_FALSE(gate.enter(1));
  EXPECT_FALSE(gate.leave(1, first));
}

TEST(Gate, ThatIsOpenAgainDoesNotKnowThoseWhoEnteredBefore) {
  Gate gate;
  gate.open(1);
  const Gate::Pass before = gate.enter(1);
  EXPECT_TRUE(before);
  EXPECT_EQ(closed(gate), 1U);
  gate.open(2);
  EXPECT_FALSE(gate.enter(1));
  const Gate::Pass now = gate.enter(2);
  EXPECT_TRUE(now);
  EXPECT_TRUE(gate.leave(2, now));
  EXPECT_FALSE(gate.leave(1, before));
  EXPECT_EQ(closed(gate), 0U);
}

TEST(Gate, CountsWhomItCannotNote) {
  constexpr std::size_t kMore = 40;  // than a thread has notes
  Gate gate;
  gate.open(1);
  std::vector<Gate::Pass> inside;
  for (std::size_t i = 0; i < kMore; ++i) inside.push_back(gate.enter(1));
  for (; inside.size() > kMore / 2; inside.pop_back()) EXPECT_TRUE(gate.leave(1, inside.back()));
  for (; inside.size() < kMore; inside.push_back(gate.enter(1))) {
  }
  EXPECT_EQ(closed(gate), kMore);
  for (; !inside.empty(); inside.pop_back()) EXPECT_FALSE(gate.leave(1, inside.back()));
  gate.open(2);
  EXPECT_EQ(closed(gate), 0U);
}

TEST(Gate, SeesThoseInsideInThreadsThatHaveEndedAndBegun) {
  Gate gate;
  gate.open(1);
  std::thread([&] { EXPECT_TRUE(gate.leave(1, gate.enter(1))); }).join();
  std::promise<void> inside, go_on;
  std::thread other([&] {
    const Gate::Pass pass = gate.enter(1);
    inside.set_value();
    go_on.get_future().wait();
    EXPECT_FALSE(gate.leave(1, pass));
  });
  inside.get_future().wait();
  EXPECT_EQ(closed(gate), 1U);
  go_on.set_value();
  other.join();
}

TEST(Gate, WorksInTheChildOfAFork) {
  Gate gate;
  gate.open(1);
  const Gate::Pass own = gate.enter(1);
  std::promise<void> inside, go_on;
  std::thread other([&] {
    const Gate::Pass pass = gate.enter(1);
    inside.set_value();
    go_on.get_future().wait();
    EXPECT_TRUE(gate.leave(1, pass));
  });
  inside.get_future().wait();
  const pid_t child = ::fork();
  if (child == 0) {  // without the other thread
    bool right = closed(gate) >= 1 && !gate.leave(1, own);
    gate.open(2);
    const Gate::Pass pass = gate.enter(2);
    right = right && pass && gate.leave(2, pass) && closed(gate) == 0;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  go_on.set_value();
  other.join();
  EXPECT_TRUE(gate.leave(1, own));
}

Gate g_late;

/// Enters and leaves the gate: at the very end of a thread, when its own values have ended.
[[maybe_unused]] void* enters_at_the_end(void* key) {
  EXPECT_EQ(::pthread_setspecific(*static_cast<pthread_key_t*>(key), &g_late), 0);
  return nullptr;
}

[[maybe_unused]] void* enters_before_too(void* key) {
  EXPECT_TRUE(g_late.leave(1, g_late.enter(1)));
  return enters_at_the_end(key);
}

TEST(Gate, OutlivesThreadsThatEnterWhileTheyEnd) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "glibc never gives back what it notes for values that a thread makes so late";
#else
  pthread_key_t key{};
  ASSERT_EQ(::pthread_key_create(
                &key, [](void* gate) { (void)static_cast<Gate*>(gate)->leave(1, static_cast<Gate*>(gate)->enter(1)); }),
            0);
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&attributes, std::size_t{64} << 20), 0);  // which is unmapped at once
  for (std::uint64_t round = 0; round < 4; ++round) {
    g_late.open(1);
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(&thread, &attributes, round % 2 == 0 ? &enters_at_the_end : &enters_before_too, &key),
              0);
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
    EXPECT_EQ(closed(g_late), 0U);
  }
  EXPECT_EQ(::pthread_attr_destroy(&attributes), 0);
  EXPECT_EQ(::pthread_key_delete(key), 0);
#endif
}

/// Whoever is not counted has left, whenever the gate is closed: what it guards is nobody's then.
TEST(Gate, NeverLosesAnybodyWhoIsInside) {
  Gate gate;
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<bool> over{false};
  std::atomic<std::uint32_t> left_late{0};
  int guarded = 0;  // written by whoever is inside, one at a time
  std::thread caller([&] {
    while (!over) {
      const std::uint64_t shown = ticket.load();
      if (shown == 0) continue;  // the closed gate's
      const Gate::Pass pass = gate.enter(shown);
      if (pass) ++guarded;
      if (pass ? !gate.leave(shown, pass) : pass.was_counted()) left_late.fetch_add(1, std::memory_order_release);
    }
  });
  std::uint32_t taken_over = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    gate.open(i);
    ticket = i;
    for (int k = 0; k < 2 && i % 3 != 0; ++k) std::this_thread::yield();
    taken_over += closed(gate);
    while (left_late.load(std::memory_order_acquire) != taken_over) std::this_thread::yield();
    ++guarded;
  }
  over = true;
  caller.join();
  EXPECT_GE(guarded, 200);
}

}  // namespace
}  // namespace corbel::poa::testing
