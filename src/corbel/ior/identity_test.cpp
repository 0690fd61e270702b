// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/identity.hpp"

#include <gtest/gtest.h>

#include "corbel/ior/profile.hpp"

namespace corbel::ior {
namespace {

constexpr auto kIiop = static_cast<std::uint32_t>(ProfileTag::internet_iop);

TaggedProfile profile(const std::string& host, std::uint16_t port, base::Octet key, std::uint8_t minor = 2) {
  IiopProfile made;
  made.version = {1, minor};
  made.host = host;
  made.port = port;
  made.object_key = {key};
  return encode_profile(made);
}

/// Version 1.2, host "h", port 258, key 7 and no components, as big endian ORBs write it, and as little endian ones do.
const TaggedProfile kBig{kIiop, {0, 1, 2, 0, 0, 0, 0, 2, 'h', 0, 1, 2, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0}};
const TaggedProfile kLittle{kIiop, {1, 1, 2, 0, 2, 0, 0, 0, 'h', 0, 2, 1, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}};

TEST(Identity, IsTheSameInBothByteOrdersAndInEveryVersion) {
  EXPECT_TRUE(lead_to_same(kBig, kLittle));
  EXPECT_TRUE(lead_to_same(profile("h", 258, 7, 0), kBig));
  const auto identity = iiop_identity(kBig);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->host, "h");
  EXPECT_EQ(identity->port, 258);
  EXPECT_EQ(identity->object_key.data(), kBig.data.data() + 16);
}

TEST(Identity, IsAnotherForAnotherHostPortOrKey) {
  EXPECT_FALSE(lead_to_same(profile("i", 258, 7), kBig));
  EXPECT_FALSE(lead_to_same(profile("h", 259, 7), kBig));
  EXPECT_FALSE(lead_to_same(profile("h", 258, 8), kBig));
}

TEST(Identity, OfOtherProfilesIsTheirOctets) {
  EXPECT_TRUE(lead_to_same({7, {1, 2}}, {7, {1, 2}}));
  EXPECT_FALSE(lead_to_same({7, {1, 2}}, {7, {1, 3}}));
  EXPECT_FALSE(lead_to_same({7, kBig.data}, kBig));
}

TEST(Identity, IsNotKnownWithoutAPort) {
  EXPECT_FALSE(iiop_identity(profile("h", 0, 7)));
  EXPECT_FALSE(lead_to_same(profile("h", 0, 7, 1), profile("h", 0, 7, 2)));
}

TEST(Identity, IsNotKnownOfMalformedProfiles) {
  for (std::size_t length = 0; length < 17; ++length) {
    const TaggedProfile cut{kIiop, {kBig.data.begin(), kBig.data.begin() + static_cast<std::ptrdiff_t>(length)}};
    EXPECT_FALSE(iiop_identity(cut)) << length;
    EXPECT_TRUE(lead_to_same(cut, cut));
    EXPECT_FALSE(lead_to_same(cut, kBig));
  }
}

}  // namespace
}  // namespace corbel::ior
