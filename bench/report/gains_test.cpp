// SPDX-License-Identifier: Apache-2.0
#include "report/gains.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

Result calls(const char* orb, const char* protocol, const char* transport, const char* operation, double rate) {
  return {"cubit",
          {{"orb", orb},
           {"protocol", protocol},
           {"transport", transport},
           {"operation", operation},
           {"placement", "one cpu"}},
          "calls",
          "1/s",
          {rate, rate, rate, 1}};
}

TEST(CubitGains, AreOverAllOperationsThatBothHave) {
  const std::vector<Result> results = {
      calls("corbel", "giop", "tcp", "void", 100),      calls("corbel", "giop", "tcp", "octet", 200),
      calls("corbel", "giop", "unix", "void", 150),     calls("corbel", "giop", "unix", "octet", 240),
      calls("corbel", "giop_lite", "tcp", "void", 101), calls("corbel", "giop", "unix", "struct", 999),
      calls("omniORB", "giop", "unix", "void", 9999)};
  const auto gains = cubit_gains(results);
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_EQ(gains[0].what, "GIOP over local IPC instead of TCP");
  EXPECT_DOUBLE_EQ(gains[0].least, 20);
  EXPECT_DOUBLE_EQ(gains[0].most, 50);
  EXPECT_DOUBLE_EQ(gains[0].mean, 35);
  EXPECT_EQ(gains[1].what, "GIOPlite instead of GIOP, over TCP");
  EXPECT_NEAR(gains[1].mean, 1, 1e-9);
  const DataTable table = gains_table(results);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"GIOP over local IPC instead of TCP", "one cpu", "20.0", "50.0",
                                                     "35.0", "20.00", "50.00", ""}));
}

TEST(CubitGains, OfNothingAreNone) {
  EXPECT_TRUE(cubit_gains({}).empty());
  EXPECT_TRUE(gains_table({calls("corbel", "giop", "tcp", "void", 0)}).rows.empty());
}

}  // namespace
}  // namespace bench
