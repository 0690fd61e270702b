// SPDX-License-Identifier: Apache-2.0
// Values as text, and the names by which code finds what belongs to a type.
#include <sstream>
#include <type_traits>

#include "support.hpp"

namespace {

struct Item_format {
  std::ostream& operator()(std::ostream& stream, const Shop::Item& item) { return stream << "<" << item.name() << ">"; }
};

template <class T>
std::string text_of(const T& written) {
  std::ostringstream stream;
  stream << written;
  return stream.str();
}

TEST(PortableTexts, AFormatOfTheProgramsOwnIsUsed) {
  const Shop::Item item("tea", Shop::Coin::crown);
  EXPECT_EQ(text_of(IDL::traits<Shop::Item>::write<Item_format>(item)), "<tea>");
  std::ostringstream stream;
  IDL::traits<Shop::Item>::write_on(stream << "default ", item) << '|';
  IDL::traits<Shop::Item>::write_on(stream, item, Item_format());
  IDL::traits<Shop::Item>::write_on<std::ostream, Item_format>(stream, item);
  EXPECT_EQ(stream.str(), "default Shop::Item{name=\"tea\",price=Shop::Coin::crown}|<tea><tea>");
}

TEST(PortableTexts, ReferencesAreWrittenToStreams) {
  IDL::traits<Shop::Till>::ref_type till;
  EXPECT_EQ(text_of(till), "ref_type{nil}");
  IDL::traits<Shop::Basket>::ref_type basket =
      CORBA::make_reference<IDL::traits<Shop::Basket>::obv_type>(Shop::Numbers{1, 2});
  EXPECT_EQ(text_of(basket), "Shop::Basket{items={1,2}}");
  EXPECT_EQ(text_of(CORBA::CompletionStatus::COMPLETED_NO), "CORBA::completion_status::COMPLETED_NO");
}

TEST(PortableTexts, WhatCppHasNoOperatorForIsWrittenToStreams) {
  EXPECT_EQ(text_of(Shop::Numbers{1, 2}), "{1,2}");
  EXPECT_EQ(text_of(Shop::Few{3}), "{3}");
  EXPECT_EQ(text_of(Shop::Pair{4, 5}), "{4,5}");
  EXPECT_EQ(text_of(Shop::Stock{{"tea", 6}}), "{\"tea\":6}");
  EXPECT_EQ(text_of(std::wstring(L"tea")), "L\"tea\"");
  EXPECT_EQ(text_of(L't'), "L't'");
  EXPECT_EQ(std::to_string(Shop::Money(12.5)), Shop::Money(12.5).to_string());
}

TEST(PortableTexts, ModuleCorbaIsKnown) {
  EXPECT_EQ(text_of(Shop::Delivery({"tea", "cups"})), "Shop::Delivery{items={\"tea\",\"cups\"}}");
}

TEST(PortableTexts, AFixedIsReadFromAStream) {
  std::istringstream stream("12.5 tea 123456789");
  Shop::Money money;
  stream >> money;
  EXPECT_EQ(money, Shop::Money(12.5));
  stream >> money;
  EXPECT_TRUE(stream.fail());
  stream.clear();
  std::string rest;
  EXPECT_FALSE(stream >> money);
  EXPECT_EQ(money, Shop::Money(12.5));
}

TEST(PortableTexts, ValuesAreRegisteredByTheirClassesIds) {
  EXPECT_EQ(Shop::Basket::_repository_id(), "IDL:example.org/Shop/Basket:1.0");
  EXPECT_EQ(Shop::Label::_repository_id(), "IDL:example.org/Shop/Label:1.0");
  const portable::World world("values");
  const CORBA::ValueFactory factory = CORBA::make_reference<Shop::Basket::_factory_type>();
  EXPECT_FALSE(world.orb->register_value_factory(Shop::Basket::_repository_id(), factory));
  EXPECT_EQ(world.orb->lookup_value_factory(Shop::Basket::_repository_id()), factory);
  EXPECT_EQ(factory->_obv_repository_id(), Shop::Basket::_repository_id());
}

TEST(PortableTexts, AValueInAnAnyIsTakenOutAsTheBaseOfAllValues) {
  const auto basket = CORBA::make_reference<IDL::traits<Shop::Basket>::obv_type>(Shop::Numbers{1});
  CORBA::Any any;
  any <<= basket;
  IDL::traits<CORBA::ValueBase>::ref_type value;
  ASSERT_TRUE(any >>= value);
  EXPECT_EQ(IDL::traits<Shop::Basket>::narrow(value), basket);
  any <<= CORBA::make_reference<Shop::Label>("tea");
  ASSERT_TRUE(any >>= value);
  EXPECT_EQ(IDL::traits<Shop::Label>::narrow(value)->_value(), "tea");
  any <<= IDL::traits<Shop::Basket>::ref_type();
  ASSERT_TRUE(any >>= value);
  EXPECT_EQ(value, nullptr);
  any <<= 5;
  EXPECT_FALSE(any >>= value);
}

TEST(PortableTexts, AValueThatCameInAnAnyIsTakenOutAsTheBaseOfAllValues) {
  const portable::World world("value in an Any");
  const auto factory = IDL::traits<IOP::CodecFactory>::narrow(world.orb->resolve_initial_references("CodecFactory"));
  const auto codec = factory->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
  CORBA::Any any;
  any <<= CORBA::make_reference<IDL::traits<Shop::Basket>::obv_type>(Shop::Numbers{7});
  world.orb->register_value_factory(Shop::Basket::_repository_id(), CORBA::make_reference<Shop::Basket_init>());
  IDL::traits<CORBA::ValueBase>::ref_type value;
  ASSERT_TRUE(codec->decode(codec->encode(any)) >>= value);
  EXPECT_EQ(IDL::traits<Shop::Basket>::narrow(value)->items(), Shop::Numbers{7});
}

class Sign_i : public virtual IDL::traits<Shop::Sign>::obv_type {
 public:
  std::string show() override { return text(); }
};

TEST(PortableTexts, WhatIsAnObjectOrAValueGoesIntoAnys) {
  const portable::World world("abstract bases in Anys");
  const IDL::traits<CORBA::AbstractBase>::ref_type sign = CORBA::make_reference<Sign_i>();
  CORBA::Any any;
  any <<= sign;
  EXPECT_TRUE(any.type()->equal(CORBA::_tc_AbstractBase));
  IDL::traits<CORBA::AbstractBase>::ref_type taken;
  ASSERT_TRUE(any >>= taken);
  EXPECT_EQ(taken, sign);

  const auto dynamics =
      IDL::traits<DynamicAny::DynAnyFactory>::narrow(world.orb->resolve_initial_references("DynAnyFactory"));
  const auto dyn = dynamics->create_dyn_any_from_type_code(CORBA::_tc_AbstractBase);
  EXPECT_FALSE(dyn->get_abstract());
  dyn->insert_abstract(nullptr);
  ASSERT_TRUE(dyn->to_any() >>= taken);
  EXPECT_FALSE(taken);
  dyn->destroy();
}

TEST(PortableTexts, TraitsHaveTheirOlderNamesToo) {
  static_assert(std::is_same_v<CORBA::valuetype_traits<Shop::Basket>::ref_type, Shop::Basket::_ref_type>);
  static_assert(std::is_same_v<CORBA::object_traits<Shop::Till>::ref_type, Shop::Till::_traits_type::ref_type>);
  static_assert(std::is_same_v<Shop::Basket::_obv_type, IDL::traits<Shop::Basket>::obv_type>);
  static_assert(std::is_same_v<CORBA::abstractbase_traits<CORBA::AbstractBase>::ref_type,
                               CORBA::abstractbase_reference<CORBA::AbstractBase>>);
  static_assert(std::is_same_v<CORBA::ORB::_ref_type, IDL::traits<CORBA::ORB>::ref_type>);
  static_assert(std::is_same_v<PortableServer::POA::_ref_type, IDL::traits<PortableServer::POA>::ref_type>);
  static_assert(
      std::is_same_v<PortableServer::POAManager::_ref_type, IDL::traits<PortableServer::POAManager>::ref_type>);
  static_assert(std::is_same_v<CORBA::ValueBase::_ref_type, IDL::traits<CORBA::ValueBase>::ref_type>);
  static_assert(std::is_same_v<CORBA::ValueFactoryBase::_ref_type, CORBA::ValueFactory>);
  static_assert(std::is_same_v<Shop::Basket_init::_ref_type, IDL::traits<Shop::Basket>::factory_ref_type>);
  static_assert(std::is_same_v<portable::Till_i::_ref_type, CORBA::servant_traits<Shop::Till>::ref_type>);
  static_assert(std::is_same_v<CORBA::amic_traits<Shop::Till>::replyhandler_weak_servant_ref_type,
                               CORBA::amic_traits<Shop::Till>::replyhandler_servant_weak_ref_type>);
  CORBA::weak_valuetype_reference<Shop::Basket> none;
  EXPECT_TRUE(none.expired());
}

}  // namespace
