// SPDX-License-Identifier: Apache-2.0
// Instances of template modules are modules like others.
#include <gtest/gtest.h>

#include <type_traits>

#include "templates_any.hpp"
#include "templates_server.hpp"

namespace {

TEST(GeneratedTemplates, AnInstanceHasTheTypesThatItWasGiven) {
  static_assert(std::is_same_v<Templates::OfThings::Bounded, IDL::bounded_vector<Templates::Thing, 3>>);
  static_assert(std::is_same_v<Templates::OfLongs::Bounded, IDL::bounded_vector<std::int32_t, 4>>);
  static_assert(Templates::OfThings::twice == 6 && Templates::OfLongs::twice == 8);
  static_assert(std::is_base_of_v<Templates::Base, Templates::OfBase::Sub>);
  static_assert(std::is_base_of_v<Templates::OfBase::Sub, Templates::OfKeepers::Keeper>);
  const Templates::OfThings::Node node(Templates::Thing(1, "one"), {});
  EXPECT_EQ(node.value().name(), "one");
  Templates::OfBase::Either either;
  either.one(Templates::Thing(2, "two"), Templates::Mood::bad);
  EXPECT_EQ(either.one().id(), 2);
  EXPECT_EQ(Templates::OfLongs::More(Templates::OfLongs::Node(7, {})).first().value(), 7);
}

TEST(GeneratedTemplates, RepositoryIdsAreThoseOfTheInstance) {
  EXPECT_EQ(Templates::OfThings::Store::_interface_id, "IDL:corbel.test/Templates/OfThings/Store:1.0");
  EXPECT_EQ(Templates::OfKeepers::_tc_Keeper->id(), "IDL:corbel.test/Templates/OfKeepers/Keeper:1.0");
  EXPECT_EQ(Templates::OfKeepers::Inner::_tc_Node->id(), "IDL:corbel.test/Templates/OfKeepers/Inner/Node:1.0");
}

TEST(GeneratedTemplates, ValuesOfInstancesGoThroughAnys) {
  CORBA::Any any;
  any <<= Templates::OfLongs::Node(7, {8, 9});
  Templates::OfLongs::Node node;
  ASSERT_TRUE(any >>= node);
  EXPECT_EQ(node.others(), (std::vector<std::int32_t>{8, 9}));
  Templates::OfThings::Node other;
  EXPECT_FALSE(any >>= other);
}

class Keeper : public virtual CORBA::servant_traits<Templates::OfKeepers::Keeper>::base_type {
 public:
  std::int32_t number() override { return 4; }
  Templates::Mood how(const Templates::Thing&) override { throw Templates::Angry(Templates::Mood::bad); }
  Templates::OfKeepers::Inner::Node last() override { return {}; }
};

TEST(GeneratedTemplates, InterfacesOfInstancesHaveServants) {
  auto keeper = CORBA::make_reference<Keeper>();
  EXPECT_EQ(keeper->number(), 4);
  EXPECT_THROW(keeper->how({}), Templates::Angry);
}

}  // namespace
