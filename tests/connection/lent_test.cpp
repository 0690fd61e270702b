// SPDX-License-Identifier: Apache-2.0
// The rest of a message in memory that the peer lends.
#include <numeric>

#include "framer_support.hpp"

namespace corbel::connection {
namespace {

class LentRestTest : public FramerTest {
 protected:
  struct Places final : transport::LentMemory::Owner {
    void give_back(std::uint32_t place) noexcept override { given_back.push_back(place); }
    std::vector<std::uint32_t> given_back;
  };

  LentRestTest() : octets_(100'000) { std::iota(octets_.begin(), octets_.end(), base::Octet{5}); }

  transport::LentMemory lend(std::uint32_t place) { return {places_, place, octets_}; }
  /// A request that ends with the octets, but for them.
  base::Bytes head(std::uint32_t id, std::size_t before = 0) const {
    const base::Bytes first(before, 1);
    base::Bytes whole = request(id, [&](cdr::Encoder& e) {
      e.put_octet_sequence(first);
      e.put(std::uint32_t{7});
      e.put_octet_sequence(octets_);
    });
    whole.resize(whole.size() - octets_.size());
    return whole;
  }
  /// The head comes, and the rest is lent.
  void arrive(std::uint32_t id, std::uint32_t place, std::size_t before = 0) {
    feed(head(id, before));
    ASSERT_FALSE(*framer_.next(message_));
    ASSERT_FALSE(framer_.begin_lent(octets_.size() - 1));
    ASSERT_TRUE(framer_.begin_lent(octets_.size()));
    framer_.received_lent(lend(place));
    ASSERT_TRUE(*framer_.next(message_));
    EXPECT_EQ(message_.request.origin.id, id);
    EXPECT_EQ(message_.body.get_octet_sequence().size(), before);
    EXPECT_EQ(message_.body.get<std::uint32_t>(), 7U);
  }

  base::Bytes octets_;
  base::IntrusivePtr<Places> places_{new Places};
};

TEST_F(LentRestTest, IsViewedInPlaceUntilItGoesBack) {
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    places_->given_back.clear();
    arrive(2 + 2 * turn, turn);
    base::ConstByteSpan view;
    ASSERT_TRUE(message_.body.view_rest(view));
    EXPECT_EQ(view.data(), octets_.data());
    EXPECT_EQ(view.size(), octets_.size());
    EXPECT_TRUE(places_->given_back.empty());
    framer_.end_lent();
    EXPECT_EQ(places_->given_back, std::vector<std::uint32_t>{turn});
    EXPECT_FALSE(framer_.in_message());
  }
}

TEST_F(LentRestTest, IsCopiedForWhoeverWantsAValueAndGoesBackThen) {
  arrive(2, 3);
  base::Bytes value;
  ASSERT_TRUE(message_.body.take_rest(value));
  EXPECT_EQ(value, octets_);
  EXPECT_EQ(places_->given_back, std::vector<std::uint32_t>{3});
}

TEST_F(LentRestTest, GoesBackAtTheLatestWithTheNextMessage) {
  arrive(2, 3);
  arrive(4, 9);
  EXPECT_EQ(places_->given_back, std::vector<std::uint32_t>{3});
  framer_.clear();
  EXPECT_EQ(places_->given_back, (std::vector<std::uint32_t>{3, 9}));
}

TEST_F(LentRestTest, IsLookedForAgainAfterItWasPutTogether) {
  arrive(2, 3);
  EXPECT_EQ(message_.body.get_octet_sequence().size(), octets_.size());
  arrive(4, 9);
  EXPECT_TRUE(message_.body.has_rest());
}

TEST_F(LentRestTest, IsReceivedAsEverBehindALongBeginningAndWhereSomeOfItHasCome) {
  for (const std::size_t before : {std::size_t{5000}, std::size_t{0}}) {
    base::Bytes whole = head(2, before);
    if (before == 0) whole.insert(whole.end(), octets_.begin(), octets_.begin() + 1);
    const std::size_t left = octets_.size() - (before == 0 ? 1 : 0);
    feed(whole, 700);
    ASSERT_FALSE(*framer_.next(message_));
    EXPECT_FALSE(framer_.begin_lent(left));
    feed(base::ConstByteSpan(octets_).last(left));
    ASSERT_TRUE(*framer_.next(message_));
    EXPECT_EQ(message_.body.get_octet_sequence().size(), before);
    EXPECT_EQ(message_.body.get<std::uint32_t>(), 7U);
    EXPECT_TRUE(std::ranges::equal(message_.body.get_octet_sequence(), octets_));
  }
}

TEST_F(LentRestTest, IsReceivedAsEverIfItDoesNotComeAfterAll) {
  feed(head(2));
  ASSERT_FALSE(*framer_.next(message_));
  ASSERT_TRUE(framer_.begin_lent(octets_.size()));
  feed(octets_, 30'000);
  ASSERT_TRUE(*framer_.next(message_));
  base::Bytes value;
  EXPECT_TRUE(message_.body.get_octet_sequence().empty());
  EXPECT_EQ(message_.body.get<std::uint32_t>(), 7U);
  ASSERT_TRUE(message_.body.take_rest(value));
  EXPECT_EQ(value, octets_);
}

TEST_F(LentRestTest, OtherMessagesFollow) {
  arrive(2, 3);
  feed(request(4, 10));
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_EQ(message_.body.get_octet_sequence().size(), 10U);
  EXPECT_FALSE(framer_.begin_lent(1));
  feed(base::ConstByteSpan(request(6, 10)).first(20));
  ASSERT_FALSE(*framer_.next(message_));
  EXPECT_FALSE(framer_.begin_lent(request(6, 10).size() - 20)) << "its header has not come";
}

TEST_F(LentRestTest, StaysWithAnUpcallWhenAnotherThreadReadsOn) {
  arrive(2, 3);
  Framer next(*input_.session, input_.account);
  next.take_over(framer_);
  base::ConstByteSpan view;
  ASSERT_TRUE(message_.body.view_rest(view));
  EXPECT_EQ(view.data(), octets_.data());
  EXPECT_TRUE(places_->given_back.empty());
  framer_.end_lent();
  EXPECT_EQ(places_->given_back, std::vector<std::uint32_t>{3});
}

}  // namespace
}  // namespace corbel::connection
