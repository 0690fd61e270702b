// SPDX-License-Identifier: Apache-2.0
#include "common/child.hpp"
#include "common/progress.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace bench {
namespace {

constexpr std::chrono::seconds kSoon(10);

TEST(Child, TalksThroughItsStandardStreams) {
  Child child({"cat"});
  child.write_line("one");
  child.write_line("two");
  EXPECT_EQ(child.read_line(kSoon), "one");
  EXPECT_EQ(child.read_line(kSoon), "two");
  child.end(kSoon);
}

TEST(Child, EndIsNoticed) {
  Child child({"true"});
  EXPECT_THROW(child.read_line(kSoon), std::runtime_error);
}

TEST(Child, SilenceIsNotAwaitedForever) {
  Child child({"cat"});
  EXPECT_THROW(child.read_line(std::chrono::seconds(0)), std::runtime_error);
}

TEST(ChildDeathTest, IsNotAwaitedBeyondTheTimeOfTheRun) {
  EXPECT_EXIT(
      {
        limit_time(std::chrono::seconds(0), std::chrono::seconds(0));
        Child child({"cat"});
        try {
          child.read_line(std::chrono::hours(1));
        } catch (const OutOfTime& end) {
          std::_Exit(std::string(end.what()).find("waiting for cat") != std::string::npos ? 7 : 1);
        }
      },
      testing::ExitedWithCode(7), "");
}

TEST(Child, HasItsEnvironment) {
  Child child({"sh", "-c", "echo $CORBEL_BENCH_TEST"}, {.environment = {"CORBEL_BENCH_TEST=yes"}});
  EXPECT_EQ(child.read_line(kSoon), "yes");
}

TEST(Child, MissingProgramEnds) {
  Child child({"corbel-no-such-program"});
  EXPECT_THROW(child.read_line(kSoon), std::runtime_error);
}

TEST(Programs, AreFoundOnThePath) {
  EXPECT_TRUE(program_exists("sh"));
  EXPECT_FALSE(program_exists("corbel-no-such-program"));
  EXPECT_EQ(output_of({"echo", "a b"}, kSoon), "a b\n");
  EXPECT_EQ(output_of({"corbel-no-such-program"}, kSoon), "");
}

}  // namespace
}  // namespace bench
