// SPDX-License-Identifier: Apache-2.0
// Values in Anys whose TypeCodes name a base of theirs, or only that there is a value.
#include <gtest/gtest.h>

#include <algorithm>

#include <corbel/corbel.hpp>
#include <corbel/dynamic/codec_factory.hpp>

#include "any_with.hpp"
#include "bases_any.hpp"
#include "values_any.hpp"

namespace {

template <class V>
using Known = typename IDL::traits<V>::ref_type;

using corbel::values_test::any_with;

class ValuesUnderTheirBases : public ::testing::Test {
 protected:
  ~ValuesUnderTheirBases() override { orb_->destroy(); }
  void SetUp() override {
    register_factory<Graph::Base>();
    register_factory<Graph::Plain>();
    register_factory<Graph::Derived>();
    register_factory<Graph::ThingValue>();
    register_factory<Graph::Text>();
    register_factory<Bases::Circle>();
  }
  template <class V>
  void register_factory() {
    orb_->register_value_factory(std::string(V::_value_id),
                                 CORBA::make_reference<typename IDL::traits<V>::factory_type>());
  }
  /// As it arrives, and is sent on from there.
  CORBA::Any sent(const CORBA::Any& any) { return codec_->decode(codec_->encode(codec_->decode(codec_->encode(any)))); }
  template <class T>
  T back(const T& value) {
    T got{};
    EXPECT_TRUE(sent(any_with(value)) >>= got);
    return got;
  }
  /// With which failure the octets are refused.
  corbel::base::Code refused(const CORBA::OctetSeq& octets) {
    auto decoder = corbel::cdr::Decoder::from_encapsulation(octets);
    CORBA::Any any;
    corbel::mapping::Codec<CORBA::Any>::decode(decoder, any);
    return decoder.ok() ? corbel::base::Code::none : decoder.error().code;
  }

  std::vector<std::string> arguments_;
  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init(arguments_, "any_bases");
  CORBA::object_reference<IOP::Codec> codec_ =
      IDL::traits<IOP::CodecFactory>::narrow(orb_->resolve_initial_references("CodecFactory"))
          ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  const Known<Graph::Base> plain_ = CORBA::make_reference<IDL::traits<Graph::Plain>::obv_type>(1, "p", 2.5);
  const Known<Graph::Base> base_ = CORBA::make_reference<IDL::traits<Graph::Base>::obv_type>(2, "b");
};

TEST_F(ValuesUnderTheirBases, ArriveAsWhatTheyAre) {
  const auto got = back(plain_);
  ASSERT_TRUE(IDL::traits<Graph::Plain>::narrow(got) != nullptr);
  EXPECT_EQ(IDL::traits<Graph::Plain>::narrow(got)->d(), 2.5);
  EXPECT_EQ(got->s(), "p");
  EXPECT_EQ(sent(any_with(plain_)).type()->id(), "IDL:corbel.test/Graph/Base:1.0") << "as it was put in";
}

/// As an application has them.
class PlainImpl : public virtual IDL::traits<Graph::Plain>::obv_type {};

TEST_F(ValuesUnderTheirBases, ArePutInByWhatImplementsThem) {
  CORBA::Any any;
  any <<= CORBA::make_reference<IDL::traits<Graph::Plain>::obv_type>(1, "p", 2.5);
  EXPECT_EQ(any.type()->id(), "IDL:corbel.test/Graph/Plain:1.0");
  Known<Graph::Plain> plain;
  ASSERT_TRUE(any >>= plain);
  EXPECT_EQ(plain->d(), 2.5);
  const auto own = CORBA::make_reference<PlainImpl>();
  any <<= own;
  ASSERT_TRUE(any >>= plain);
  EXPECT_TRUE(plain == own);
  any <<= CORBA::make_reference<IDL::traits<Bases::Circle>::obv_type>(7);
  EXPECT_EQ(any.type()->id(), "IDL:Bases/Circle:1.0");
}

TEST_F(ValuesUnderTheirBases, AreMembersAndElements) {
  const auto pair = back(Graph::Pair(plain_, plain_, nullptr));
  EXPECT_TRUE(pair.first() == pair.second()) << "shared as before";
  EXPECT_TRUE(IDL::traits<Graph::Plain>::narrow(pair.first()) != nullptr);
  const auto all = back(std::vector{plain_, base_, plain_});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0] == all[2]);
  EXPECT_TRUE(IDL::traits<Graph::Plain>::narrow(all[0]) != nullptr);
  EXPECT_TRUE(IDL::traits<Graph::Plain>::narrow(all[1]) == nullptr);
}

