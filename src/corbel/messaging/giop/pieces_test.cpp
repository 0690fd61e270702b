// SPDX-License-Identifier: Apache-2.0
// What messages that come in pieces cost the side that puts them together.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop/session.hpp"
#include "support/byte_order.hpp"

namespace corbel::messaging::pieces {
namespace {

struct Purse final : Memory {
  bool take(std::size_t octets) override {
    if (octets > limit - paid) return false;
    paid += octets;
    return true;
  }
  void give(std::size_t octets) noexcept override { paid -= octets; }
  bool take_for_good(std::size_t octets) noexcept override { return take(octets); }
  void give_for_good(std::size_t octets) noexcept override { give(octets); }

  std::size_t limit = SIZE_MAX;
  std::size_t paid = 0;
};

/// A fragment of GIOP 1.1 after which there is more, with so many octets.
base::Bytes fragment(std::uint32_t size) {
  base::Bytes octets = {'G', 'I', 'O', 'P', 1, 1, 2 | test::kOrderFlag, 7};
  octets.resize(12 + size);
  std::memcpy(&octets[8], &size, sizeof size);
  return octets;
}

/// The first piece of a request in GIOP 1.1.
base::Bytes first_piece() {
  cdr::Format format;
  format.giop_minor = 1;
  cdr::Encoder encoder(format);
  const base::Bytes key = {'k', 'e', 'y'};
  const giop::Giop codec({1, 1});
  codec.encode_request(encoder, 2, {Response::with_target, key, "op", {}}, [](cdr::Encoder& body) { body.put(7U); });
  base::Bytes octets = encoder.to_bytes();
  octets[6] |= 2;
  return octets;
}

class GiopPieces : public testing::Test {
 protected:
  void serve(SessionSettings settings) {
    settings.side = Side::acceptor;
    server_ = make_giop()->open(settings);
  }
  base::Status take(const base::Bytes& octets) {
    message_ = octets;
    incoming_ = {};
    incoming_.joined = &joined_;
    return server_->take(message_, incoming_);
  }

  std::unique_ptr<Session> server_;
  base::Bytes message_;
  Joined joined_;
  Incoming incoming_;
};

TEST_F(GiopPieces, FragmentsOfNextToNothingArePaidFor) {
  Purse purse;
  SessionSettings settings;
  settings.memory = &purse;
  serve(settings);
  const base::Bytes first = first_piece();
  EXPECT_TRUE(take(first));
  const std::size_t paid = purse.paid;
  EXPECT_GE(paid, first.size());
  for (int n = 0; n < 10'000; ++n) ASSERT_TRUE(take(fragment(0)));
  EXPECT_LE(purse.paid, paid + sizeof(std::size_t));  // all in one place
  for (int n = 0; n < 1'000; ++n) ASSERT_TRUE(take(fragment(1)));
  EXPECT_GE(purse.paid, paid + 1'000 * (1 + sizeof(std::size_t)) - sizeof(std::size_t));
  base::Bytes last = fragment(1);
  last[6] = test::kOrderFlag;
  EXPECT_TRUE(take(last));
  EXPECT_EQ(incoming_.kind, Kind::request);
  EXPECT_EQ(purse.paid, joined_.cost());
  EXPECT_TRUE(take(first));
  purse.limit = purse.paid + 2;
  EXPECT_EQ(take(fragment(1)).error().code, base::Code::out_of_resources);
  server_.reset();
  EXPECT_EQ(purse.paid, joined_.cost());  // which its owner gives back
}

// Memory that grows is there twice for a while, and then larger than what is in it.
TEST_F(GiopPieces, RoomIsPaidForNotOctets) {
  Purse purse;
  SessionSettings settings;
  settings.memory = &purse;
  serve(settings);
  EXPECT_TRUE(take(first_piece()));
  EXPECT_TRUE(take(fragment(100'000)));
  EXPECT_TRUE(take(fragment(10)));
  EXPECT_GE(purse.paid, 200'000U);
  const std::size_t paid = purse.paid;
  EXPECT_TRUE(take(fragment(90'000)));
  EXPECT_LE(purse.paid, paid + 100);   // there was room
  purse.limit = purse.paid + 390'000;  // for octets, not for the new room beside the old
  EXPECT_EQ(take(fragment(20'000)).error().code, base::Code::out_of_resources);
  server_.reset();
  EXPECT_EQ(purse.paid, 0U);
}

TEST_F(GiopPieces, AreGivenBackWhenTheirRequestIsCancelled) {
  Purse purse;
  SessionSettings settings;
  settings.memory = &purse;
  serve(settings);
  EXPECT_TRUE(take(first_piece()));
  EXPECT_TRUE(take(fragment(1)));
  EXPECT_NE(purse.paid, 0U);
  EXPECT_TRUE(take({'G', 'I', 'O', 'P', 1, 1, 1, 2, 4, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(purse.paid, 0U);
  for (int n = 0; n < 3; ++n) {
    EXPECT_TRUE(take(first_piece()));
    base::Bytes last = fragment(1);
    last[6] = test::kOrderFlag;
    EXPECT_TRUE(take(last));
    EXPECT_EQ(purse.paid, joined_.cost());
  }
}

// Also where nothing pays: what they take does not go beyond the largest message.
TEST_F(GiopPieces, FragmentsOfNextToNothingEnd) {
  SessionSettings settings;
  settings.limits.max_message_size = 1000;
  serve(settings);
  base::Status status = take(first_piece());
  int taken = 0;
  for (; status && taken < 1'000; ++taken) status = take(fragment(1));
  EXPECT_EQ(status.error().code, base::Code::too_large);
  EXPECT_LE(taken, 130);
}

TEST_F(GiopPieces, AFirstPieceWithoutARequestIdIsMalformed) {
  serve({});
  EXPECT_EQ(take({'G', 'I', 'O', 'P', 1, 2, 3, 0, 2, 0, 0, 0, 0, 0}).error().code, base::Code::malformed);
}

}  // namespace
}  // namespace corbel::messaging::pieces
