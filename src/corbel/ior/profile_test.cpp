// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/profile.hpp"

#include <gtest/gtest.h>
#include "support/byte_order.hpp"

namespace corbel::ior {
namespace {

template <class Profile>
Profile base_of(std::uint8_t minor) {
  Profile profile;
  profile.version = {1, minor};
  profile.object_key = {1, 2, 3};
  profile.components = {{7, {4, 5}}};
  return profile;
}

template <class Profile>
void expect_same_base(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.object_key, b.object_key);
  EXPECT_EQ(a.components, b.components);
}

TEST(Profile, IiopSurvivesTheRoundTrip) {
  auto profile = base_of<IiopProfile>(2);
  profile.host = "fd00::2";
  profile.port = 4711;
  const auto again = decode_iiop_profile(encode_profile(profile));
  ASSERT_TRUE(again);
  expect_same_base(*again, profile);
  EXPECT_EQ(again->host, "fd00::2");
  EXPECT_EQ(again->port, 4711);
}

TEST(Profile, UiopAndCorbelSurviveTheRoundTrip) {
  auto uiop = base_of<UiopProfile>(2);
  uiop.path = "/tmp/socket";
  const auto uiop_again = decode_uiop_profile(encode_profile(uiop));
  ASSERT_TRUE(uiop_again);
  expect_same_base(*uiop_again, uiop);
  EXPECT_EQ(uiop_again->path, uiop.path);

  auto corbel = base_of<CorbelProfile>(2);
  corbel.protocol = "giop_lite";
  corbel.endpoint = "tcp://127.0.0.1:4000";
  const auto corbel_again = decode_corbel_profile(encode_profile(corbel));
  ASSERT_TRUE(corbel_again);
  expect_same_base(*corbel_again, corbel);
  EXPECT_EQ(corbel_again->protocol, corbel.protocol);
  EXPECT_EQ(corbel_again->endpoint, corbel.endpoint);
}

TEST(Profile, Version10HasNoComponents) {
  const auto again = decode_iiop_profile(encode_profile(base_of<IiopProfile>(0)));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->components.empty());
  TaggedProfile old = encode_profile(base_of<IiopProfile>(0));
  EXPECT_FALSE(add_component(old, {77, {1}}));
  TaggedProfile later = encode_profile(base_of<IiopProfile>(1));
  EXPECT_TRUE(add_component(later, {77, {1}}));
}

TEST(Profile, LaterMinorsReadAs12AndMayAppend) {
  auto profile = base_of<IiopProfile>(4);
  profile.host = "h";
  TaggedProfile tagged = encode_profile(profile);
  tagged.data.insert(tagged.data.end(), {1, 2, 3});
  const auto again = decode_iiop_profile(tagged);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->version, (Version{1, 2}));
  EXPECT_EQ(again->components, profile.components);
}

TEST(Profile, RefusesOtherMajorsTagsAndTruncation) {
  TaggedProfile tagged = encode_profile(base_of<IiopProfile>(2));
  EXPECT_EQ(decode_uiop_profile(tagged).error().code, base::Code::unsupported);
  TaggedProfile major = tagged;
  major.data[1] = 2;
  EXPECT_EQ(decode_iiop_profile(major).error().code, base::Code::unsupported);
  for (std::size_t size = 0; size < tagged.data.size(); ++size) {
    TaggedProfile cut = tagged;
    cut.data.resize(size);
    EXPECT_FALSE(decode_iiop_profile(cut)) << size;
  }
}

TEST(Profile, LimitsComponentsAndKeys) {
  auto profile = base_of<IiopProfile>(2);
  cdr::Limits limits;
  limits.max_object_key = 2;
  EXPECT_EQ(decode_iiop_profile(encode_profile(profile), limits).error().code, base::Code::key_too_long);
  profile.components.resize(257);
  EXPECT_EQ(decode_iiop_profile(encode_profile(profile)).error().code, base::Code::too_many_components);
}

