// SPDX-License-Identifier: Apache-2.0
// How many components a DynAny may have.
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

/// Few octets of a stranger's may say that there are very many components.
class ManyParts : public WithOrb {
 protected:
  static constexpr std::uint32_t kMost = DynRoot::kMostParts;

  CORBA::object_reference<DynamicAny::DynSequence> sequence_of(const CORBA::typecode_reference& element) {
    return IDL::traits<DynamicAny::DynSequence>::narrow(
        factory_->create_dyn_any_from_type_code(types_->create_sequence_tc(0, element)));
  }

  const CORBA::object_reference<DynamicAny::DynAnyFactory> factory_ =
      initial<DynamicAny::DynAnyFactory>("DynAnyFactory");
  const CORBA::object_reference<CORBA::TypeCodeFactory> types_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST_F(ManyParts, AreCountedWithoutMakingThemAndRefusedWhenTheyAreWanted) {
  const auto octets = sequence_of(CORBA::_tc_octet);
  octets->insert_octet_seq(std::vector<std::uint8_t>(kMost + 1, 7));
  EXPECT_EQ(octets->component_count(), kMost + 1);
  EXPECT_EQ(octets->get_octet_seq().size(), kMost + 1);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(octets->current_component(), CORBA::IMP_LIMIT);
  EXPECT_THROW(octets->set_length(kMost + 2), CORBA::IMP_LIMIT);
  octets->insert_octet_seq({1, 2});
  EXPECT_EQ(octets->current_component()->get_octet(), 1);
  EXPECT_THROW(octets->set_length(kMost + 1), CORBA::IMP_LIMIT);
  EXPECT_EQ(octets->component_count(), 2U);
}

TEST_F(ManyParts, OfAllLevelsTogetherAreLimited) {
  const auto nothing = types_->create_struct_tc("IDL:Nothing:1.0", "Nothing", {});
  const auto rows = sequence_of(types_->create_array_tc(kMost / 2, nothing));
  rows->set_length(2);
  EXPECT_EQ(rows->current_component()->component_count(), kMost / 2);
  EXPECT_TRUE(rows->current_component()->current_component() != nullptr);
  rows->next();
  EXPECT_THROW(rows->current_component()->current_component(), CORBA::IMP_LIMIT) << "alone it is not too large";
}

}  // namespace
}  // namespace corbel::dynamic
