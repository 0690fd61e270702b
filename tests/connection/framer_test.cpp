// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/framer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"

namespace corbel::connection {
namespace {

using base::Code;

class FramerTest : public testing::Test {
 protected:
  base::Bytes request(std::uint32_t id, std::size_t body_size, messaging::Version version = {1, 2}) const {
    cdr::Format format;
    format.giop_minor = version.minor;
    cdr::Encoder encoder(format);
    const base::Bytes key{1, 2, 3, 4};
    const base::Bytes body(body_size, 0x5a);
    messaging::OutgoingRequest header;
    header.object_key = key;
    header.operation = "test";
    codec_.encode_request(encoder, id, header, [&](cdr::Encoder& e) { e.put_octet_sequence(body); });
    return encoder.to_bytes();
  }

  /// Cuts a message into a first message and fragments of `piece` octets of body each.
  static base::Bytes fragmented(const base::Bytes& whole, std::size_t piece, std::uint32_t id, std::uint8_t minor) {
    base::Bytes stream(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(piece));
    patch(stream, 0, stream.size(), true);
    for (std::size_t at = piece; at < whole.size(); at += piece) {
      const std::size_t size = std::min(piece, whole.size() - at);
      base::Bytes fragment{'G', 'I', 'O', 'P', 1, minor, 1, 7, 0, 0, 0, 0};
      if (minor >= 2) fragment.insert(fragment.end(), {static_cast<base::Octet>(id), 0, 0, 0});
      fragment.insert(fragment.end(), whole.begin() + static_cast<std::ptrdiff_t>(at),
                      whole.begin() + static_cast<std::ptrdiff_t>(at + size));
      patch(fragment, 0, fragment.size(), at + size < whole.size());
      stream.insert(stream.end(), fragment.begin(), fragment.end());
    }
    return stream;
  }
  static void patch(base::Bytes& message, std::size_t at, std::size_t size, bool more) {
    message[at + 6] = static_cast<base::Octet>(1 | (more ? 2 : 0));
    const auto body = static_cast<std::uint32_t>(size - 12);
    std::memcpy(message.data() + at + 8, &body, 4);
  }

  void feed(base::ConstByteSpan octets, std::size_t step = SIZE_MAX) {
    while (!octets.empty()) {
      const base::ByteSpan space = framer_.space();
      const std::size_t size = std::min({space.size(), octets.size(), step});
      std::memcpy(space.data(), octets.data(), size);
      framer_.received(size);
      octets = octets.subspan(size);
    }
  }

  /// A framer and what it needs of a connection.
  struct Input {
    explicit Input(const cdr::Limits& limits, InputMemory* memory = nullptr)
        : account(memory), session(messaging::make_giop()->open(settings(limits, account))) {}
    static messaging::SessionSettings settings(const cdr::Limits& limits, InputAccount& account) {
      messaging::SessionSettings settings;
      settings.side = messaging::Side::acceptor;
      settings.limits = limits;
      settings.memory = &account;
      return settings;
    }
    InputAccount account;
    std::unique_ptr<messaging::Session> session;
    Framer framer{*session, account};
  };

  const messaging::giop::Giop codec_{{1, 2}};
  cdr::Limits limits_;
  Input input_{limits_};
  Framer& framer_ = input_.framer;
  Message message_;
};

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

TEST_F(FramerTest, PaysForWhatItKeepsAndGivesAllOfItBack) {
  InputMemory memory(1U << 20, [] { return false; });
  {
    Input input(limits_, &memory);
    Framer& framer = input.framer;
    EXPECT_LE(framer.space().size(), 2048U);
    EXPECT_EQ(memory.used(), 0U);  // the first buffer is free
    const base::Bytes big = request(2, 300'000);
    const auto put = [&](base::ConstByteSpan rest) {
      while (!rest.empty()) {
        const base::ByteSpan space = framer.space();
        const std::size_t size = std::min(space.size(), rest.size());
        std::memcpy(space.data(), rest.data(), size);
        framer.received(size);
        rest = rest.subspan(size);
      }
    };
    put(base::ConstByteSpan(big).first(200'000));
    EXPECT_GE(memory.used(), 190'000U);
    EXPECT_LE(memory.used(), 512U << 10);
    EXPECT_EQ(memory.used(), input.account.paid());
    put(base::ConstByteSpan(big).subspan(200'000));
    ASSERT_TRUE(*framer.next(message_));
    framer.shrink();
    EXPECT_EQ(memory.used(), 0U);
    put(fragmented(request(4, 5000), 160, 4, 2));
    ASSERT_TRUE(*framer.next(message_));
    base::Bytes open = request(6, 5000);
    patch(open, 0, open.size(), true);
    put(open);
    ASSERT_FALSE(*framer.next(message_));
    EXPECT_GE(memory.used(), 10'000U);
    Framer other(*input.session, input.account);
    other.take_over(framer);
    EXPECT_EQ(memory.used(), input.account.paid());
    EXPECT_GE(input.session->part_octets(), 5000U);
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST_F(FramerTest, DoesNotGrowBeyondWhatThereIs) {
  int asked = 0;
  InputMemory memory(10'000, [&] { return ++asked < 3; });
  memory.force(9'000);  // somebody else's
  Input input(limits_, &memory);
  Framer& framer = input.framer;
  framer.received(framer.space().size());
  EXPECT_THROW((void)framer.space(), std::bad_alloc);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(framer.short_of_memory());
  EXPECT_EQ(memory.used(), 9'000U);
  memory.give(9'000);
  EXPECT_FALSE(framer.space().empty());  // and goes on when there is some
  EXPECT_FALSE(framer.short_of_memory());
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
