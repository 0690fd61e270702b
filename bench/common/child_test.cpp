// SPDX-License-Identifier: Apache-2.0
#include "common/child.hpp"

#include <gtest/gtest.h>

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
