// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/cancellation.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace corbel::base {
namespace {

void count(void* what) noexcept {
  ++*static_cast<unsigned*>(what);
}

TEST(Cancellation, EndsWhatIsWaitedForOnceAndAllThatComes) {
  Cancellation cancellation;
  const Cancellation::Scope scope(cancellation);
  unsigned first = 0;
  unsigned second = 0;
  unsigned third = 0;
  const Cancellation::Wait one(&count, &first);
  std::optional<Cancellation::Wait> over(std::in_place, &count, &second);
  const Cancellation::Wait other(&count, &third);
  over.reset();
  EXPECT_FALSE(one.cancelled());
  cancellation.cancel();
  cancellation.cancel();
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(second, 0U) << "it was over";
  EXPECT_EQ(third, 1U);
  EXPECT_TRUE(one.cancelled());
  EXPECT_TRUE(Cancellation::Wait(&count, &second).cancelled());
  EXPECT_EQ(second, 0U) << "it is asked before it begins";
}

TEST(Cancellation, EndsNothingOutsideItsScope) {
  Cancellation cancellation;
  Cancellation inner;
  unsigned ended = 0;
  const Cancellation::Wait before(&count, &ended);
  const Cancellation::Scope scope(cancellation);
  {
    const Cancellation::Scope within(inner);
    const Cancellation::Wait other(&count, &ended);
    cancellation.cancel();
    EXPECT_FALSE(other.cancelled());
  }
  EXPECT_TRUE(Cancellation::Wait(&count, &ended).cancelled());
  EXPECT_FALSE(before.cancelled());
  EXPECT_EQ(ended, 0U);
}

}  // namespace
}  // namespace corbel::base
