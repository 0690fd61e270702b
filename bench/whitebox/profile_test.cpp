// SPDX-License-Identifier: Apache-2.0
#include "whitebox/profile.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/temporary.hpp"

namespace bench {
namespace {

class Profile : public testing::Test {
 protected:
  /// Calls that begin every 1,000 ticks (1 us), spend 600 in "stub" and the rest, in two visits, in "send".
  Profile() {
    std::ofstream file(path());
    file << "ticks_per_second 1000000000\nthread\n5 send\nthread\n";
    for (int i = 0; i < 10; ++i) file << i * 30 << " calibration\n";
    for (int call = 1; call <= 40; ++call) {
      file << call * 1000 << " stub\n" << call * 1000 + 600 << " send\n" << call * 1000 + 700 << " send\n";
    }
  }
  std::string path() const { return folder_.path() + "/client"; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Profile, SaysWhatACallSpendsInEachLayer) {
  const auto times = read_profile(path(), "stub", 0);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].layer, "stub");
  EXPECT_NEAR(times[0].microseconds, 0.6, 1e-9);
  EXPECT_EQ(times[1].layer, "send");
  EXPECT_NEAR(times[1].microseconds, 0.4, 1e-9);
}

TEST_F(Profile, TakesTheCostOfProbesOffEachVisit) {
  EXPECT_NEAR(probe_cost(path()), 0.03, 1e-9);
  const auto times = read_profile(path(), "stub", 0.03);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0].microseconds, 0.57, 1e-9);
  EXPECT_NEAR(times[1].microseconds, 0.34, 1e-9);
}

TEST(ProfileOfNothing, IsEmpty) {
  EXPECT_TRUE(read_profile("/nowhere/at/all", "stub", 0).empty());
  EXPECT_EQ(probe_cost("/nowhere/at/all"), 0);
}

}  // namespace
}  // namespace bench
