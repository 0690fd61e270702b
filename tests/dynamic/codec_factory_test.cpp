// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/codec_factory.hpp"

#include <algorithm>

#include "corbel/dynamic/type_factory.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

using IOP::Codec;

class Codecs : public WithOrb {
 protected:
  CORBA::object_reference<Codec> codec(std::uint8_t minor_version = 2) {
    return factory_->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, minor_version});
  }

  CORBA::object_reference<IOP::CodecFactory> factory_ = initial<IOP::CodecFactory>("CodecFactory");
};

TEST_F(Codecs, AreMadeForEveryGiopVersionAndNothingElse) {
  for (std::uint8_t minor = 0; minor <= 2; ++minor) EXPECT_TRUE(codec(minor));
  EXPECT_THROW(codec(3), IOP::CodecFactory::UnknownEncoding);
  EXPECT_THROW(factory_->create_codec({1, 1, 2}), IOP::CodecFactory::UnknownEncoding);
  EXPECT_THROW(factory_->create_codec({IOP::ENCODING_CDR_ENCAPS, 2, 0}), IOP::CodecFactory::UnknownEncoding);
}

TEST_F(Codecs, BringBackAnAny) {
  CORBA::Any any;
  any <<= std::vector<std::string>{"a", "grüße"};
  EXPECT_TRUE(codec()->decode(codec()->encode(any)) == any);
  EXPECT_TRUE(codec()->decode(codec()->encode(CORBA::Any())) == CORBA::Any());
}

TEST_F(Codecs, WriteAnEncapsulation) {
  CORBA::Any any;
  any <<= std::int32_t{0x01020304};
  auto octets = codec()->encode_value(any);
  ASSERT_EQ(octets.size(), 8U);
  const bool little = octets[0] == 1;
  EXPECT_EQ(octets[4], little ? 4 : 1);
  const CORBA::OctetSeq foreign{
      static_cast<std::uint8_t>(little ? 0 : 1), 0, 0, 0, octets[7], octets[6], octets[5], octets[4]};
  std::int32_t number = 0;
  EXPECT_TRUE(codec()->decode_value(foreign, CORBA::_tc_long) >>= number);
  EXPECT_EQ(number, 0x01020304);
}

TEST_F(Codecs, CarryReferencesThatWorkAgain) {
  const auto object = orb_->string_to_object("corbaloc::127.0.0.1:1/key");
  CORBA::Any any;
  any <<= object;
  IDL::traits<CORBA::Object>::ref_type back;
  ASSERT_TRUE(codec()->decode(codec()->encode(any)) >>= back);
  EXPECT_TRUE(back->_is_equivalent(object));
}

TEST_F(Codecs, AnysKeepTheOrbThatTheirReferencesBelongTo) {
  const auto object = orb_->string_to_object("corbaloc::127.0.0.1:1/key");
  CORBA::Any any;
  any <<= object;
  const auto octets = codec()->encode(any);
  const auto owners = orb_._shared().use_count();
  CORBA::Any back = codec()->decode(octets);
  EXPECT_EQ(orb_._shared().use_count(), owners + 1);
  back = CORBA::Any();
  EXPECT_EQ(orb_._shared().use_count(), owners);
}

TEST_F(Codecs, RefuseWhatIsNoEncapsulation) {
  EXPECT_THROW(codec()->decode({}), Codec::FormatMismatch);
  EXPECT_THROW(codec()->decode({2, 0, 0, 0}), Codec::FormatMismatch);
  EXPECT_THROW(codec()->decode({1, 0, 0, 0}), Codec::FormatMismatch);
  EXPECT_THROW(codec()->decode_value({}, CORBA::_tc_long), Codec::FormatMismatch);
  EXPECT_THROW(codec()->decode_value({0}, nullptr), CORBA::BAD_TYPECODE);
}

TEST_F(Codecs, RefuseOctetsOfAnotherType) {
  CORBA::Any any;
  any <<= std::int32_t{7};
  const auto octets = codec()->encode_value(any);
  EXPECT_THROW(codec()->decode_value(octets, CORBA::_tc_double), Codec::TypeMismatch);
  EXPECT_THROW(codec()->decode_value(octets, CORBA::_tc_short), Codec::TypeMismatch);
}

TEST_F(Codecs, RefuseTypesThatStayInTheProcess) {
  CORBA::Any any;
  any <<= IDL::traits<CORBA::Object>::ref_type(factory_);
  EXPECT_THROW(codec()->encode(any), Codec::InvalidTypeForEncoding);
  EXPECT_THROW(codec()->encode_value(any), Codec::InvalidTypeForEncoding);
  any <<= L"wide";
  EXPECT_THROW(codec(0)->encode(any), Codec::InvalidTypeForEncoding);
  EXPECT_FALSE(codec(1)->encode(any).empty());
}

TEST_F(Codecs, AreAmongTheInitialReferences) {
  const auto names = orb_->list_initial_services();
  EXPECT_NE(std::find(names.begin(), names.end(), "CodecFactory"), names.end());
  EXPECT_THROW(orb_->register_initial_reference("CodecFactory", factory_), CORBA::InvalidName);
}

}  // namespace
}  // namespace corbel::dynamic
