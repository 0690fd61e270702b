// SPDX-License-Identifier: Apache-2.0
#include "suites/profile_shares.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

double whole(const std::vector<Share>& shares, std::optional<double> Share::*part) {
  double sum = 0;
  for (const Share& share : shares) sum += (share.*part).value_or(0);
  return sum;
}

TEST(Shares, AddUpToAHundred) {
  const auto shares = shares_of({{"copy", 600}, {"marshal", 300}, {"call", 97}, {"a", 2}, {"b", 1}}, 25, 75);
  ASSERT_EQ(shares.size(), 6U);
  EXPECT_EQ(shares[0].name, kSystem);
  EXPECT_DOUBLE_EQ(shares[0].of_time.value_or(0), 75);
  EXPECT_EQ(shares[1].name, "copy");
  EXPECT_DOUBLE_EQ(shares[1].of_instructions.value_or(0), 60);
  EXPECT_DOUBLE_EQ(shares[1].of_time.value_or(0), 15);
  for (const auto& some : {shares, gathered(shares, 1)}) {
    EXPECT_NEAR(whole(some, &Share::of_time), 100, 1e-9);
    EXPECT_NEAR(whole(some, &Share::of_instructions), 100, 1e-9);
    EXPECT_NEAR(whole(some, &Share::instructions), 1000, 1e-9);
  }
  EXPECT_EQ(gathered(shares, 1).back().name, "2 others");
}

TEST(Shares, SayNothingOfWhatIsNotKnown) {
  EXPECT_TRUE(shares_of({}, 0, 0).empty());
  const auto uncounted = shares_of({}, 1, 3);
  ASSERT_EQ(uncounted.size(), 2U);
  EXPECT_NEAR(whole(uncounted, &Share::of_time), 100, 1e-9);
  const auto untimed = shares_of({{"f", 5}}, 0, 0);
  ASSERT_EQ(untimed.size(), 1U);
  EXPECT_FALSE(untimed[0].of_time);
}

TEST(FunctionNames, AreShortened) {
  EXPECT_EQ(short_function("plain_flood"), "plain_flood");
  EXPECT_EQ(short_function("f'2"), "f");
  EXPECT_EQ(short_function("a::B<int, c::D<4> >::run(std::span<char const>, int) const"), "a::B::run");
  EXPECT_EQ(
      short_function(
          "a::Result<void> a::g::(anonymous namespace)::f<b::C<(unsigned char)2>, 3ul>(x const&) [clone .part.0]"),
      "a::g::(anonymous)::f");
  EXPECT_EQ(short_function("a::operator>>(a::S&, unsigned long)"), "a::operator>>");
  EXPECT_EQ(short_function("void a::F::operator()(int) const"), "a::F::operator()");
  EXPECT_EQ(short_function("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_function("(below main)"), "(below main)");
  for (const char* const odd : {"", "(", "<<<", "a::operator", "operator<", ">>)("}) {
    EXPECT_LE(short_function(odd).size(), std::string(odd).size());
  }
}

}  // namespace
}  // namespace bench
