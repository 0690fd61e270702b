// SPDX-License-Identifier: Apache-2.0
// Limits hold to the octet: what is as large as allowed passes, what is larger does not.
#include <gtest/gtest.h>

#include "corbel/cdr/encapsulation.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"

namespace corbel::ior {
namespace {

TEST(IorLimits, AnObjectKeyMayBeAsLongAsTheLimit) {
  IiopProfile profile;
  profile.version = {1, 2};
  profile.object_key.assign(100, 'k');
  cdr::Limits limits;
  limits.max_object_key = 100;
  EXPECT_TRUE(decode_iiop_profile(encode_profile(profile), limits));
  limits.max_object_key = 99;
  EXPECT_EQ(decode_iiop_profile(encode_profile(profile), limits).error().code, base::Code::key_too_long);
}

TEST(IorLimits, AUrlMayListSixtyFourAddresses) {
  std::string text = "corbaloc::h";
  for (int i = 1; i < 64; ++i) text += ",:h";
  UrlFault fault = UrlFault::none;
  ASSERT_TRUE(parse_object_url(text + "/key", fault));
  EXPECT_FALSE(parse_object_url(text + ",:h/key", fault));
  EXPECT_EQ(fault, UrlFault::bad_address);
}

TEST(IorLimits, ATypeIdCostsWhatItTakes) {
  Ior ior;
  ior.type_id = "IDL:" + std::string(1000, 'x') + ":1.0";
  const auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) { encode(encoder, ior); });
  ASSERT_TRUE(octets);
  const auto left = [&] {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(*octets, {}, {});
    Ior again;
    decode(decoder, again, {});
    EXPECT_TRUE(decoder.ok());
    std::size_t budget = 1 << 21;  // more than there is
    while (!cdr::Decoder(decoder).charge(budget)) --budget;
    return budget;
  };
  const std::size_t with = left();
  cdr::Decoder untouched = cdr::Decoder::from_encapsulation(*octets, {}, {});
  std::size_t whole = 1 << 21;
  while (!cdr::Decoder(untouched).charge(whole)) --whole;
  EXPECT_GE(whole - with, ior.type_id.size());
}

TEST(IorLimits, AProfileOfVersion10EndsWithItsKey) {
  IiopProfile profile;
  profile.version = {1, 0};
  profile.host = "h";
  profile.object_key = {1, 2, 3};
  const TaggedProfile without = encode_profile(profile);
  profile.components = {{7, {4, 5}}};
  EXPECT_EQ(encode_profile(profile).data, without.data);
}

}  // namespace
}  // namespace corbel::ior
