// SPDX-License-Identifier: Apache-2.0
#include "report/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "report/published.hpp"

namespace bench {
namespace {

/// A stream result whose messages take `microseconds`.
Result stream(int octets, double microseconds, const std::string& orb = "raw") {
  const double rate = octets * 8 / microseconds;
  return {
      "ttcp",
      {{"orb", orb}, {"protocol", "none"}, {"transport", "tcp"}, {"type", "octet"}, {"buffer", std::to_string(octets)}},
      "throughput",
      "Mbit/s",
      {rate, rate, rate, 1}};
}

TEST(Regression, AgreesWithCertifiedValues) {
  // Data set Norris of the Statistical Reference Datasets of NIST.
  const Point points[] = {
      {0.2, 0.1},     {337.4, 338.8}, {118.2, 118.1}, {884.6, 888.0}, {10.1, 9.2},    {226.5, 228.1},
      {666.3, 668.5}, {996.3, 998.5}, {448.6, 449.1}, {777.0, 778.9}, {558.2, 559.2}, {0.4, 0.3},
      {0.6, 0.1},     {775.5, 778.1}, {666.9, 668.8}, {338.0, 339.3}, {447.5, 448.9}, {11.6, 10.8},
      {556.0, 557.7}, {228.1, 228.3}, {995.8, 998.0}, {887.6, 888.8}, {120.2, 119.6}, {0.3, 0.3},
      {0.3, 0.6},     {556.8, 557.6}, {339.1, 339.3}, {887.2, 888.0}, {999.0, 998.5}, {779.0, 778.9},
      {11.1, 10.2},   {118.3, 117.6}, {229.2, 228.9}, {669.1, 668.4}, {448.9, 449.2}, {0.5, 0.2}};
  const Line line = fit_line(points);
  EXPECT_NEAR(line.b0, -0.262323073774029, 1e-9);
  EXPECT_NEAR(line.b1, 1.00211681802045, 1e-12);
  EXPECT_NEAR(line.r_squared, 0.999993745883712, 1e-12);
  const double standard_error = 0.429796848199937e-3;
  EXPECT_NEAR((line.b1_range.high - line.b1_range.low) / 2, student_t95(34) * standard_error, 1e-12);
}

TEST(Regression, BoundsComeFromStudentsDistribution) {
  EXPECT_NEAR(student_t95(1), 6.314, 0.001);
  EXPECT_NEAR(student_t95(5), 2.015, 0.001);
  EXPECT_NEAR(student_t95(30), 1.697, 0.001);
  EXPECT_NEAR(student_t95(120), 1.658, 0.001);
  EXPECT_THROW(student_t95(0), std::invalid_argument);
}

TEST(Regression, RefusesWhatHasNoSlope) {
  const Point two[] = {{1, 1}, {2, 2}};
  const Point same[] = {{1, 1}, {1, 2}, {1, 3}};
  EXPECT_THROW(fit_line(two), std::invalid_argument);
  EXPECT_THROW(fit_line(same), std::invalid_argument);
}

TEST(Model, FindsTheParametersOfAPerfectNetwork) {
  // 10 us for each message and 0.08 us for each octet: 100 Mbit/s at best, half of that with 125 octets or more.
  std::vector<Result> results;
  for (int octets = 1024; octets <= 65536; octets *= 2) results.push_back(stream(octets, 10 + 0.08 * octets));
  const auto rows = network_parameters(results);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].r_max, 100, 1e-9);
  EXPECT_NEAR(rows[0].r_max_range.low, 100, 1e-6);
  EXPECT_NEAR(rows[0].line.b0, 10, 1e-9);
  EXPECT_NEAR(rows[0].line.r_squared, 1, 1e-12);
  EXPECT_TRUE(rows[0].n_half_at_most);
  EXPECT_GE(rows[0].n_half, 125);
  EXPECT_FALSE(rows[0].t_0);
}

TEST(Model, HalfPerformanceLengthLiesBetweenTheSizesAroundIt) {
  // 800 us a message: half of 100 Mbit/s with 10,000 octets.
  std::vector<Result> results;
  for (int octets = 1024; octets <= 65536; octets *= 2) results.push_back(stream(octets, 800 + 0.08 * octets));
  const auto rows = network_parameters(results);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].n_half_at_most);
  EXPECT_NEAR(rows[0].n_half, 10000, 1e-6);
}

TEST(Model, StartUpTimeIsTheVoidCallOfTheSameMechanism) {
  std::vector<Result> results;
  for (const std::string orb : {"raw", "corbel"}) {
    for (int octets = 1024; octets <= 8192; octets *= 2) results.push_back(stream(octets, octets, orb));
  }
  const auto latency = [](const char* orb, const char* placement, double us) {
    return Result{"latency",
                  {{"orb", orb}, {"protocol", "none"}, {"transport", "tcp"}, {"placement", placement}},
                  "latency_p50",
                  "us",
                  {us, us, us, 1}};
  };
  results.push_back(latency("raw", "two cpus", 30));
  results.push_back(latency("raw", "one cpu", 20));
  const auto rows = network_parameters(results);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].t_0, 30);
  EXPECT_EQ(rows[1].t_0, std::nullopt);
}

TEST(Model, StartUpTimeOfSocketsIsARoundTripOverUdp) {
  std::vector<Result> results;
  for (const std::string orb : {"raw", "corbel"}) {
    for (int octets = 1024; octets <= 8192; octets *= 2) results.push_back(stream(octets, octets, orb));
  }
  for (const char* const orb : {"raw", "corbel"}) {
    for (const auto& [transport, payload, us] :
         {std::tuple("tcp", "0", 30.0), {"udp", "0", 25.0}, {"udp", "8", 20.0}}) {
      results.push_back({"networks",
                         {{"orb", orb}, {"protocol", "none"}, {"transport", transport}, {"payload", payload}},
                         "latency_p50",
                         "us",
                         {us, us, us, 1}});
    }
  }
  const auto rows = network_parameters(results);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].t_0, 20) << "8 octets over udp, as NAS-96-006 has it";
  EXPECT_EQ(rows[1].t_0, 30) << "an ORB's void call goes over what its stream went over";
}

TEST(Model, LeavesOutWhatCannotBeFitted) {
  EXPECT_TRUE(network_parameters({stream(1, 1), stream(1024, 1), stream(2048, 2)}).empty());
  std::vector<Case> unfit;
  EXPECT_TRUE(network_parameters({stream(1024, 3), stream(2048, 2), stream(4096, 1)}, &unfit).empty());
  EXPECT_EQ(unfit.size(), 1U) << "what has no line is told";
}

/// The report of 1996 says how wide its intervals are and how well its lines fit; one follows from the other.
TEST(Model, AgreesWithThePublishedIntervals) {
  struct Row {
    std::size_t place;  // in kNasaParameters
    std::size_t sizes;  // from 1 KiB on; the greatest messages were left out where throughput fell
  };
  for (const auto& [place, sizes] : {Row{5, 7}, Row{6, 6}, Row{7, 7}, Row{9, 7}, Row{10, 7}}) {
    const PublishedParameters& row = kNasaParameters[place];
    const double half = (1 / row.low - 1 / row.high) / 2;
    EXPECT_NEAR(1 / ((1 / row.low + 1 / row.high) / 2), row.r_max, 0.1) << row.mechanism << row.network;
    const double t = student_t95(sizes - 2) / (half * row.r_max);
    EXPECT_NEAR(t * t / (t * t + static_cast<double>(sizes - 2)), row.r_squared, 0.001) << row.mechanism << row.network;
  }
}

}  // namespace
}  // namespace bench
