// SPDX-License-Identifier: Apache-2.0
// Values with custom marshalling in Anys: no TypeCode tells what they are made of.
#include <gtest/gtest.h>

#include <corbel/corba/minor_codes.hpp>
#include <corbel/corbel.hpp>
#include <corbel/dynamic/codec_factory.hpp>
#include <corbel/dynamic/dyn_any.hpp>

#include "any_with.hpp"
#include "bases_any.hpp"

namespace {

template <class V>
using Ref = typename IDL::traits<V>::ref_type;

/// Writes other members than its IDL says, in another order.
class BagImpl : public virtual IDL::traits<Customs::Bag>::obv_type {
 public:
  BagImpl() { ++alive; }
  ~BagImpl() override { --alive; }
  BagImpl(std::int32_t number, Ref<Bases::Shape> inside, Ref<Customs::Bag> next = nullptr)
      : Customs::obv::Bag(number, std::move(inside), std::move(next)) {
    ++alive;
  }
  void marshal(IDL::traits<CORBA::DataOutputStream>::ref_type stream) override {
    stream->write_octet(7);
    stream->write_double(number());
    stream->write_Value(inside());
    stream->write_wstring(L"\u00e4");
    stream->write_Value(next());
    stream->write(octets);
  }
  void unmarshal(IDL::traits<CORBA::DataInputStream>::ref_type stream) override {
    if (stream->read_octet() != 7) throw CORBA::DATA_CONVERSION(4711, CORBA::CompletionStatus::COMPLETED_NO);
    number(static_cast<std::int32_t>(stream->read_double()));
    inside(IDL::traits<Bases::Shape>::narrow(stream->read_Value()));
    if (stream->read_wstring() != L"\u00e4") throw CORBA::DATA_CONVERSION();
    next(IDL::traits<Customs::Bag>::narrow(stream->read_Value()));
    octets = stream->read<std::vector<std::uint8_t>>();
  }
  std::vector<std::uint8_t> octets;
  static inline int alive = 0;
};
class BagFactory : public Customs::Bag_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<BagImpl>();
  }
};

using corbel::values_test::any_with;

class CustomValuesInAnys : public ::testing::Test {
 protected:
  ~CustomValuesInAnys() override {
    orb_->destroy();
    EXPECT_EQ(BagImpl::alive, 0);
  }
  void SetUp() override {
    using Circle = IDL::traits<Bases::Circle>;
    orb_->register_value_factory(std::string(Bases::Circle::_value_id), CORBA::make_reference<Circle::factory_type>());
    orb_->register_value_factory(std::string(Customs::Bag::_value_id), CORBA::make_reference<BagFactory>());
  }
  /// As it arrives, and is sent on from there.
  CORBA::Any sent(const CORBA::Any& any) { return codec_->decode(codec_->encode(codec_->decode(codec_->encode(any)))); }
  template <class T>
  T back(const T& value) {
    T got{};
    EXPECT_TRUE(sent(any_with(value)) >>= got);
    return got;
  }
  static Ref<Bases::Shape> circle(std::int32_t radius) {
    return CORBA::make_reference<IDL::traits<Bases::Circle>::obv_type>(radius);
  }
  static std::int32_t radius_of(const Ref<Bases::Shape>& shape) {
    return IDL::traits<Bases::Circle>::narrow(shape)->radius();
  }
  static Ref<Customs::Bag> bag(std::int32_t number, Ref<Bases::Shape> inside, Ref<Customs::Bag> next = nullptr) {
    return CORBA::make_reference<BagImpl>(number, std::move(inside), std::move(next));
  }

  std::vector<std::string> arguments_;
  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init(arguments_, "any_custom");
  CORBA::object_reference<IOP::Codec> codec_ =
      IDL::traits<IOP::CodecFactory>::narrow(orb_->resolve_initial_references("CodecFactory"))
          ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
};

TEST_F(CustomValuesInAnys, ReadAndWriteThemselves) {
  const auto got = back(bag(1, circle(2), bag(3, nullptr)));
  EXPECT_EQ(got->number(), 1);
  EXPECT_EQ(radius_of(got->inside()), 2);
  EXPECT_EQ(got->next()->number(), 3);
  EXPECT_TRUE(got->next()->inside() == nullptr);
  EXPECT_TRUE(back(Ref<Customs::Bag>()) == nullptr);
}

