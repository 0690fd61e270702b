// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/ior.hpp"

#include <gtest/gtest.h>

#include "corbel/ior/profile.hpp"

namespace corbel::ior {
namespace {

Ior sample() {
  IiopProfile profile;
  profile.host = "host.example.com";
  profile.port = 2809;
  profile.object_key = {0xff, 'k', 0};
  profile.components = {encode_code_sets(own_code_sets())};
  return {"IDL:corbel.test/Echo:1.0", {encode_profile(profile), {0x12345678, {9, 8, 7}}}};
}

base::Error refusal(std::string_view text, const cdr::Limits& limits = {}) {
  const auto ior = from_string(text, limits);
  return ior ? base::Error{} : ior.error();
}

TEST(Ior, SurvivesTheRoundTripAsText) {
  const Ior ior = sample();
  const std::string text = to_string(ior);
  EXPECT_EQ(text.substr(0, 4), "IOR:");
  const auto again = from_string(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, ior);
}

TEST(Ior, AcceptsAnyCaseAndTrailingSpace) {
  std::string text = to_string(sample()) + " \r\n";
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  EXPECT_TRUE(from_string(text));
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  EXPECT_TRUE(from_string(text));
}

TEST(Ior, NilIsEmptyTypeAndNoProfiles) {
  const auto nil = from_string(
      "IOR:010000000100000000000000"
      "00000000");
  ASSERT_TRUE(nil);
  EXPECT_TRUE(nil->is_nil());
  EXPECT_FALSE(sample().is_nil());
}

TEST(Ior, RefusesBadText) {
  const auto malformed = base::error(base::Stage::resolve, base::Code::malformed);
  EXPECT_EQ(refusal(""), malformed);
  EXPECT_EQ(refusal("IOX:00"), malformed);
  EXPECT_EQ(refusal("IOR:0"), malformed);
  EXPECT_EQ(refusal("IOR:0g"), malformed);
  EXPECT_EQ(refusal("IOR:02000000").code, base::Code::malformed);
  EXPECT_EQ(refusal("IOR:").code, base::Code::truncated);
}

TEST(Ior, RefusesEveryTruncation) {
  const std::string text = to_string(sample());
  for (std::size_t size = 4; size < text.size(); size += 2) {
    EXPECT_EQ(refusal(text.substr(0, size)).stage, base::Stage::resolve) << size;
  }
}

TEST(Ior, LimitsProfiles) {
  Ior ior = sample();
  ior.profiles.resize(65);
  EXPECT_EQ(refusal(to_string(ior)).code, base::Code::too_many_profiles);
  cdr::Limits limits;
  limits.max_profiles = 65;
  EXPECT_TRUE(from_string(to_string(ior), limits));
}

TEST(Ior, CopiesWhatItEncodes) {
  cdr::Encoder encoder;
  {
    Ior ior = sample();
    ior.type_id.assign(5000, 'x');
    ior.profiles[1].data.assign(5000, 1);
    encode(encoder, ior);
  }
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, {});
  Ior again;
  decode(decoder, again);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(again.profiles[1].data, base::Bytes(5000, 1));
}

TEST(Ior, FindsTheFirstComponentOfATag) {
  const std::vector<TaggedComponent> components = {{1, {1}}, {3, {2}}, {3, {3}}};
  EXPECT_EQ(find_component(components, ComponentTag::alternate_iiop_address)->data, base::Bytes{2});
  EXPECT_EQ(find_component(components, ComponentTag::policies), nullptr);
}

}  // namespace
}  // namespace corbel::ior