TEST_F(ValuesUnderTheirBases, StandInTheChunksOfOthers) {
  const Known<Graph::Base> derived =
      CORBA::make_reference<IDL::traits<Graph::Derived>::obv_type>(3, "d", std::int16_t{4}, plain_);
  const auto all = back(std::vector{derived, base_});
  ASSERT_EQ(all.size(), 2U);
  const auto got = IDL::traits<Graph::Derived>::narrow(all[0]);
  ASSERT_TRUE(got != nullptr) << "not truncated where its type is known";
  EXPECT_EQ(got->extra(), 4);
  EXPECT_TRUE(IDL::traits<Graph::Plain>::narrow(got->link()) != nullptr);
  EXPECT_EQ(all[1]->s(), "b");
}

TEST_F(ValuesUnderTheirBases, MayBeKnownAsValuesOnly) {
  const Known<CORBA::ValueBase> value = plain_;
  const auto got = back(value);
  EXPECT_TRUE(IDL::traits<Graph::Plain>::narrow(got) != nullptr);
  EXPECT_TRUE(back(Known<CORBA::ValueBase>()) == nullptr);
  const Known<CORBA::ValueBase> box = CORBA::make_reference<Graph::Text>("boxed");
  EXPECT_EQ(IDL::traits<Graph::Text>::narrow(back(box))->_value(), "boxed");
  const Known<Bases::Shape> shape = CORBA::make_reference<IDL::traits<Bases::Circle>::obv_type>(7);
  EXPECT_EQ(IDL::traits<Bases::Circle>::narrow(back(shape))->radius(), 7);
  const Known<Graph::Thing> thing = CORBA::make_reference<IDL::traits<Graph::ThingValue>::obv_type>(8);
  EXPECT_EQ(IDL::traits<Graph::ThingValue>::narrow(back(thing)->_to_value())->n(), 8);
}

TEST_F(ValuesUnderTheirBases, AreRefusedIfNothingIsKnownOfThem) {
  const auto renamed = [&](const CORBA::Any& any, std::string_view from, std::string_view to) {
    auto octets = codec_->encode(any);
    const auto at = std::find_end(octets.begin(), octets.end(), from.begin(), from.end());
    EXPECT_TRUE(at != octets.end());
    std::copy(to.begin(), to.end(), at);
    return octets;
  };
  using corbel::base::Code;
  EXPECT_EQ(refused(renamed(any_with(plain_), "Graph/Plain:", "Graph/Stain:")), Code::not_found);
  EXPECT_EQ(refused(renamed(any_with(plain_), "Graph/Plain:", "Graph/Plain:")), Code::none);
  // Known, but not of the base that the TypeCode names.
  EXPECT_EQ(refused(renamed(any_with(plain_), "corbel.test/Graph/Plain:1.0", "corbel.test/Graph/Longs:1.0")),
            Code::not_found);
}

TEST_F(ValuesUnderTheirBases, SurviveMutatedOctets) {
  const Known<Graph::Base> derived =
      CORBA::make_reference<IDL::traits<Graph::Derived>::obv_type>(3, "d", std::int16_t{4}, plain_);
  const std::vector<Known<CORBA::ValueBase>> all{derived, plain_, base_};
  const auto octets = codec_->encode(any_with(all));
  std::size_t passed = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    for (const int octet : {0, 1, 8, 0x7f, 0xf0, 0xff, octets[i] ^ 1, octets[i] ^ 4}) {
      auto mutated = octets;
      mutated[i] = static_cast<std::uint8_t>(octet);
      try {
        const CORBA::Any any = codec_->decode(mutated);
        (void)codec_->encode(any);
        std::vector<Known<CORBA::ValueBase>> values;
        (void)(any >>= values);
        ++passed;
      } catch (const CORBA::Exception&) {  // refused
      }
    }
  }
  EXPECT_GT(passed, octets.size() / 2);
}

}  // namespace
