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
}

TEST(PortableTexts, TraitsHaveTheirOlderNamesToo) {
  static_assert(std::is_same_v<CORBA::valuetype_traits<Shop::Basket>::ref_type, Shop::Basket::_ref_type>);
  static_assert(std::is_same_v<CORBA::object_traits<Shop::Till>::ref_type, Shop::Till::_traits_type::ref_type>);
  static_assert(std::is_same_v<Shop::Basket::_obv_type, IDL::traits<Shop::Basket>::obv_type>);
  static_assert(std::is_same_v<CORBA::abstractbase_traits<CORBA::AbstractBase>::ref_type,
                               CORBA::abstractbase_reference<CORBA::AbstractBase>>);
  CORBA::weak_valuetype_reference<Shop::Basket> none;
  EXPECT_TRUE(none.expired());
}

}  // namespace
