// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "corbel/orb/group_table.hpp"

namespace corbel::orb {
namespace {

ior::GroupIdentity group_of_number(std::uint64_t id) {
  return {{1, 0}, "domain", id, 0};
}

/// The body of a profile that names the group.
base::Bytes body_of(const ior::GroupIdentity& group) {
  return ior::encode_profile(ior::UipmcProfile{{1, 0}, "239.255.0.1", 4000, {ior::encode_group(group)}}).data;
}

TEST(GroupTable, HasAMemberOnceHoweverOftenItJoins) {
  GroupTable table;
  const auto group = group_of_number(7);
  for (int i = 0; i < 3; ++i) table.add(group, {1, 2});
  table.add(group, {3});
  EXPECT_EQ(*table.members(body_of(group)), (GroupTable::Keys{{1, 2}, {3}}));
  table.remove(group, {1, 2});
  EXPECT_EQ(*table.members(body_of(group)), (GroupTable::Keys{{3}})) << "and one leave is enough";
}

TEST(GroupTable, MembersOfOneGroupAreNotThoseOfAnother) {
  GroupTable table;
  table.add(group_of_number(1), {1});
  table.add(group_of_number(2), {2});
  table.remove(group_of_number(1), {2});
  EXPECT_EQ(*table.members(body_of(group_of_number(1))), (GroupTable::Keys{{1}}));
  EXPECT_EQ(*table.members(body_of(group_of_number(2))), (GroupTable::Keys{{2}}));
  EXPECT_EQ(table.members(body_of(group_of_number(3))), nullptr);
  EXPECT_EQ(table.members({}), nullptr) << "no profile";
}

TEST(GroupTable, WhoLooksKeepsWhatWasThere) {
  GroupTable table;
  const auto group = group_of_number(1);
  table.add(group, {1});
  const auto before = table.members(body_of(group));
  table.remove(group, {1});
  table.remove(group, {1});
  EXPECT_EQ(*before, (GroupTable::Keys{{1}}));
  EXPECT_EQ(table.members(body_of(group)), nullptr);
}

}  // namespace
}  // namespace corbel::orb
