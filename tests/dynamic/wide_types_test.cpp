// SPDX-License-Identifier: Apache-2.0
// DynAnys of types with very many members: what looking at them costs.
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "orb_support.hpp"
#include "support/allocations.hpp"

namespace corbel::dynamic {
namespace {

class WideDynAnys : public WithOrb {
 protected:
  template <class D = DynamicAny::DynAny>
  CORBA::object_reference<D> made(const CORBA::typecode_reference& type) {
    return IDL::traits<D>::narrow(factory_->create_dyn_any_from_type_code(type));
  }
  template <class T>
  static CORBA::Any any_of(const T& value) {
    CORBA::Any any;
    any <<= value;
    return any;
  }
  /// Of octets, which may be labelled up to `cases` without the gap.
  static CORBA::TypeCodeFactory::UnionMemberSeq many_cases(std::int32_t cases, std::int32_t gap) {
    CORBA::TypeCodeFactory::UnionMemberSeq members = {{"other", any_of(std::uint8_t{0}), CORBA::_tc_octet}};
    for (std::int32_t label = -2; label < cases; ++label) {
      if (label != gap) members.push_back({"m" + std::to_string(label + 2), any_of(label), CORBA::_tc_octet});
    }
    return members;
  }

  CORBA::object_reference<DynamicAny::DynAnyFactory> factory_ = initial<DynamicAny::DynAnyFactory>("DynAnyFactory");
  CORBA::object_reference<CORBA::TypeCodeFactory> types_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST_F(WideDynAnys, OfStructsTellTheirMembersOneByOneWithoutListingAllEachTime) {
  constexpr std::int32_t kMembers = 2000;
  CORBA::TypeCodeFactory::StructMemberSeq members;
  for (std::int32_t i = 0; i < kMembers; ++i) members.push_back({"m" + std::to_string(i), CORBA::_tc_octet});
  const auto dyn = made<DynamicAny::DynStruct>(types_->create_struct_tc("IDL:Wide:1.0", "Wide", members));
  ASSERT_EQ(dyn->component_count(), static_cast<std::uint32_t>(kMembers));
  const std::size_t before = test::allocated_octets();
  std::int32_t member = 0;
  do {
    ASSERT_EQ(dyn->current_member_name(), "m" + std::to_string(member++));
    ASSERT_EQ(dyn->current_member_kind(), CORBA::TCKind::tk_octet);
  } while (dyn->next());
  EXPECT_EQ(member, kMembers);
  EXPECT_LT(test::allocated_octets() - before, 1000U * kMembers);  // listing all would take twice 8 * kMembers for each
}

TEST_F(WideDynAnys, OfManyUnionsLookForTheirUnusedLabelWithoutSortingAllEachTime) {
  constexpr std::int32_t kCases = 2000;
  constexpr std::uint32_t kUnions = 1000;
  const auto wide = types_->create_union_tc("IDL:Wide:1.0", "Wide", CORBA::_tc_long, many_cases(kCases, 700));
  const auto array = types_->create_array_tc(kUnions, wide);
  const std::size_t before = test::allocated_octets();
  const auto dyn = made(array);
  EXPECT_LT(test::allocated_octets() - before, 4000U * kUnions);  // sorting all would take 8 * kCases for each
  const auto last = IDL::traits<DynamicAny::DynUnion>::narrow((dyn->seek(kUnions - 1), dyn->current_component()));
  EXPECT_EQ(last->get_discriminator()->get_long(), 700);
  EXPECT_TRUE(last->is_set_to_default_member());
  EXPECT_EQ(last->member_name(), "other");
}

TEST_F(WideDynAnys, OfUnionsTakeTheSmallestLabelThatIsUnusedHoweverManyThereAre) {
  for (const std::int32_t cases : {0, 3, 9, 100}) {
    for (const std::int32_t gap : {0, 1, 2, 8, cases}) {
      if (gap > cases) continue;
      const auto type = types_->create_union_tc("IDL:Wide:1.0", "Wide", CORBA::_tc_long, many_cases(cases, gap));
      EXPECT_EQ(made<DynamicAny::DynUnion>(type)->get_discriminator()->get_long(), gap) << cases;
    }
  }
}

}  // namespace
}  // namespace corbel::dynamic
