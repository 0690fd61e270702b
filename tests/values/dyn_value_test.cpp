// SPDX-License-Identifier: Apache-2.0
// DynAnys of valuetypes and boxes.
#include <gtest/gtest.h>

#include <cstring>

#include <corbel/corbel.hpp>
#include <corbel/dynamic/codec_factory.hpp>
#include <corbel/dynamic/dyn_any.hpp>
#include <corbel/dynamic/type_factory.hpp>

#include "values_any.hpp"

namespace {

using DynamicAny::DynAny;
using DynamicAny::DynAnyFactory;
using DynamicAny::DynValue;
using DynamicAny::DynValueBox;

template <class V>
using ValueRef = typename IDL::traits<V>::ref_type;

template <class V, class... Arguments>
ValueRef<V> new_value(Arguments&&... arguments) {
  return CORBA::make_reference<typename IDL::traits<V>::obv_type>(std::forward<Arguments>(arguments)...);
}

template <class T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

template <class T>
T extracted(const CORBA::Any& any) {
  T value{};
  EXPECT_TRUE(any >>= value) << any;
  return value;
}

class DynValues : public ::testing::Test {
 protected:
  ~DynValues() override { orb_->destroy(); }

  template <class D = DynValue>
  CORBA::object_reference<D> made(const CORBA::typecode_reference& type) {
    return IDL::traits<D>::narrow(factory_->create_dyn_any_from_type_code(type));
  }
  template <class D = DynValue>
  CORBA::object_reference<D> opened(const CORBA::Any& any) {
    return IDL::traits<D>::narrow(factory_->create_dyn_any(any));
  }
  /// As it arrives in a message.
  CORBA::Any sent(const CORBA::Any& any) {
    const auto codec = IDL::traits<IOP::CodecFactory>::narrow(orb_->resolve_initial_references("CodecFactory"))
                           ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
    return codec->decode(codec->encode(any));
  }
  template <class V>
  void register_factory() {
    orb_->register_value_factory(std::string(V::_value_id),
                                 CORBA::make_reference<typename IDL::traits<V>::factory_type>());
  }

