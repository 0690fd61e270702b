// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/codec_factory.hpp"

#include <algorithm>

#include "corbel/corba/minor_codes.hpp"
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

constexpr CONV_FRAME::CodeSetId kLatin1 = 0x00010001;
constexpr CONV_FRAME::CodeSetId kUtf8 = 0x05010001;
constexpr CONV_FRAME::CodeSetId kUtf16 = 0x00010109;

IOP::Encoding_1_2 encoding_of(CONV_FRAME::CodeSetId char_codeset, CONV_FRAME::CodeSetId wchar_codeset = kUtf16) {
  return {IOP::ENCODING_CDR_ENCAPS, 1, 2, char_codeset, wchar_codeset};
}

TEST_F(Codecs, WriteAndReadTheCodeSetsThatAreAskedFor) {
  CORBA::Any any;
  any <<= "grüß";
  const auto latin1 = factory_->create_codec_with_codesets(encoding_of(kLatin1));
  const auto octets = latin1->encode_value(any);
  ASSERT_EQ(octets.size(), 13U);
  EXPECT_EQ(CORBA::OctetSeq(octets.begin() + 8, octets.end()), (CORBA::OctetSeq{'g', 'r', 0xfc, 0xdf, 0}));
  EXPECT_TRUE(latin1->decode_value(octets, CORBA::_tc_string) == any);
  EXPECT_TRUE(latin1->decode(latin1->encode(any)) == any);

  const auto utf8 = factory_->create_codec_with_codesets(encoding_of(kUtf8));
  EXPECT_EQ(utf8->encode_value(any), codec()->encode_value(any));
  any <<= L"grüß";
  EXPECT_EQ(latin1->encode_value(any), codec()->encode_value(any));
}

TEST_F(Codecs, SayWhichCharactersTheirCodeSetDoesNotHave) {
  CORBA::Any any;
  any <<= "1 €";
  try {
    factory_->create_codec_with_codesets(encoding_of(kLatin1))->encode_value(any);
    ADD_FAILURE() << "nothing thrown";
  } catch (const CORBA::DATA_CONVERSION& error) {
    EXPECT_EQ(error.minor(), corba::minor::kCharacterNotInCodeSet);
  }
  EXPECT_NO_THROW(factory_->create_codec_with_codesets(encoding_of(kUtf8))->encode_value(any));
}

TEST_F(Codecs, AreNotMadeForOtherCodeSets) {
  const auto refused = [&](const IOP::Encoding_1_2& encoding) -> CONV_FRAME::CodeSetId {
    try {
      factory_->create_codec_with_codesets(encoding);
    } catch (const IOP::CodecFactory::UnsupportedCodeset& error) {
      EXPECT_STREQ(error._rep_id(), "IDL:omg.org/IOP/CodecFactory/UnsupportedCodeset:1.0");
      return error.codeset();
    }
    return 0xffffffff;
  };
  EXPECT_EQ(refused(encoding_of(0x00010002)), 0x00010002U);
  EXPECT_EQ(refused(encoding_of(0)), 0U);
  EXPECT_EQ(refused(encoding_of(kUtf16)), kUtf16);
  EXPECT_EQ(refused(encoding_of(kUtf8, 0x00010100)), 0x00010100U);
  EXPECT_EQ(refused(encoding_of(kUtf8, kUtf8)), kUtf8);
  EXPECT_EQ(refused(IOP::Encoding_1_2()), 0xffffffff) << "what is used unless something else is asked for";
  EXPECT_THROW(factory_->create_codec_with_codesets({IOP::ENCODING_CDR_ENCAPS, 1, 3, kUtf8, kUtf16}),
               IOP::CodecFactory::UnknownEncoding);
  EXPECT_THROW(factory_->create_codec_with_codesets({1, 1, 2, 0, 0}), IOP::CodecFactory::UnknownEncoding);
}

TEST_F(Codecs, AreAmongTheInitialReferences) {
  const auto names = orb_->list_initial_services();
  EXPECT_NE(std::find(names.begin(), names.end(), "CodecFactory"), names.end());
  EXPECT_THROW(orb_->register_initial_reference("CodecFactory", factory_), CORBA::InvalidName);
}

}  // namespace
}  // namespace corbel::dynamic
