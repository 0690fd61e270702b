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
    EXPECT_EQ(encode_policies({false, 42}), kPropagated);
    EXPECT_EQ(encode_policies({true, 32767}), kDeclared);
  }
  EXPECT_EQ(find_model(kPropagated), (Model{false, 42}));
  EXPECT_EQ(find_model(kDeclared), (Model{true, 32767}));
}

TEST(ModelComponent, IsFoundBesideOtherPoliciesInEitherByteOrder) {
  const Octets both = {0x00, 0, 0, 0,  0, 0, 0, 2,                     // big-endian, two policies
                       0,    0, 0, 64, 0, 0, 0, 2,  0x01, 0x01, 0, 0,  // compression
                       0,    0, 0, 40, 0, 0, 0, 10, 0x00, 0,    0, 0, 0, 0, 0, 1, 0, 7};
  EXPECT_EQ(find_model(both), (Model{true, 7}));
}

TEST(ModelComponent, CutAnywhereOrOfAnUnknownModelIsNone) {
  for (std::size_t size = 0; size < kDeclared.size(); ++size) {
    EXPECT_FALSE(find_model(Octets(kDeclared.begin(), kDeclared.begin() + static_cast<std::ptrdiff_t>(size)))) << size;
  }
  Octets unknown = kDeclared;
  unknown[20] = 2;
  EXPECT_FALSE(find_model(unknown));
  Octets many = kDeclared;
  many[4] = many[5] = many[6] = many[7] = 0xff;
  EXPECT_FALSE(find_model(many));
}

}  // namespace
}  // namespace corbel::real_time
