// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"

#include <gtest/gtest.h>

#include <random>

namespace corbel::tool {
namespace {

constexpr const char* kText =
    "# HELP corbel_requests_total x\n"
    "corbel_requests_in_flight{side=\"server\"} 2\n"
    "corbel_requests_total{side=\"server\",operation=\"a\\\"b,{}\",outcome=\"ok\"} 7\n"
    "corbel_requests_total{side=\"server\",operation=\"a\\\"b,{}\",outcome=\"system_exception\"} 3\n"
    "corbel_request_seconds_bucket{side=\"server\",operation=\"a\\\"b,{}\",le=\"0.001\"} 4\n"
    "corbel_request_seconds_bucket{side=\"server\",operation=\"a\\\"b,{}\",le=\"0.01\"} 8\n"
    "corbel_request_seconds_bucket{side=\"server\",operation=\"a\\\"b,{}\",le=\"+Inf\"} 10\n"
    "corbel_request_seconds_sum{side=\"server\",operation=\"a\\\"b,{}\"} 0.5\n"
    "corbel_connections{protocol=\"giop\",accepted=\"true\"} 3\n"
    "corbel_connections{protocol=\"giop\",accepted=\"false\"} 1\n"
    "something_else 4\n"
    "process_start_time_seconds 100\n";

TEST(ExpositionTest, FiguresAreReadWithTheirLabels) {
  const Figures figures = read_figures(kText);
  EXPECT_EQ(figures.connections, 4U);
  EXPECT_EQ(figures.in_flight.at("server"), 2U);
  EXPECT_EQ(figures.start, 100);
  const auto& operation = figures.operations.at({"server", "a\"b,{}"});
  EXPECT_EQ(operation.ok, 7U);
  EXPECT_EQ(operation.errors, 3U);
  EXPECT_EQ(operation.seconds, 0.5);
  ASSERT_EQ(operation.buckets.size(), 3U);
  EXPECT_THROW(read_figures("go_goroutines 3\n"), std::runtime_error);
  EXPECT_THROW(read_figures(""), std::runtime_error);
}

TEST(ExpositionTest, QuantilesLieWithinTheirBucket) {
  const auto operation = read_figures(kText).operations.at({"server", "a\"b,{}"});
  EXPECT_NEAR(quantile(operation, 0.2), 0.0005, 1e-9);
  EXPECT_NEAR(quantile(operation, 0.6), 0.0055, 1e-9);
  EXPECT_EQ(quantile(operation, 0.99), 0.01);  // beyond the last bound nothing is known
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(ExpositionTest, DifferencesAreOfOneIntervalAndOfOneLife) {
  const auto now = read_figures(kText).operations.at({"server", "a\"b,{}"});
  Figures::Operation before = now;
  before.ok = 5;
  before.buckets[0].second = 3;
  before.buckets[1].second = 7;
  before.buckets[2].second = 8;
  const auto interval = difference(now, &before);
  EXPECT_EQ(interval.ok, 2U);
  EXPECT_EQ(interval.errors, 0U);
  EXPECT_EQ(interval.buckets[2].second, 2U);
  before.ok = 8;  // more than now: another process
  EXPECT_EQ(difference(now, &before).ok, 7U);
  EXPECT_EQ(difference(now, nullptr).ok, 7U);
}

TEST(ExpositionTest, NonsenseIsLeftOut) {
  std::mt19937 random(7);
  const std::string good = kText;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 6; ++k) bad[random() % bad.size()] = static_cast<char>(random() % 256);
    bad.resize(random() % (bad.size() + 1));
    try {
      for (const auto& [key, operation] : read_figures(bad).operations) (void)quantile(operation, 0.5);
    } catch (const std::runtime_error&) {  // nothing of Corbel's was left
    }
  }
}

}  // namespace
}  // namespace corbel::tool
