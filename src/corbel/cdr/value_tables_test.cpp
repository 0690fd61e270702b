// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/value_tables.hpp"

#include <gtest/gtest.h>

namespace corbel::cdr {
namespace {

TEST(ByPosition, FindsWhatCameInAnyOrder) {
  ByPosition<int> all;
  EXPECT_EQ(all.find(0), nullptr);
  for (const std::size_t position : {8U, 24U, 16U, 4U, 40U}) all.insert_or_assign(position, static_cast<int>(position));
  for (const std::size_t position : {4U, 8U, 16U, 24U, 40U}) {
    ASSERT_NE(all.find(position), nullptr) << position;
    EXPECT_EQ(*all.find(position), static_cast<int>(position));
  }
  for (const std::size_t position : {0U, 5U, 39U, 41U}) EXPECT_EQ(all.find(position), nullptr) << position;
  all.insert_or_assign(16, 7);
  EXPECT_EQ(*all.find(16), 7);
  all.insert_or_assign(40, 8);
  EXPECT_EQ(*all.find(40), 8);
}

}  // namespace
}  // namespace corbel::cdr
