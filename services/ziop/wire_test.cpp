// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "test_support.hpp"

namespace corbel::ziop {
namespace {

const Levels kZlib6{{kZlib, 6}};

TEST(ZiopWire, ReadsWhatOmniOrbSaysOfCompression) {
  EXPECT_EQ(decode_exposed(octets_of(kOmniComponent)), (Exposed{true, kZlib6}));
  EXPECT_EQ(decode_exposed(octets_of(kOmniContext)), (Exposed{true, kZlib6}));
}

TEST(ZiopWire, SaysItInOctetsThatAreOmniOrbs) {
  base::Bytes theirs = octets_of(kOmniContext);
  theirs[1] = theirs[29] = 0;  // gaps, in which anything may be
  EXPECT_EQ(encode({true, kZlib6}), theirs);
}

TEST(ZiopWire, TakesNothingForAPolicyThatMakesNoSense) {
  const base::Bytes whole = octets_of(kOmniContext);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Exposed exposed = decode_exposed(base::ConstByteSpan(whole).first(size));
    EXPECT_TRUE(!exposed.enabled || exposed.compressors.empty()) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 2, 0x7f, 0xff}) {
      base::Bytes mutated = whole;
      mutated[at] = static_cast<base::Octet>(value);
      EXPECT_LE(decode_exposed(mutated).compressors.size(), kMostLevels);
    }
  }
}

TEST(ZiopWire, LeavesOutWhatIsNotEnabled) {
  EXPECT_EQ(decode_exposed(encode({false, kZlib6})), Exposed());
}

TEST(ZiopWire, LooksAtABoundedNumberOfCompressors) {
  EXPECT_EQ(decode_exposed(encode({true, Levels(1000, IdLevel{kZlib, 1})})).compressors.size(), kMostLevels);
}

TEST(ZiopWire, ReadsCompressorsAsOptionsNameThem) {
  EXPECT_EQ(read_levels("zlib:9"), (Levels{{kZlib, 9}}));
  EXPECT_EQ(read_levels("zlib"), kZlib6);
  EXPECT_EQ(read_levels("101:3,zlib:1"), (Levels{{101, 3}, {kZlib, 1}}));
  EXPECT_EQ(read_levels("off"), Levels());
  for (const char* wrong : {"", "zlib:", "zlib:x", "zlob", "zlib:6,", ",zlib", "none", "0", "70000", "zlib:-1", "on"}) {
    EXPECT_FALSE(read_levels(wrong)) << wrong;
  }
  EXPECT_EQ(to_string({kZlib, 6}), "zlib:6");
  EXPECT_EQ(to_string({101, 3}), "101:3");
}

TEST(ZiopWire, TakesTheLowerLevelOfWhatBothHave) {
  const Levels mine{{2, 3}, {kZlib, 9}, {101, 1}};
  EXPECT_EQ(in_common(mine, {{101, 5}, {kZlib, 4}}), (Levels{{kZlib, 4}, {101, 1}}));
  EXPECT_EQ(in_common(mine, {{7, 5}}), Levels());
}

base::Code refusal(base::Bytes message, std::uint32_t most = 1U << 20) {
  const auto head = read_head(message, most);
  return head ? base::Code::none : head.error().code;
}

base::Bytes changed(std::size_t at, std::uint32_t value) {
  base::Bytes message = octets_of(kOmniRequest);
  std::memcpy(message.data() + at, &value, sizeof value);
  return message;
}

TEST(ZiopWire, RefusesHeadsThatMakeNoSense) {
  if constexpr (std::endian::native != std::endian::little) GTEST_SKIP() << "the octets are little-endian";
  EXPECT_EQ(refusal(octets_of(kOmniRequest)), base::Code::none);
  EXPECT_EQ(refusal(changed(8, 11)), base::Code::malformed);
  EXPECT_EQ(refusal(changed(8, 0x64)), base::Code::malformed);  // the data are longer than that
  EXPECT_EQ(refusal(changed(8, 0xffffffff)), base::Code::too_large);
  EXPECT_EQ(refusal(changed(16, (1U << 20) - 11)), base::Code::too_large);
  EXPECT_EQ(refusal(changed(16, (1U << 20) - 12)), base::Code::none);
  EXPECT_EQ(refusal(changed(16, 0xffffffff)), base::Code::too_large);
  EXPECT_EQ(refusal(changed(20, 0x58)), base::Code::malformed);
  EXPECT_EQ(refusal(octets_of(kOmniRequest), 112), base::Code::too_large);
  EXPECT_EQ(refusal(octets_of(kOmniRequest), 0), base::Code::too_large);
  base::Bytes version = octets_of(kOmniRequest);
  for (const int minor : {0, 1, 3}) {
    version[5] = static_cast<base::Octet>(minor);
    EXPECT_EQ(refusal(version), base::Code::unsupported);
  }
}

TEST(ZiopWire, ReadsHeadsInBothByteOrders) {
  for (const bool little : {false, true}) {
    const base::Octet flags = little ? 1 : 0;
    const base::Bytes giop{'G', 'I', 'O', 'P', 1, 2, flags, 0, 9, 9, 9, 9};
    const bool swapped = little != (std::endian::native == std::endian::little);
    base::Bytes message(kDataAt + 5);
    put_head(giop, swapped, 0x0102, 0x030405, 5, message.data());
    EXPECT_TRUE(is_compressed(message));
    const auto head = read_head(message, 1U << 24);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->size, message.size());
    EXPECT_EQ(head->compressor, 0x0102);
    EXPECT_EQ(head->original_length, 0x030405U);
    base::Bytes back(kGiopHeader);
    put_giop_header(message, 0x030405, back.data());
    EXPECT_EQ(base::as_text(back).substr(0, 8), base::as_text(giop).substr(0, 8));
    EXPECT_EQ(back[little ? 10 : 9], 3);
  }
}

}  // namespace
}  // namespace corbel::ziop
