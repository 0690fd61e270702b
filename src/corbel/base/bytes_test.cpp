// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "corbel/base/log_rate.hpp"

namespace corbel::base {
namespace {

TEST(Hexadecimal, IsTwoDigitsAnOctetInLowerCase) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(to_hex(Bytes{0x00, 0x0f, 0xa0, 0xff}), "000fa0ff");
}

TEST(Hexadecimal, IsReadInEitherCase) {
  Bytes octets{1};
  EXPECT_TRUE(from_hex("000fA0fF9a", octets));
  EXPECT_EQ(octets, (Bytes{0x00, 0x0f, 0xa0, 0xff, 0x9a}));
  EXPECT_TRUE(from_hex("", octets));
  EXPECT_EQ(octets, Bytes());
}

TEST(Hexadecimal, OfOddLengthOrOtherLettersIsNone) {
  Bytes octets;
  for (const char* const text : {"0", "000", "0g", "g0", "0G", "/0", ":0", "@0", "0`", " 0", "0x"}) {
    EXPECT_FALSE(from_hex(text, octets)) << text;
  }
  EXPECT_FALSE(from_hex(std::string_view("0000").substr(0, 3), octets)) << "what follows is none of the text";
}

TEST(CopyingOctets, CopiesAllWhereverTargetAndSourceLie) {
  constexpr std::size_t kMost = 3 * kCopyPiece;
  Bytes source(kMost + 1);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<Octet>(i % 251);  // each piece is another
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kCopyPiece - 1, kCopyPiece, kCopyPiece + 1,
                                 2 * kCopyPiece, 2 * kCopyPiece + 1, kMost}) {
    // Some offset within a page is what some processors are slow at, whatever the source's is.
    Bytes memory(4096 + kMost + 1, 0xee);
    for (std::size_t at = 0; at <= 4096; at += 32) {
      copy_octets(memory.data() + at, source.data(), size);
      ASSERT_TRUE(std::equal(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(size),
                             memory.begin() + static_cast<std::ptrdiff_t>(at)))
          << size << " octets at " << at;
      ASSERT_EQ(memory[at + size], 0xee) << size << " octets at " << at;
      std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(at), size, Octet{0xee});
    }
  }
  copy_octets(nullptr, nullptr, 0);
}

TEST(CopyingOctets, IsSlowOnlyIfMuchIsCopiedALittleAhead) {
  auto* const page = reinterpret_cast<Octet*>(std::uintptr_t{1} << 20);  // an address to reckon with
  EXPECT_FALSE(copies_slowly(page, page, kCopyPiece + 1));
  EXPECT_TRUE(copies_slowly(page + 1, page, kCopyPiece + 1));
  EXPECT_TRUE(copies_slowly(page + 4096 + 63, page, kCopyPiece + 1));
  EXPECT_FALSE(copies_slowly(page + 64, page, kCopyPiece + 1));
  EXPECT_FALSE(copies_slowly(page, page + 1, kCopyPiece + 1));
  EXPECT_FALSE(copies_slowly(page + 1, page, kCopyPiece));
}

// --- how often something is logged ---

TEST(LogRates, LetSoManyPassInASecondOfEachEvent) {
  LogRate rate(2);
  const std::string_view one = "one";
  const std::string_view other = "other";
  for (const std::int64_t second : {5, 6}) {
    EXPECT_TRUE(rate.admit(LogModule::orb, one, second));
    EXPECT_TRUE(rate.admit(LogModule::orb, one, second));
    EXPECT_FALSE(rate.admit(LogModule::orb, one, second));
    EXPECT_TRUE(rate.admit(LogModule::orb, other, second)) << "another event";
    EXPECT_TRUE(rate.admit(LogModule::client, one, second)) << "another module";
  }
}

TEST(LogRates, AreEachModulesOwnEvenIfTheirPlacesAreBesideEachOther) {
  LogRate rate(1);
  const std::string texts(16, 'x');
  const std::string_view first = std::string_view(texts).substr(0, 1);
  const std::string_view second = std::string_view(texts).substr(8, 1);
  const auto one = static_cast<LogModule>(0);
  const auto other = static_cast<LogModule>(1);
  EXPECT_TRUE(rate.admit(other, second, 1));
  EXPECT_TRUE(rate.admit(other, first, 1));  // takes the place where one's second event would be
  EXPECT_TRUE(rate.admit(one, second, 1));
  EXPECT_FALSE(rate.admit(one, second, 1));
}

TEST(LogRates, OfZeroLetEverythingPass) {
  LogRate rate(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(rate.admit(LogModule::orb, "often", 1));
}

TEST(LogRates, TellOnceWhatWasLeftOutWhenItsSecondIsOver) {
  LogRate rate(1);
  LogRate::Summary summary;
  const std::string_view event = "often";
  for (int i = 0; i < 4; ++i) (void)rate.admit(LogModule::server, event, 1);
  EXPECT_EQ(rate.take_left_out(1, summary), 0U) << "more may come";
  ASSERT_EQ(rate.take_left_out(2, summary), 1U);
  EXPECT_EQ(summary[0].event, event);
  EXPECT_EQ(summary[0].module, LogModule::server);
  EXPECT_EQ(summary[0].records, 3U);
  EXPECT_EQ(rate.take_left_out(2, summary), 0U);
  EXPECT_EQ(rate.take_left_out(3, summary), 0U) << "told already";
}

TEST(LogRates, HaveEventsThatAreTooManyShareTheirLimit) {
  LogRate rate(1);
  const std::string texts(8 * (LogRate::kEvents + 1), 'x');
  const auto event = [&](std::size_t i) { return std::string_view(texts).substr(8 * i, 1); };
  for (std::size_t i = 0; i < LogRate::kEvents; ++i) EXPECT_TRUE(rate.admit(LogModule::orb, event(i), 1)) << i;
  EXPECT_FALSE(rate.admit(LogModule::orb, event(LogRate::kEvents), 1));
  EXPECT_TRUE(rate.admit(LogModule::orb, event(LogRate::kEvents), 2));
}

}  // namespace
}  // namespace corbel::base
