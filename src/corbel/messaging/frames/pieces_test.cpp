// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <random>

#include "corbel/messaging/frames/layout.hpp"
#include "support/allocations.hpp"

namespace corbel::messaging::frames {
namespace {

class Wallet final : public Memory {
 public:
  bool take(std::size_t octets) override {
    if (taken + octets > most) return false;
    taken += octets;
    return true;
  }
  void give(std::size_t octets) noexcept override { taken -= octets; }
  bool take_for_good(std::size_t octets) noexcept override { return take(octets); }
  void give_for_good(std::size_t octets) noexcept override { give(octets); }
  std::size_t most = SIZE_MAX;
  std::size_t taken = 0;
};

base::Bytes content(std::size_t size, std::uint32_t seed) {
  base::Bytes octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<base::Octet>(i * 31 + (i >> 8) + seed);
  return octets;
}

class FramePieces : public testing::Test {
 protected:
  FramePieces() { limits_.max_message_size = 1U << 20; }
  Piece piece(const base::Bytes& frame, std::uint32_t number, std::uint32_t sequence = 1) const {
    Piece one{sequence, static_cast<std::uint32_t>(frame.size()), unit_, number, {}};
    const std::size_t from = std::size_t{number} * unit_;
    one.data = base::ConstByteSpan(frame).subspan(from, std::min<std::size_t>(unit_, frame.size() - from));
    return one;
  }
  bool add(const Piece& one) {
    EXPECT_TRUE(one.makes_sense());
    const std::size_t before = joined_.octets.size();
    const auto whole = pieces_.add(one, joined_);
    EXPECT_TRUE(whole);
    if (whole && !*whole) {
      EXPECT_EQ(joined_.octets.size(), before);
    }
    // What is joined is paid for as well.
    EXPECT_EQ(wallet_.taken, pieces_.octets() + joined_.cost());
    return whole && *whole;
  }