  std::vector<std::string> arguments_;
  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init(arguments_, "dyn_values");
  CORBA::object_reference<DynAnyFactory> factory_ =
      IDL::traits<DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"));
  CORBA::object_reference<CORBA::TypeCodeFactory> types_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST_F(DynValues, OfEventtypesAreValues) {
  const auto base = types_->create_event_tc("IDL:E:1.0", "E", CORBA::VM_NONE, nullptr,
                                            {{"n", CORBA::_tc_long, CORBA::PUBLIC_MEMBER}});
  const auto type = types_->create_event_tc("IDL:F:1.0", "F", CORBA::VM_NONE, base,
                                            {{"e", base, CORBA::PUBLIC_MEMBER}, {"f", base, CORBA::PUBLIC_MEMBER}});
  const auto dyn = made(type);
  EXPECT_TRUE(dyn->is_null());
  EXPECT_TRUE(sent(dyn->to_any()).type()->equal(type));
  dyn->set_to_value();
  dyn->insert_long(5);
  const auto inner = made(base);
  inner->set_to_value();
  inner->insert_long(6);
  auto members = dyn->get_members_as_dyn_any();
  ASSERT_EQ(members.size(), 3U);
  members[1].value(inner);
  members[2].value(inner);
  dyn->set_members_as_dyn_any(members);
  const auto back = opened(sent(dyn->to_any()))->get_members_as_dyn_any();
  EXPECT_EQ(back[0].value()->get_long(), 5);
  EXPECT_EQ(back[1].value()->get_long(), 6);
  EXPECT_TRUE(back[1].value() == back[2].value()) << "one";
}

TEST_F(DynValues, BeginAsNull) {
  const auto dyn = made(Graph::_tc_Base);
  ASSERT_TRUE(dyn != nullptr);
  EXPECT_TRUE(dyn->is_null());
  EXPECT_EQ(dyn->component_count(), 0U);
  EXPECT_TRUE(dyn->current_component() == nullptr);
  EXPECT_THROW(dyn->get_members(), DynAny::InvalidValue);
  EXPECT_THROW(dyn->get_members_as_dyn_any(), DynAny::InvalidValue);
  EXPECT_THROW(dyn->current_member_name(), DynAny::InvalidValue);
  EXPECT_TRUE(extracted<ValueRef<Graph::Base>>(dyn->to_any()) == nullptr);
  dyn->set_to_value();
  EXPECT_FALSE(dyn->is_null());
  EXPECT_EQ(dyn->component_count(), 2U);
  EXPECT_EQ(dyn->current_member_name(), "a");
  EXPECT_EQ(dyn->current_member_kind(), CORBA::TCKind::tk_long);
  dyn->insert_long(7);
  EXPECT_TRUE(dyn->next());
  EXPECT_EQ(dyn->current_member_name(), "s");
  dyn->insert_string("seven");
  dyn->set_to_value();
  const auto base = extracted<ValueRef<Graph::Base>>(dyn->to_any());
  ASSERT_TRUE(base != nullptr);
  EXPECT_EQ(base->a(), 7);
  EXPECT_EQ(base->s(), "seven");
  dyn->set_to_null();
  EXPECT_TRUE(dyn->is_null());
  EXPECT_TRUE(dyn->equal(made(Graph::_tc_Base)));
}

TEST_F(DynValues, HaveTheMembersOfTheBaseFirst) {
  register_factory<Graph::Derived>();
  const auto link = new_value<Graph::Base>(2, "linked");
  const auto derived = new_value<Graph::Derived>(1, "d", std::int16_t{3}, link);
  for (const CORBA::Any& any : {any_of(derived), sent(any_of(derived))}) {
    const auto dyn = opened(any);
    const auto members = dyn->get_members();
    ASSERT_EQ(members.size(), 4U);
    EXPECT_EQ(members[0].id(), "a");
    EXPECT_EQ(members[1].id(), "s");
    EXPECT_EQ(members[2].id(), "extra");
    EXPECT_EQ(members[3].id(), "link");
    EXPECT_EQ(extracted<std::int32_t>(members[0].value()), 1);
    EXPECT_EQ(extracted<ValueRef<Graph::Base>>(members[3].value())->s(), "linked");
    dyn->seek(3);
    const auto inside = IDL::traits<DynValue>::narrow(dyn->current_component());
    inside->insert_long(20);
    const auto back = extracted<ValueRef<Graph::Derived>>(sent(dyn->to_any()));
    EXPECT_EQ(back->extra(), 3);
    EXPECT_EQ(back->link()->a(), 20);
    EXPECT_TRUE(dyn->copy()->equal(dyn));
  }
  EXPECT_TRUE(opened(any_of(derived))->equal(opened(sent(any_of(derived))))) << "however they are written";
}

TEST_F(DynValues, TakeAllMembersAtOnceOrNone) {
  const auto dyn = made(Graph::_tc_Base);
  EXPECT_THROW(dyn->set_members({{"a", any_of(std::int32_t{1})}}), DynAny::InvalidValue);
  EXPECT_THROW(dyn->set_members({{"a", any_of(std::int32_t{1})}, {"t", any_of(std::string("x"))}}),
               DynAny::TypeMismatch);
  EXPECT_THROW(dyn->set_members({{"a", any_of(1.0)}, {"s", any_of(std::string("x"))}}), DynAny::TypeMismatch);
  EXPECT_TRUE(dyn->is_null());
  dyn->set_members({{"", any_of(std::int32_t{1})}, {"s", any_of(std::string("x"))}});
  EXPECT_FALSE(dyn->is_null()) << "a null one becomes a value";
  const auto other = made(Graph::_tc_Base);
  other->set_members_as_dyn_any(dyn->get_members_as_dyn_any());
  EXPECT_TRUE(other->equal(dyn));
  EXPECT_EQ(extracted<ValueRef<Graph::Base>>(other->to_any())->s(), "x");
}

TEST_F(DynValues, KeepWhatIsSharedShared) {
  const auto base = new_value<Graph::Base>(1, "one");
  const auto label = CORBA::make_reference<Graph::Text>("label");
  const auto dyn = opened<DynamicAny::DynStruct>(sent(any_of(Graph::Pair(base, base, label))));
  const auto members = dyn->get_members_as_dyn_any();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_TRUE(members[0].value() == members[1].value());
  members[0].value()->insert_long(5);
  const auto pair = extracted<Graph::Pair>(sent(dyn->to_any()));
  EXPECT_TRUE(pair.first() == pair.second());
  EXPECT_EQ(pair.second()->a(), 5);
  const auto other = opened<DynamicAny::DynStruct>(any_of(Graph::Pair(base, new_value<Graph::Base>(1, "one"), label)));
  dyn->set_members(other->get_members());
  EXPECT_TRUE(dyn->equal(other));
  const auto apart = extracted<Graph::Pair>(dyn->to_any());
  EXPECT_FALSE(apart.first() == apart.second());
}

TEST_F(DynValues, DoNotTakeAValueOfAnotherTypeForTheirsBecauseItIsReferredTo) {
  const auto codec = IDL::traits<IOP::CodecFactory>::narrow(orb_->resolve_initial_references("CodecFactory"))
                         ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  const auto base = new_value<Graph::Base>(1, "one");
  // The octet that says the order, the first value at 4, at the end a reference to it and a null.
  auto octets = codec->encode_value(any_of(Graph::Pair(base, base, nullptr)));
  ASSERT_EQ(octets.size() % 4, 0U);
  const std::size_t at = octets.size() - 4;
  octets.resize(octets.size() + 4);
  const std::int32_t tag = -1, offset = 4 - static_cast<std::int32_t>(at + 4);
  std::memcpy(octets.data() + at, &tag, 4);  // in the order of this machine, as the octet says
  std::memcpy(octets.data() + at + 4, &offset, 4);
  const auto dyn = opened<DynamicAny::DynStruct>(codec->decode_value(octets, Graph::_tc_Pair));
  EXPECT_THROW((dyn->seek(2), dyn->current_component()), CORBA::SystemException) << "a Base is no Text";
}

TEST_F(DynValues, MayBeCircles) {
  const auto node = new_value<Graph::Node>("n", Graph::Nodes{});
  node->edges({node, node});
  const CORBA::Any any = sent(any_of(node));
  const auto dyn = opened(any);
  const auto edges = IDL::traits<DynamicAny::DynSequence>::narrow(dyn->get_members_as_dyn_any()[1].value());
  EXPECT_TRUE(edges->get_elements_as_dyn_any()[1] == dyn);
  dyn->insert_string("m");
  const auto back = extracted<ValueRef<Graph::Node>>(dyn->to_any());
  EXPECT_EQ(back->name(), "m");
  EXPECT_TRUE(back->edges()[0] == back && back->edges()[1] == back);
  const auto other = opened(any);
  EXPECT_FALSE(dyn->equal(other));
  other->destroy();
  back->edges().clear();
  node->edges().clear();
  dyn->destroy();
  EXPECT_THROW(edges->component_count(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(DynValues, CircleIsClosedByPassingAValueToItself) {
  const auto dyn = made(Graph::_tc_Node);
  dyn->set_to_value();
  auto members = dyn->get_members_as_dyn_any();
  members[0].value()->insert_string("self");
  IDL::traits<DynamicAny::DynSequence>::narrow(members[1].value())->set_elements_as_dyn_any({dyn});
  dyn->set_members_as_dyn_any(members);
  const auto back = extracted<ValueRef<Graph::Node>>(dyn->to_any());
  ASSERT_EQ(back->edges().size(), 1U);
  const auto inner = back->edges()[0];
  EXPECT_EQ(inner->name(), "self");
  inner->edges().clear();
  back->edges().clear();
  dyn->destroy();
}

TEST_F(DynValues, OfBoxesHaveOneComponent) {
  const auto dyn = made<DynValueBox>(Graph::_tc_Text);
  EXPECT_TRUE(dyn->is_null());
  EXPECT_THROW(dyn->get_boxed_value(), DynAny::InvalidValue);
  EXPECT_THROW(dyn->get_boxed_value_as_dyn_any(), DynAny::InvalidValue);
  EXPECT_THROW(dyn->set_boxed_value(any_of(std::int32_t{1})), DynAny::TypeMismatch);
  dyn->set_boxed_value(any_of(std::string("boxed")));
  EXPECT_FALSE(dyn->is_null());
  EXPECT_EQ(dyn->component_count(), 1U);
  EXPECT_EQ(dyn->get_string(), "boxed");
  dyn->get_boxed_value_as_dyn_any()->insert_string("changed");
  EXPECT_EQ(extracted<std::string>(dyn->get_boxed_value()), "changed");
  const auto text = extracted<ValueRef<Graph::Text>>(sent(dyn->to_any()));
  EXPECT_EQ(text->_value(), "changed");
  dyn->set_to_null();
  dyn->set_to_value();
  EXPECT_EQ(dyn->get_string(), "");
  const auto longs = opened<DynValueBox>(any_of(CORBA::make_reference<Graph::Longs>(std::vector<std::int32_t>{1, 2})));
  EXPECT_EQ(longs->get_long_seq(), (std::vector<std::int32_t>{1, 2}));
  const auto other = made<DynValueBox>(Graph::_tc_Longs);
  EXPECT_THROW(other->set_boxed_value_as_dyn_any(dyn->get_boxed_value_as_dyn_any()), DynAny::TypeMismatch);
  other->set_boxed_value_as_dyn_any(longs->get_boxed_value_as_dyn_any());
  EXPECT_TRUE(other->equal(longs));
}

TEST_F(DynValues, AreTruncatedToTheirTypeCodeUnlessThatIsForbidden) {
  const ValueRef<Graph::Base> base = new_value<Graph::Derived>(1, "d", std::int16_t{3}, nullptr);
  const CORBA::Any any = any_of(base);
  const auto dyn = opened(any);
  EXPECT_EQ(dyn->component_count(), 2U);
  EXPECT_THROW(factory_->create_dyn_any_without_truncation(any), DynamicAny::MustTruncate);
  EXPECT_THROW(factory_->create_multiple_dyn_anys({any}, false), DynamicAny::MustTruncate);
  EXPECT_EQ(factory_->create_multiple_dyn_anys({any}, true).size(), 1U);
  EXPECT_NO_THROW(factory_->create_dyn_any_without_truncation(dyn->to_any()));
  const ValueRef<Graph::Base> plain = new_value<Graph::Plain>(1, "p", 2.0);
  EXPECT_THROW(opened(any_of(plain))->component_count(), CORBA::MARSHAL) << "not truncatable";
}

TEST_F(DynValues, TakeAndGiveValues) {
  const auto dyn = made(Graph::_tc_Base);
  dyn->insert_val(nullptr);
  EXPECT_TRUE(dyn->get_val() == nullptr);
  register_factory<Graph::Base>();
  dyn->insert_val(new_value<Graph::Base>(4, "four"));
  EXPECT_EQ(dyn->component_count(), 2U);
  EXPECT_EQ(IDL::traits<Graph::Base>::narrow(dyn->get_val())->a(), 4);
  EXPECT_THROW(dyn->insert_val(CORBA::make_reference<Graph::Text>("no base")), DynAny::InvalidValue);
  EXPECT_THROW(made<DynAny>(CORBA::_tc_long)->insert_val(nullptr), DynAny::TypeMismatch);
  const auto pair = made<DynamicAny::DynStruct>(Graph::_tc_Pair);
  pair->insert_val(new_value<Graph::Base>(4, "four"));
  EXPECT_TRUE(pair->current_component()->equal(dyn)) << "the current component takes it";
}

TEST_F(DynValues, GiveTheValueThatWasPutIntoTheAny) {
  register_factory<Graph::Base>();
  CORBA::Any any;
  any <<= new_value<Graph::Base>(4, "four");
  EXPECT_EQ(IDL::traits<Graph::Base>::narrow(opened(any)->get_val())->a(), 4);
  register_factory<Graph::ThingValue>();
  any <<= IDL::traits<Graph::Thing>::ref_type(new_value<Graph::ThingValue>(5));
  const auto either = opened<DynAny>(any)->get_abstract();
  EXPECT_EQ(IDL::traits<Graph::ThingValue>::narrow(either->_to_value())->n(), 5);
}

TEST_F(DynValues, OfAbstractInterfacesHoldObjects) {
  const auto dyn = made<DynAny>(Graph::_tc_Thing);
  EXPECT_TRUE(dyn->get_abstract() == nullptr);
  EXPECT_THROW(dyn->insert_abstract(new_value<Graph::ThingValue>(1)), DynAny::InvalidValue);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  const auto mirror = IDL::traits<Graph::Mirror>::narrow(poa->create_reference("IDL:corbel.test/Graph/Mirror:1.0"));
  dyn->insert_abstract(mirror);
  EXPECT_EQ(dyn->component_count(), 0U);
  EXPECT_TRUE(dyn->get_abstract()->_to_object()->_is_equivalent(mirror));
  EXPECT_TRUE(opened<DynAny>(sent(dyn->to_any()))->equal(dyn));
  EXPECT_FALSE(dyn->equal(made<DynAny>(Graph::_tc_Thing)));
}

TEST_F(DynValues, AreNotMadeOfWhatTypeCodesDoNotTell) {
  using Inconsistent = DynAnyFactory::InconsistentTypeCode;
  const auto custom = types_->create_value_tc("IDL:C:1.0", "C", CORBA::VM_CUSTOM, nullptr, {});
  const auto abstract = types_->create_value_tc("IDL:A:1.0", "A", CORBA::VM_ABSTRACT, nullptr, {});
  EXPECT_THROW(made(custom), Inconsistent);
  EXPECT_THROW(made(abstract), Inconsistent);
  // As a member: the whole passes as it is, and is not taken apart.
  const auto holder = made<DynamicAny::DynStruct>(types_->create_struct_tc("IDL:H:1.0", "H", {{"c", custom}}));
  EXPECT_THROW(holder->component_count(), Inconsistent);
  EXPECT_EQ(holder->to_any().type()->id(), "IDL:H:1.0");
  EXPECT_TRUE(holder->copy()->type()->equal(holder->type()));
  const auto empty = types_->create_value_tc("IDL:E:1.0", "E", CORBA::VM_NONE, nullptr, {});
  const auto dyn = made(empty);
  dyn->set_to_value();
  EXPECT_FALSE(dyn->is_null());
  EXPECT_THROW(dyn->current_member_name(), DynAny::TypeMismatch);
}

TEST_F(DynValues, TypesThatAreTheirOwnBaseAreRefused) {
  static const CORBA::TypeCode own = [] {
    corbel::dynamic::TypeNode node;
    node.kind = CORBA::TCKind::tk_value;
    node.id = "IDL:Own:1.0";
    node.content = &own;
    return CORBA::TypeCode(node);
  }();
  const auto dyn = made(own._reference());
  EXPECT_TRUE(dyn->is_null());
  EXPECT_THROW(dyn->set_to_value(), CORBA::IMP_LIMIT);
}

TEST_F(DynValues, SurviveMutatedOctets) {
  const auto codec = IDL::traits<IOP::CodecFactory>::narrow(orb_->resolve_initial_references("CodecFactory"))
                         ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  const auto base = new_value<Graph::Base>(1, "one");
  const auto derived = new_value<Graph::Derived>(2, "two", std::int16_t{3}, base);
  const auto octets = codec->encode(any_of(Graph::Pair(derived, base, CORBA::make_reference<Graph::Text>("label"))));
  std::size_t opened_well = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    for (const int octet : {0, 1, 8, 0x7f, 0xf0, 0xff, octets[i] ^ 1, octets[i] ^ 4}) {
      auto mutated = octets;
      mutated[i] = static_cast<std::uint8_t>(octet);
      try {
        const auto dyn = factory_->create_dyn_any(codec->decode(mutated));
        (void)dyn->component_count();
        (void)dyn->to_any();
        dyn->destroy();
        ++opened_well;
      } catch (const CORBA::Exception&) {  // refused
      }
    }
  }
  EXPECT_GT(opened_well, 0U);
}

}  // namespace
