// SPDX-License-Identifier: Apache-2.0
// What framers take of the memory for what comes in, and give back.
#include "framer_support.hpp"

namespace corbel::connection {
namespace {

using FramerMemoryTest = FramerTest;

TEST_F(FramerMemoryTest, PaysForWhatItKeepsAndGivesAllOfItBack) {
  InputMemory memory(1U << 20);
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

TEST_F(FramerMemoryTest, DoesNotGrowBeyondWhatThereIs) {
  struct Others final : InputUser {
    std::int64_t oldest() override { return ++asked < 3 ? 1 : kNone; }
    void cut_oldest() override {}  // and another one is sooner to take what that gives back
    int asked = 0;
  } others;
  InputMemory memory(10'000);
  memory.join(others);
  memory.force(9'000);  // theirs
  Input input(limits_, &memory);
  Framer& framer = input.framer;
  framer.received(framer.space().size());
  EXPECT_THROW((void)framer.space(), std::bad_alloc);
  EXPECT_EQ(others.asked, 3);
  EXPECT_TRUE(framer.short_of_memory());
  EXPECT_EQ(memory.used(), 9'000U);
  memory.give(9'000);
  EXPECT_FALSE(framer.space().empty());  // and goes on when there is some
  EXPECT_FALSE(framer.short_of_memory());
}

TEST_F(FramerMemoryTest, TakesMoreThanAMessageNeedsOnlyWhileThereIsPlenty) {
  InputMemory memory(1U << 20);
  Input input(limits_, &memory);
  Framer& framer = input.framer;
  const auto fill = [&] {  // with many messages, as a busy connection gets them
    const base::ByteSpan space = framer.space();
    const base::Bytes one = request(4, 100);
    std::size_t at = 0;
    while (at + one.size() <= space.size()) {
      std::memcpy(space.data() + at, one.data(), one.size());
      at += one.size();
    }
    std::memcpy(space.data() + at, one.data(), space.size() - at);  // and the beginning of the next
    framer.received(space.size());
    while (*framer.next(message_)) {
    }
    return space.size();
  };
  memory.force(600'000);  // somebody else's: more than half
  std::size_t got = 0;
  for (int i = 0; i < 10; ++i) {
    got = fill();
    // The rest of the last message, so that nothing is left.
    const base::ByteSpan space = framer.space();
    const base::Bytes one = request(4, 100);
    const std::size_t rest = one.size() - framer.unread().size();
    std::memcpy(space.data(), one.data() + framer.unread().size(), rest);
    framer.received(rest);
    ASSERT_TRUE(*framer.next(message_));
    ASSERT_FALSE(framer.in_message());
  }
  EXPECT_LE(got, 2048U);
  EXPECT_LE(input.account.paid(), 2 * 2048U);
}

TEST_F(FramerMemoryTest, GivesBackWhatALargeMessageLeftWhenOthersLackIt) {
  InputMemory memory(4U << 20);
  Input input(limits_, &memory);
  Framer& framer = input.framer;
  const std::vector<double> numbers(75'000);
  const base::Bytes big = request(2, [&](cdr::Encoder& e) { e.put_array(numbers.data(), numbers.size()); });
  const auto take_one = [&] {
    for (base::ConstByteSpan rest = big; !rest.empty();) {
      const base::ByteSpan space = framer.space();
      const std::size_t size = std::min(space.size(), rest.size());
      std::memcpy(space.data(), rest.data(), size);
      framer.received(size);
      rest = rest.subspan(size);
      ASSERT_EQ(*framer.next(message_), rest.empty());
      ASSERT_EQ(framer.wants_more(), !rest.empty());
    }
  };
  take_one();
  const base::Octet* const before = framer.space().data();
  EXPECT_GE(framer.space().size(), 600'000U);  // for the next of its kind
  take_one();
  EXPECT_EQ(framer.space().data(), before) << "it was made anew, with plenty of memory";
  memory.force(3U << 20);  // somebody else's
  EXPECT_LE(framer.space().size(), 2048U);
  EXPECT_EQ(memory.used(), 3U << 20);
  take_one();
  memory.give(3U << 20);
}

TEST_F(FramerMemoryTest, GivesBackAJoinedMessageWhenOthersLackIt) {
  InputMemory memory(4U << 20);
  Input input(limits_, &memory);
  Framer& framer = input.framer;
  const base::Bytes stream = fragmented(request(4, 100'000), 1000, 4, 2);
  for (base::ConstByteSpan rest = stream; !rest.empty();) {
    const base::ByteSpan space = framer.space();
    const std::size_t size = std::min(space.size(), rest.size());
    std::memcpy(space.data(), rest.data(), size);
    framer.received(size);
    rest = rest.subspan(size);
    while (*framer.next(message_)) {
    }
  }
  const std::size_t with_it = input.account.paid();
  EXPECT_GE(with_it, 100'000U);
  (void)framer.space();
  EXPECT_EQ(input.account.paid(), with_it);
  memory.force(3U << 20);  // somebody else's
  (void)framer.space();
  EXPECT_LE(input.account.paid(), with_it - 100'000);
  memory.give(3U << 20);
}

}  // namespace
}  // namespace corbel::connection