  const std::uint32_t unit_ = 104;
  cdr::Limits limits_;
  Counts counts_;
  Wallet wallet_;
  std::uint64_t born_ = 0;
  Pieces pieces_{counts_, limits_, &wallet_, born_};
  Joined joined_;
};

TEST_F(FramePieces, InAnyOrderAndTwiceMakeTheFrame) {
  std::mt19937 random(7);
  for (std::uint32_t round = 0; round < 200; ++round) {
    const base::Bytes frame = content(17 + random() % 5000, round);
    std::vector<std::uint32_t> order((frame.size() - 1) / unit_ + 1);
    std::iota(order.begin(), order.end(), 0);
    if (round % 3 != 0) std::shuffle(order.begin(), order.end(), random);
    if (round % 2 != 0 && order.size() > 1) order.insert(order.begin() + 1, order.front());
    std::size_t whole = 0;
    std::size_t at = 0;
    for (const std::uint32_t number : order) {
      ++at;
      if (!add(piece(frame, number, round))) continue;
      ++whole;
      EXPECT_EQ(at, order.size());
    }
    ASSERT_EQ(whole, 1U);
    ASSERT_EQ(joined_.octets, frame);
    ASSERT_EQ(pieces_.oldest(), 0U);
  }
  EXPECT_EQ(counts_.incomplete, 0U);
}

TEST_F(FramePieces, OfWhichOneFoundNoMemoryArePaidForOnce) {
  const base::Bytes frame = content(1000, 0);
  std::size_t made = 0;
  bool refused = true;
  for (std::size_t allocation = 0; refused; ++allocation) {
    refused = false;
    Wallet wallet;
    Joined joined;
    Pieces pieces(counts_, limits_, &wallet, born_);
    bool whole = false;
    test::refuse_allocations(allocation, 1);
    for (std::uint32_t i = 0; i < 10; ++i) {
      const Piece each = piece(frame, i ^ 1);  // of each two the second comes first
      try {
        whole = *pieces.add(each, joined);
      } catch (const std::bad_alloc&) {  // it comes again
        refused = true;
        whole = *pieces.add(each, joined);
      }
    }
    test::refuse_allocations(0, 0);
    if (!whole) continue;
    ++made;
    EXPECT_EQ(joined.octets, frame);
    EXPECT_EQ(wallet.taken, joined.cost()) << allocation;
    ASSERT_LT(allocation, 100U);
  }
  EXPECT_GT(made, 2U);
}

TEST_F(FramePieces, ThatDoNotFitTogetherAreRefused) {
  const base::Bytes frame = content(1000, 0);
  EXPECT_FALSE(add(piece(frame, 0)));
  Piece other = piece(frame, 1);
  other.total = 1001;
  EXPECT_EQ(pieces_.add(other, joined_).error().code, base::Code::malformed);
  other = piece(frame, 1);
  other.unit = 112;
  EXPECT_EQ(pieces_.add(other, joined_).error().code, base::Code::malformed);
}

TEST_F(FramePieces, ThatMakeNoSenseAreKnownAsSuch) {
  const base::Bytes frame = content(1000, 0);
  const Piece good = piece(frame, 9);
  EXPECT_TRUE(good.makes_sense());
  const auto with = [&](auto change) {
    Piece bad = good;
    change(bad);
    return bad.makes_sense();
  };
  EXPECT_FALSE(with([](Piece& p) { p.total = 0; }));
  EXPECT_FALSE(with([](Piece& p) { p.total = 16; }));
  EXPECT_FALSE(with([](Piece& p) { p.total = 0xffffffffU; }));
  EXPECT_FALSE(with([](Piece& p) { p.unit = 0; }));
  EXPECT_FALSE(with([](Piece& p) { p.unit = 0x7fff8; }));
  EXPECT_FALSE(with([](Piece& p) { p.number = 10; }));
  EXPECT_FALSE(with([](Piece& p) { p.number = 0; }));
  EXPECT_FALSE(with([](Piece& p) { p.number = 0xffff; }));
  EXPECT_FALSE(with([](Piece& p) { p.data = p.data.first(1); }));
}

TEST_F(FramePieces, OfManyFramesAreForgottenOldestFirst) {
  std::vector<base::Bytes> frames;
  for (std::uint32_t i = 0; i < 10; ++i) {
    frames.push_back(content(1000, i));
    EXPECT_FALSE(add(piece(frames[i], 3, i)));
  }
  EXPECT_EQ(counts_.incomplete, 6U);
  EXPECT_EQ(pieces_.oldest(), 7U);
  EXPECT_EQ(wallet_.taken, 4 * unit_);
  for (std::uint32_t number = 0; number < 10; ++number) {
    EXPECT_EQ(add(piece(frames[9], number, 9)), number == 9);
  }
  EXPECT_EQ(joined_.octets, frames[9]);
}

TEST_F(FramePieces, AreKeptWithinTheLimitAndTheMemoryThereIs) {
  // What is announced costs nothing, what comes does.
  const base::Bytes large = content(200'000, 0);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_FALSE(add(piece(large, 100, i)));
  EXPECT_EQ(wallet_.taken, 4 * unit_);
  wallet_.most = 150'000;
  for (std::uint32_t number = 0; number < 1500; ++number) (void)add(piece(large, number, 3));
  EXPECT_LE(wallet_.taken, 150'000U);
  EXPECT_EQ(counts_.incomplete, 4U) << "the others went first, then this one";
  const base::Bytes small = content(500, 1);
  bool whole = false;
  for (std::uint32_t number = 0; number < 5; ++number) whole = add(piece(small, number, 77));
  EXPECT_TRUE(whole);
  pieces_.clear();
  EXPECT_EQ(wallet_.taken, joined_.octets.size());
}

TEST_F(FramePieces, AreCutSoThatTheyComeTogetherAgain) {
  const base::Bytes frame = content(3001, 5);
  // In segments that have nothing to do with the cuts, an empty one among them.
  std::vector<cdr::Segment> segments;
  for (std::size_t at = 0, size = 0; at < frame.size(); at += size, size = (size * 7 + 13) % 400) {
    segments.push_back({frame.data() + at, std::min(size, frame.size() - at)});
  }
  base::Octet head[kHeaderSize + kPieceSize] = {};
  std::uint32_t number = 0;
  bool whole = false;
  const auto cut = cut_frame(segments, head, 131, [&](std::span<const cdr::Segment> message) -> base::Status {
    base::Bytes octets;
    for (const cdr::Segment& segment : message) {
      const auto* from = static_cast<const base::Octet*>(segment.data);
      octets.insert(octets.end(), from, from + segment.size);
    }
    EXPECT_LE(octets.size(), 131U);
    EXPECT_FALSE(whole);
    std::uint32_t size = 0;
    std::memcpy(&size, octets.data() + 4, 4);
    EXPECT_EQ(size, octets.size());
    Piece one{9, 0, 0, number++, base::ConstByteSpan(octets).subspan(24)};
    std::memcpy(&one.total, octets.data() + 16, 4);
    std::uint16_t unit = 0;
    std::memcpy(&unit, octets.data() + 22, 2);
    one.unit = unit * std::uint32_t{8};
    EXPECT_EQ(one.unit, unit_);
    whole = add(one);
    return {};
  });
  EXPECT_TRUE(cut);
  EXPECT_TRUE(whole);
  EXPECT_EQ(joined_.octets, frame);
  const auto nobody = [](std::span<const cdr::Segment>) -> base::Status {
    ADD_FAILURE();
    return {};
  };
  EXPECT_EQ(cut_frame(segments, head, 31, nobody).error().code, base::Code::too_large);
  const base::Bytes huge(kMostPieces * 8 + 1);
  const cdr::Segment whole_of_it{huge.data(), huge.size()};
  EXPECT_EQ(cut_frame({&whole_of_it, 1}, head, 32, nobody).error().code, base::Code::too_large);
}

}  // namespace
}  // namespace corbel::messaging::frames