TEST(Profile, GivesItsKeyInPlace) {
  for (const TaggedProfile& tagged : {encode_profile(base_of<IiopProfile>(2)), encode_profile(base_of<UiopProfile>(2)),
                                      encode_profile(base_of<CorbelProfile>(2))}) {
    const auto key = object_key_of(tagged.tag, tagged.data);
    ASSERT_TRUE(key);
    EXPECT_EQ(base::Bytes(key->begin(), key->end()), (base::Bytes{1, 2, 3}));
    EXPECT_GE(key->data(), tagged.data.data());
  }
  EXPECT_EQ(object_key_of(99, {}).error().code, base::Code::unsupported);
  const base::Bytes group{1, 2};
  EXPECT_EQ(object_key_of(static_cast<std::uint32_t>(ProfileTag::uipmc), group)->size(), 2U);  // the whole of it
}

TEST(Components, SurviveTheRoundTrip) {
  const auto bandwidths = decode_bandwidths(encode_bandwidths({{"tcp://h:1", 64}, {"shm://x", 4'000'000'000}}));
  ASSERT_TRUE(bandwidths);
  ASSERT_EQ(bandwidths->size(), 2U);
  EXPECT_EQ((*bandwidths)[1].endpoint, "shm://x");
  EXPECT_EQ((*bandwidths)[1].kbit_s, 4'000'000'000U);
  const auto alternate = decode_alternate_address(encode_alternate_address({"::1", 99}));
  ASSERT_TRUE(alternate);
  EXPECT_EQ(alternate->host, "::1");
  EXPECT_EQ(alternate->port, 99);
  const auto local = decode_unix_address(encode_unix_address({"vm", "/tmp/s"}));
  ASSERT_TRUE(local);
  EXPECT_EQ(local->host, "vm");
  EXPECT_EQ(local->path, "/tmp/s");
  EXPECT_EQ(decode_unix_address(encode_alternate_address({"h", 1})).error().code, base::Code::unsupported);
}

TEST(Components, WriteCodeSetsAsTheSpecificationLaysThemOut) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const TaggedComponent component = encode_code_sets(own_code_sets());
  EXPECT_EQ(base::to_hex(component.data),
            "01000000010001050100000001000100"
            "0901010000000000");
  const auto again = decode_code_sets(component);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->for_char.conversions, own_code_sets().for_char.conversions);
}

TEST(CodeSetChoice, PassesOctetsThroughWithoutAComponent) {
  const CodeSetChoice choice = choose_code_sets(nullptr);
  EXPECT_EQ(choice.for_char, cdr::CodeSet::utf_8);
  EXPECT_EQ(choice.for_wchar, cdr::CodeSet::none);
  EXPECT_FALSE(choice.negotiated);
}

TEST(CodeSetChoice, PrefersNoConversion) {
  const CodeSetInfo omniorb{{0x00010001, {0x05010001}}, {0x00010109, {0x00010109}}};
  EXPECT_EQ(choose_code_sets(&omniorb).for_char, cdr::CodeSet::utf_8);
  EXPECT_EQ(choose_code_sets(&omniorb).for_wchar, cdr::CodeSet::utf_16);
  EXPECT_TRUE(choose_code_sets(&omniorb).negotiated);
}

TEST(CodeSetChoice, ConvertsToLatin1IfThatIsAllThereIs) {
  const CodeSetInfo latin1{{0x00010001, {}}, {0x00010100, {}}};
  const CodeSetChoice choice = choose_code_sets(&latin1);
  EXPECT_TRUE(choice.compatible);
  EXPECT_EQ(choice.for_char, cdr::CodeSet::iso_8859_1);
}

// CORBA 3.3 part 2, 7.10.2.6: the fallback, where the native sets have the same characters.
TEST(CodeSetChoice, FallsBackToUtf16ForWideCharacters) {
  for (const std::uint32_t native : {0x00010100U, 0x00010102U, 0x00010104U, 0x00010106U, 0x00010109U}) {
    const CodeSetInfo server{{0x00010001, {}}, {native, {}}};
    EXPECT_EQ(choose_code_sets(&server).for_wchar, cdr::CodeSet::utf_16) << native;
  }
  for (const std::uint32_t native : {0U, 0x0001000FU, 0x00030010U}) {
    const CodeSetInfo server{{0x00010001, {}}, {native, {}}};
    EXPECT_EQ(choose_code_sets(&server).for_wchar, cdr::CodeSet::none) << native;
  }
}

TEST(CodeSetChoice, SaysWhenNothingFits) {
  const CodeSetInfo ebcdic{{0x10020417, {}}, {}};
  EXPECT_FALSE(choose_code_sets(&ebcdic).compatible);
}

}  // namespace
}  // namespace corbel::ior
