// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/deadline.hpp"

#include <gtest/gtest.h>

namespace corbel::base {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecond = 1'000'000'000;

static_assert(nanoseconds_of(-2h) == -7200 * kSecond && nanoseconds_of(3us) == 3000 && nanoseconds_of(5ns) == 5);
static_assert(WholeNanoseconds<Duration> && WholeNanoseconds<std::chrono::years>);
static_assert(!WholeNanoseconds<std::chrono::duration<double>> && !WholeNanoseconds<int>);
static_assert(!WholeNanoseconds<std::chrono::duration<std::int64_t, std::pico>>);

TEST(Deadline, ThatIsNoneNeverExpiresAndThatIsNowHas) {
  EXPECT_TRUE(Deadline::none().is_none());
  EXPECT_FALSE(Deadline::none().is_now());
  EXPECT_FALSE(Deadline::none().expired());
  EXPECT_EQ(Deadline::none().remaining(), Duration::max());
  EXPECT_TRUE(Deadline::now().is_now());
  EXPECT_FALSE(Deadline::now().is_none());
  EXPECT_TRUE(Deadline::now().expired());
  EXPECT_EQ(Deadline::now().remaining(), Duration::zero());
}

TEST(Deadline, AfterNothingOrLessIsNowAndAfterACenturyIsNone) {
  EXPECT_EQ(Deadline::after(0ns), Deadline::now());
  EXPECT_EQ(Deadline::after(-1ns), Deadline::now());
  EXPECT_EQ(Deadline::after(Duration::min()), Deadline::now());
  constexpr Duration kCentury = std::chrono::hours(24) * 365 * 100;
  EXPECT_EQ(Deadline::after(kCentury), Deadline::none());
  EXPECT_EQ(Deadline::after(Duration::max()), Deadline::none());
  const Deadline nearly = Deadline::after(kCentury - 1h);
  EXPECT_FALSE(nearly.is_none());
  EXPECT_GT(nearly.remaining(), kCentury - 2h);
}

TEST(Deadline, ExpiresWhenItsTimeHasCome) {
  const std::int64_t now = Deadline::clock_now();
  EXPECT_TRUE(Deadline::after(1ns, now - 1).expired());
  EXPECT_TRUE(Deadline::after(1s, now - 2 * kSecond).expired());
  EXPECT_EQ(Deadline::after(1s, now - 2 * kSecond).remaining(), Duration::zero());
  const Deadline far = Deadline::after(1h);
  EXPECT_FALSE(far.expired());
  EXPECT_LE(far.remaining(), Duration(1h));
  EXPECT_GT(far.remaining(), Duration(59min));
}

TEST(Deadline, OfUsersIsNeverEarly) {
  for (const auto wait : {500us, 1000us, 3000us, 7000us}) {
    for (int i = 0; i < 20; ++i) {
      const auto begun = std::chrono::steady_clock::now();
      const Deadline deadline = Deadline::no_sooner_than(wait);
      while (!deadline.expired()) {
      }
      EXPECT_GE(std::chrono::steady_clock::now() - begun, wait);
    }
  }
  const Deadline far = Deadline::no_sooner_than(1h, Deadline::clock_now());
  EXPECT_GT(far.remaining(), Duration(1h));
  EXPECT_LT(far.remaining(), Duration(1h + 1s));
  EXPECT_EQ(Deadline::no_sooner_than(0ns), Deadline::now());
  EXPECT_EQ(Deadline::no_sooner_than(Duration::max()), Deadline::none());
}

TEST(Deadline, PollsNoShorterThanIsLeft) {
  EXPECT_EQ(Deadline::none().poll_timeout(), -1);
  EXPECT_EQ(Deadline::now().poll_timeout(), 0);
  EXPECT_EQ(Deadline::after(1s, Deadline::clock_now() - 2 * kSecond).poll_timeout(), 0);
  const Deadline soon = Deadline::after(1h + 1ns);
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(soon.remaining()).count() + 1;
  const int waits = soon.poll_timeout();
  EXPECT_LE(waits, longest);
  EXPECT_GE(Duration(std::chrono::milliseconds(waits)), soon.remaining());
  EXPECT_EQ(Deadline::after(std::chrono::hours(24) * 365).poll_timeout(), std::numeric_limits<int>::max())
      << "more milliseconds than an int has";
}

TEST(Deadline, TheEarlierOfTwoIsTheOneThatExpiresFirst) {
  const Deadline soon = Deadline::after(1min);
  const Deadline late = Deadline::after(1h);
  for (const Deadline found : {earlier(soon, late), earlier(late, soon), earlier(soon, Deadline::none())}) {
    EXPECT_EQ(found, soon);
  }
  EXPECT_EQ(earlier(Deadline::now(), soon), Deadline::now());
  EXPECT_EQ(earlier(Deadline::none(), Deadline::none()), Deadline::none());
}

}  // namespace
}  // namespace corbel::base
