// SPDX-License-Identifier: Apache-2.0
#include "framer_support.hpp"

namespace corbel::connection {
namespace {

using base::Code;

TEST_F(FramerTest, GivesAMessageOnceItsLastOctetHasArrived) {
  const base::Bytes whole = request(2, 100);
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    feed({&whole[i], 1});
    auto next = framer_.next(message_);
    ASSERT_TRUE(next.ok());
    ASSERT_FALSE(*next) << "after octet " << i;
    EXPECT_TRUE(framer_.in_message());
  }
  feed({&whole.back(), 1});
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_TRUE(std::ranges::equal(message_.octets, whole));
  EXPECT_FALSE(framer_.in_message());
}

TEST_F(FramerTest, GivesSeveralMessagesOfOneReceiveInOrder) {
  base::Bytes stream;
  for (std::uint32_t id = 2; id <= 20; id += 2) {
    const base::Bytes one = request(id, id);
    stream.insert(stream.end(), one.begin(), one.end());
  }
  feed(stream);
  for (std::uint32_t id = 2; id <= 20; id += 2) {
    ASSERT_TRUE(*framer_.next(message_));
    EXPECT_EQ(message_.request.origin.id, id);
  }
  EXPECT_FALSE(*framer_.next(message_));
}

TEST_F(FramerTest, JoinsFragmentsOfBothVersions) {
  for (const std::uint8_t minor : {std::uint8_t{1}, std::uint8_t{2}}) {
    const base::Bytes whole = request(4, 1000, {1, minor});
    feed(fragmented(whole, 64, 4, minor), 17);
    auto next = framer_.next(message_);
    ASSERT_TRUE(next.ok()) << base::to_string(next.error());
    ASSERT_TRUE(*next);
    EXPECT_EQ(message_.octets.size(), whole.size());
    EXPECT_TRUE(std::ranges::equal(message_.octets.subspan(12), base::ConstByteSpan(whole).subspan(12)));
  }
}

TEST_F(FramerTest, TellsWhereFragmentsWithoutRequestIdWereJoined) {
  const base::Bytes old = request(4, 200, {1, 1});
  feed(fragmented(old, 100, 4, 1));
  ASSERT_TRUE(framer_.next(message_));
  EXPECT_EQ(base::Bytes(message_.octets.begin() + 12, message_.octets.end()), base::Bytes(old.begin() + 12, old.end()));
  EXPECT_EQ(std::vector<std::size_t>(message_.joints.begin(), message_.joints.end()),
            (std::vector<std::size_t>{100, 200}));
  const base::Bytes now = request(6, 200);
  feed(fragmented(now, 160, 6, 2));
  ASSERT_TRUE(framer_.next(message_));
  EXPECT_TRUE(message_.joints.empty());
}

TEST_F(FramerTest, JoinsInterleavedFragmentsOfDifferentRequests) {
  const base::Bytes a = request(2, 200);
  const base::Bytes b = request(4, 200);
  const base::Bytes fa = fragmented(a, 160, 2, 2);
  const base::Bytes fb = fragmented(b, 160, 4, 2);
  feed(base::ConstByteSpan(fa).first(160));
  feed(base::ConstByteSpan(fb).first(160));
  feed(base::ConstByteSpan(fa).subspan(160));
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_EQ(message_.request.origin.id, 2U);
  feed(base::ConstByteSpan(fb).subspan(160));
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_EQ(message_.request.origin.id, 4U);
}

TEST_F(FramerTest, RejectsAFragmentThatContinuesNothing) {
  base::Bytes fragment{'G', 'I', 'O', 'P', 1, 2, 1, 7, 8, 0, 0, 0, 6, 0, 0, 0, 1, 2, 3, 4};
  feed(fragment);
  EXPECT_EQ(framer_.next(message_).error().code, Code::malformed);
}

TEST_F(FramerTest, RejectsBadMagicAndSizesBeyondTheLimitBeforeAllocating) {
  base::Bytes bad{'G', 'I', 'O', 'X', 1, 2, 1, 0, 0, 0, 0, 0};
  feed(bad);
  EXPECT_EQ(framer_.next(message_).error().code, Code::malformed);
  Input fresh(limits_);
  Framer& other = fresh.framer;
  base::Bytes huge{'G', 'I', 'O', 'P', 1, 2, 1, 0, 0xff, 0xff, 0xff, 0x7f};
  std::memcpy(other.space().data(), huge.data(), huge.size());
  other.received(huge.size());
  EXPECT_EQ(other.next(message_).error().code, Code::too_large);
}

TEST_F(FramerTest, GrowsWithWhatArrivesNotWithWhatIsAnnounced) {
  base::Bytes huge{'G', 'I', 'O', 'P', 1, 2, 1, 0, 0, 0, 0, 8};  // 128 MiB announced
  feed(huge);
  EXPECT_FALSE(*framer_.next(message_));
  EXPECT_LE(framer_.space().size(), 64U << 10);
}

TEST_F(FramerTest, LimitsOctetsAndNumberOfOpenMessages) {
  for (std::uint32_t id = 2; id < 100; id += 2) {
    base::Bytes first = request(id, 8);
    patch(first, 0, first.size(), true);
    feed(first);
    auto next = framer_.next(message_);
    if (!next) {
      EXPECT_EQ(next.error().code, Code::too_large);
      return;
    }
  }
  FAIL() << "any number of messages may be open";
}

TEST_F(FramerTest, OctetsOfJoinedMessagesCountNoLonger) {
  limits_.max_message_size = 4096;
  Input input(limits_);
  Framer& framer = input.framer;
  for (std::uint32_t id = 2; id < 60; id += 2) {
    const base::Bytes stream = fragmented(request(id, 1000), 160, id, 2);
    for (base::ConstByteSpan rest(stream); !rest.empty();) {
      const base::ByteSpan space = framer.space();
      const std::size_t size = std::min(space.size(), rest.size());
      std::memcpy(space.data(), rest.data(), size);
      framer.received(size);
      rest = rest.subspan(size);
    }
    const auto next = framer.next(message_);
    ASSERT_TRUE(next.ok() && *next) << id;
    EXPECT_FALSE(framer.in_message());
  }
}

TEST_F(FramerTest, OctetsOfDroppedMessagesCountNoLonger) {
  limits_.max_message_size = 2048;
  Input input(limits_);
  Framer& framer = input.framer;
  for (std::uint32_t id = 2; id < 60; id += 2) {
    base::Bytes first = request(id, 1000);
    patch(first, 0, first.size(), true);
    std::memcpy(framer.space().data(), first.data(), first.size());
    framer.received(first.size());
    ASSERT_TRUE(framer.next(message_).ok()) << id;
    EXPECT_NE(framer.oldest_part(), 0U);
    for (int i = 0; i < 2; ++i) {
      cdr::Encoder cancel;
      codec_.encode_cancel_request(cancel, id);
      const base::Bytes octets = cancel.to_bytes();
      std::memcpy(framer.space().data(), octets.data(), octets.size());
      framer.received(octets.size());
      ASSERT_TRUE(*framer.next(message_));
      EXPECT_EQ(message_.kind, messaging::Kind::cancel);
    }
    EXPECT_EQ(input.session->part_octets(), 0U);
    EXPECT_EQ(framer.oldest_part(), 0U);
  }
}

TEST_F(FramerTest, TheLimitIsForTheOctetsOfAllOpenMessages) {
  limits_.max_message_size = 2048;
  for (const bool in_fragment : {false, true}) {
    Input input(limits_);
    Framer& framer = input.framer;
    const auto put = [&](const base::Bytes& octets) {
      std::memcpy(framer.space().data(), octets.data(), octets.size());
      framer.received(octets.size());
      return framer.next(message_);
    };
    base::Bytes a = request(2, 900);
    patch(a, 0, a.size(), true);
    ASSERT_TRUE(put(a).ok());
    base::Bytes b = request(4, in_fragment ? 500 : 1200);
    patch(b, 0, b.size(), true);
    if (in_fragment) {
      ASSERT_TRUE(put(b).ok());
      base::Bytes c{'G', 'I', 'O', 'P', 1, 2, 3, 7, 0, 0, 0, 0, 4, 0, 0, 0};
      c.resize(c.size() + 704);
      patch(c, 0, c.size(), true);
      EXPECT_EQ(put(c).error().code, Code::too_large);
    } else {
      EXPECT_EQ(put(b).error().code, Code::too_large);
    }
  }
}

TEST_F(FramerTest, RejectsASecondBeginningOfAnOpenMessageAndAFragmentOfAnotherKind) {
  base::Bytes first = request(2, 8);
  patch(first, 0, first.size(), true);
  {
    Input input(limits_);
    Framer& framer = input.framer;
    for (int i = 0; i < 2; ++i) {
      std::memcpy(framer.space().data(), first.data(), first.size());
      framer.received(first.size());
      const auto next = framer.next(message_);
      EXPECT_EQ(next.ok(), i == 0);
    }
  }
  for (const std::size_t octet : {std::size_t{5}, std::size_t{6}}) {
    Input input(limits_);
    Framer& framer = input.framer;
    base::Bytes fragment{'G', 'I', 'O', 'P', 1, 2, 1, 7, 8, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4};
    if (octet == 5) {
      fragment[5] = 1;  // GIOP 1.1
    } else {
      fragment = {'G', 'I', 'O', 'P', 1, 2, 0, 7, 0, 0, 0, 8, 0, 0, 0, 2, 1, 2, 3, 4};  // big-endian
    }
    base::Bytes both = first;
    both.insert(both.end(), fragment.begin(), fragment.end());
    std::memcpy(framer.space().data(), both.data(), both.size());
    framer.received(both.size());
    EXPECT_EQ(framer.next(message_).error().code, Code::malformed) << octet;
  }
}

TEST_F(FramerTest, AMessageKeepsItsNumberWhileItIsIncompleteAndNoOtherHasIt) {
  const base::Bytes whole = request(2, 100);
  EXPECT_EQ(framer_.oldest_part(), 0U);
  feed(base::ConstByteSpan(whole).first(5));
  const auto number = framer_.oldest_part();
  EXPECT_NE(number, 0U);
  feed(base::ConstByteSpan(whole).subspan(5, 50));
  ASSERT_FALSE(*framer_.next(message_));
  EXPECT_EQ(framer_.oldest_part(), number);
  feed(base::ConstByteSpan(whole).subspan(55));
  feed(base::ConstByteSpan(whole).first(5));
  ASSERT_TRUE(*framer_.next(message_));
  const auto next = framer_.oldest_part();
  EXPECT_NE(next, 0U);
  EXPECT_NE(next, number);
  Framer fresh(*input_.session, input_.account);
  fresh.take_over(framer_);
  EXPECT_EQ(fresh.oldest_part(), next);
}

TEST_F(FramerTest, AnotherFramerTakesOverWhatIsUnread) {
  const base::Bytes one = request(2, 10);
  const base::Bytes two = request(4, 10);
  base::Bytes stream = one;
  stream.insert(stream.end(), two.begin(), two.end());
  feed(stream);
  ASSERT_TRUE(*framer_.next(message_));
  Framer fresh(*input_.session, input_.account);
  fresh.take_over(framer_);
  Message second;
  ASSERT_TRUE(*fresh.next(second));
  EXPECT_EQ(second.request.origin.id, 4U);
  EXPECT_TRUE(std::ranges::equal(message_.octets, one));  // still readable
}

}  // namespace
}  // namespace corbel::connection