TEST_F(CustomValuesInAnys, AreMembersAndShareWhatTheyBrought) {
  const auto shape = circle(5);
  const auto first = bag(1, shape);
  const auto got = back(Customs::Shelf(first, shape, first));
  EXPECT_TRUE(got.first() == got.second());
  EXPECT_TRUE(got.first()->inside() == got.shape());
  EXPECT_EQ(radius_of(got.shape()), 5);
}

TEST_F(CustomValuesInAnys, AreElementsKnownAsValuesOnly) {
  const auto shape = circle(5);
  const Customs::Values all{shape, bag(1, shape), bag(2, circle(6)), shape};
  const auto got = back(all);
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(IDL::traits<Customs::Bag>::narrow(got[2])->number(), 2);
  EXPECT_TRUE(got[0] == got[3]);
  EXPECT_EQ(radius_of(IDL::traits<Customs::Bag>::narrow(got[1])->inside()), 5);
}

TEST_F(CustomValuesInAnys, AreKeptInAnysInAnys) {
  CORBA::Any inner;
  ASSERT_TRUE(sent(any_with(any_with(bag(4, nullptr)))) >>= inner);
  Ref<Customs::Bag> got;
  ASSERT_TRUE(inner >>= got);
  EXPECT_EQ(got->number(), 4);
}

TEST_F(CustomValuesInAnys, AreReachedThroughDynAnysOfWhatWasMadeHere) {
  const auto values = IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"));
  const auto number_in = [](const CORBA::Any& any) {
    Ref<Customs::Bag> got;
    return (any >>= got) ? got->number() : -1;
  };
  EXPECT_EQ(number_in(values->create_dyn_any(any_with(any_with(bag(4, nullptr))))->get_any()), 4);
  const std::vector<CORBA::Any> both{any_with(bag(5, nullptr)), any_with(circle(6))};
  const auto all = IDL::traits<DynamicAny::DynSequence>::narrow(values->create_dyn_any(any_with(both)));
  CORBA::Any first;
  ASSERT_TRUE(all->get_elements().at(0) >>= first);
  EXPECT_EQ(number_in(first), 5);
}

// Each Any has octets of its own, the message has those of the value once.
TEST_F(CustomValuesInAnys, ThatSeveralAnysReferToAreBounded) {
  const auto heavy = CORBA::make_reference<BagImpl>(1, nullptr);
  heavy->octets.resize(100'000);
  const CORBA::Any one = any_with(Ref<Customs::Bag>(heavy));
  std::vector<CORBA::Any> got;
  ASSERT_TRUE(codec_->decode(codec_->encode(any_with(std::vector<CORBA::Any>(10, one)))) >>= got);
  Ref<Customs::Bag> last;
  ASSERT_TRUE(got.at(9) >>= last);
  EXPECT_EQ(last->number(), 1);
  const auto bomb = codec_->encode(any_with(std::vector<CORBA::Any>(1'000, one)));
  EXPECT_LT(bomb.size(), 1'000'000U);
  const CORBA::Any many = codec_->decode(bomb);
  EXPECT_THROW((void)(many >>= got), CORBA::MARSHAL);
}

TEST_F(CustomValuesInAnys, AreRefusedAsOutsideOfAnysWithoutFactory) {
  const auto octets = codec_->encode(any_with(bag(1, nullptr)));
  orb_->unregister_value_factory(std::string(Customs::Bag::_value_id));
  try {
    (void)codec_->decode(octets);
    ADD_FAILURE();
  } catch (const IOP::Codec::FormatMismatch&) {
  } catch (const CORBA::MARSHAL& exception) {
    EXPECT_EQ(exception.minor(), corbel::corba::minor::kNoValueFactory);
  }
}

TEST_F(CustomValuesInAnys, SurviveMutatedOctets) {
  const auto shape = circle(5);
  const auto octets = codec_->encode(any_with(Customs::Values{shape, bag(1, shape, bag(2, shape)), shape}));
  std::size_t passed = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    for (const int octet : {0, 1, 8, 0x7f, 0xf0, 0xff, octets[i] ^ 1, octets[i] ^ 4}) {
      auto mutated = octets;
      mutated[i] = static_cast<std::uint8_t>(octet);
      try {
        const CORBA::Any any = codec_->decode(mutated);
        (void)codec_->encode(any);
        ++passed;
      } catch (const CORBA::Exception&) {  // refused
      }
    }
  }
  EXPECT_GT(passed, octets.size() / 2);
}

}  // namespace
