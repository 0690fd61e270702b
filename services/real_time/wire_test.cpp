// SPDX-License-Identifier: Apache-2.0
// The octets are those of TAO: see docs/real-time.md.
#include <gtest/gtest.h>

#include <bit>

#include "wire.hpp"

namespace corbel::real_time {
namespace {

const Octets kContext = {0x01, 0x00, 0x2a, 0x00};
const Octets kBigContext = {0x00, 0x00, 0x00, 0x2a};
const Octets kPropagated = {0x01, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 10, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x2a, 0};
const Octets kDeclared = {0x01, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 10, 0, 0, 0, 0x01, 0, 0, 0, 1, 0, 0, 0, 0xff, 0x7f};

TEST(PriorityContext, IsAnEncapsulatedShort) {
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(encode_priority(42), kContext);
  }
  EXPECT_EQ(decode_priority(kContext), 42);
  EXPECT_EQ(decode_priority(kBigContext), 42);
  EXPECT_EQ(decode_priority(encode_priority(32767)), 32767);
}

TEST(PriorityContext, ThatMakesNoSenseIsNone) {
  for (const Octets& bad : {Octets{}, Octets{0x01}, Octets{0x01, 0x00, 0x2a}}) EXPECT_FALSE(decode_priority(bad));
}

TEST(ModelComponent, HoldsThePolicyInAnEncapsulationOfItsOwn) {
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(encode_policies({.model = Model{false, 42}, .bands = {}}), kPropagated);
    EXPECT_EQ(encode_policies({.model = Model{true, 32767}, .bands = {}}), kDeclared);
  }
  EXPECT_EQ(decode_policies(kPropagated).model, (Model{false, 42}));
  EXPECT_EQ(decode_policies(kDeclared).model, (Model{true, 32767}));
}

TEST(ModelComponent, IsFoundBesideOtherPoliciesInEitherByteOrder) {
  const Octets both = {0x00, 0, 0, 0,  0, 0, 0, 2,                     // big-endian, two policies
                       0,    0, 0, 64, 0, 0, 0, 2,  0x01, 0x01, 0, 0,  // compression
                       0,    0, 0, 40, 0, 0, 0, 10, 0x00, 0,    0, 0, 0, 0, 0, 1, 0, 7};
  EXPECT_EQ(decode_policies(both).model, (Model{true, 7}));
}

TEST(ModelComponent, CutAnywhereOrOfAnUnknownModelIsNone) {
  for (std::size_t size = 0; size < kDeclared.size(); ++size) {
    EXPECT_FALSE(
        decode_policies(Octets(kDeclared.begin(), kDeclared.begin() + static_cast<std::ptrdiff_t>(size))).model)
        << size;
  }
  Octets unknown = kDeclared;
  unknown[20] = 2;
  EXPECT_FALSE(decode_policies(unknown).model);
  Octets many = kDeclared;
  many[4] = many[5] = many[6] = many[7] = 0xff;
  EXPECT_FALSE(decode_policies(many).model);
}

TEST(BandsComponent, ComesBackBesideTheModel) {
  const Exposed both{.model = Model{false, 3}, .bands = {{0, 99}, {100, 32767}}};
  EXPECT_EQ(decode_policies(encode_policies(both)), both);
  EXPECT_EQ(decode_policies(encode_policies({.model = std::nullopt, .bands = {{1, 1}}})).bands, (Bands{{1, 1}}));
}

TEST(BandsComponent, ThatMakesNoSenseHasNone) {
  EXPECT_TRUE(decode_policies(encode_policies({.model = std::nullopt, .bands = {{2, 1}}})).bands.empty());
  EXPECT_TRUE(decode_policies(encode_policies({.model = std::nullopt, .bands = {{-1, 1}}})).bands.empty());
  EXPECT_TRUE(decode_policies(encode_policies({.model = std::nullopt, .bands = Bands(kMostBands + 1)})).bands.empty());
  const Octets whole = encode_policies({.model = std::nullopt, .bands = {{0, 1}, {2, 3}}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(decode_policies(cut).bands.empty()) << size;
  }
}

}  // namespace
}  // namespace corbel::real_time
