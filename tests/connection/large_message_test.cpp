// SPDX-License-Identifier: Apache-2.0
// Long sequences are received where they stay.
#include <new>
#include <numeric>

#include "corbel/base/kept_memory.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "framer_support.hpp"

namespace corbel::connection {
namespace {

constexpr std::size_t kMega = 1U << 20;

class LargeMessageTest : public FramerTest {
 protected:
  LargeMessageTest() { base::KeptMemory::give_back(); }

  static base::Bytes counted(std::size_t count) {
    base::Bytes octets(count);
    std::iota(octets.begin(), octets.end(), base::Octet{3});
    return octets;
  }
  base::Bytes block(std::uint32_t id, const base::Bytes& octets, messaging::Version version = {1, 2}) const {
    return request(
        id,
        [&](cdr::Encoder& e) {
          e.put_string("name");
          e.put(std::uint64_t{1} << 40);
          e.put_octet_sequence(octets);
        },
        version);
  }

  /// As a connection does it: looks, receives, looks. True if there is a message at the end, and not before.
  static testing::AssertionResult arrive(Framer& framer, Message& message, base::ConstByteSpan octets,
                                         std::size_t step = SIZE_MAX) {
    while (!octets.empty()) {
      auto next = framer.next(message);
      if (!next) return testing::AssertionFailure() << base::to_string(next.error());
      if (*next) return testing::AssertionFailure() << "a message with " << octets.size() << " octets to come";
      const base::ByteSpan space = framer.space();
      const std::size_t size = std::min({space.size(), octets.size(), step});
      if (size == 0) return testing::AssertionFailure() << "no space";
      std::memcpy(space.data(), octets.data(), size);
      framer.received(size);
      octets = octets.subspan(size);
    }
    auto next = framer.next(message);
    if (!next) return testing::AssertionFailure() << base::to_string(next.error());
    return *next ? testing::AssertionSuccess() : testing::AssertionFailure() << "no message";
  }

  static void read_block(Message& message, base::Bytes& octets) {
    std::string name;
    message.body.get_string(name);
    EXPECT_EQ(name, "name");
    EXPECT_EQ(message.body.get<std::uint64_t>(), std::uint64_t{1} << 40);
    if (message.body.take_rest(octets)) return;
    const base::ConstByteSpan view = message.body.get_octet_sequence();
    octets.assign(view.begin(), view.end());
  }
};

TEST_F(LargeMessageTest, ItsOctetsBecomeTheSequence) {
  const base::Bytes octets = counted(kMega);
  for (const messaging::Version version : {messaging::Version{1, 0}, {1, 1}, {1, 2}}) {
    for (const std::size_t step : {std::size_t{SIZE_MAX}, std::size_t{100'000}, std::size_t{4096}, std::size_t{701}}) {
      Input input(limits_);
      ASSERT_TRUE(arrive(input.framer, message_, block(2, octets, version), step));
      EXPECT_EQ(message_.request.operation, "test");
      ASSERT_TRUE(message_.body.has_rest());
      const auto* const received = message_.body.rest().data();
      base::Bytes value;
      read_block(message_, value);
      EXPECT_TRUE(message_.body.ok());
      EXPECT_EQ(value.data(), received);
      EXPECT_EQ(value, octets);
      EXPECT_FALSE(input.framer.in_message());
      EXPECT_FALSE(*input.framer.next(message_));
    }
  }
}

TEST_F(LargeMessageTest, OtherMessagesFollow) {
  const base::Bytes octets = counted(100'000);
  for (std::uint32_t id = 2; id < 20; id += 2) {
    ASSERT_TRUE(arrive(framer_, message_, block(id, octets), 30'000));
    EXPECT_EQ(message_.request.origin.id, id);
    EXPECT_TRUE(message_.body.has_rest());
    base::Bytes value;
    read_block(message_, value);
    EXPECT_EQ(value, octets);
    // Small, of a middle size, and with others behind it.
    for (const std::size_t size : {std::size_t{10}, std::size_t{9000}}) {
      ASSERT_TRUE(arrive(framer_, message_, request(1000 + id, size)));
      EXPECT_EQ(message_.request.origin.id, 1000 + id);
      EXPECT_EQ(message_.body.get_octet_sequence().size(), size);
    }
  }
}

TEST_F(LargeMessageTest, WhatComesBehindItBeforeAnybodyLookedIsNotLost) {
  const base::Bytes large = block(2, counted(100'000));
  const base::Bytes small = request(4, 50);
  feed(base::ConstByteSpan(large).first(1000));
  ASSERT_FALSE(*framer_.next(message_));
  feed(base::ConstByteSpan(large).subspan(1000));
  feed(small);
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_EQ(message_.request.origin.id, 2U);
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_EQ(message_.request.origin.id, 4U);
  EXPECT_FALSE(*framer_.next(message_));
}

TEST_F(LargeMessageTest, AWrongGuessIsReadAsEver) {
  // A ulong that says how many octets follow, which are no sequence.
  const std::vector<double> numbers(10'000, 1.25);
  const auto body = [&](cdr::Encoder& e) {
    e.put(std::uint32_t{0});
    e.put(static_cast<std::uint32_t>(numbers.size() * 8));
    e.put_array(numbers.data(), numbers.size());
  };
  const base::Bytes whole = request(2, body);
  for (int turn = 0; turn < 70; ++turn) {
    ASSERT_TRUE(arrive(framer_, message_, whole, 30'000));
    EXPECT_EQ(message_.body.has_rest(), turn == 0 || turn == 65) << "it is not tried again at once: " << turn;
    EXPECT_EQ(message_.body.get<std::uint32_t>(), 0U);
    EXPECT_EQ(message_.body.get<std::uint32_t>(), numbers.size() * 8);
    std::vector<double> read(numbers.size());
    message_.body.get_array(read.data(), read.size());
    EXPECT_TRUE(message_.body.ok());
    EXPECT_EQ(read, numbers);
  }
}

TEST_F(LargeMessageTest, AnnouncedLengthsThatAreWrongAreNoSequence) {
  for (const std::uint32_t said : {99'999U, 100'001U, 0U, 0xffffffffU}) {
    const base::Bytes octets = counted(100'000);
    const auto body = [&](cdr::Encoder& e) {
      e.put(said);
      e.copy_octets(octets.data(), octets.size());
    };
    Input input(limits_);
    ASSERT_TRUE(arrive(input.framer, message_, request(2, body), 30'000));
    EXPECT_FALSE(message_.body.has_rest());
  }
}

TEST_F(LargeMessageTest, WhatIsPutTogetherIsPaidForUntilItsEnd) {
  InputMemory memory(4 * kMega);
  Input input(limits_, &memory);
  const std::string text(kMega, 'x');
  const base::Bytes whole = request(2, [&](cdr::Encoder& e) { e.put_string(text); });
  ASSERT_TRUE(arrive(input.framer, message_, whole));
  const std::size_t before = memory.used();
  std::string value;
  message_.body.get_string(value);
  EXPECT_TRUE(message_.body.ok());
  EXPECT_EQ(value, text);
  EXPECT_GE(memory.used(), before + kMega);
  EXPECT_FALSE(*input.framer.next(message_));
  EXPECT_LT(memory.used(), kMega);
  // Others have it all.
  for (int i = 0; i < 65; ++i) {
    ASSERT_TRUE(arrive(input.framer, message_, whole, 30'000));
    if (message_.body.has_rest()) break;
  }
  ASSERT_TRUE(message_.body.has_rest());
  memory.force(4 * kMega);
  message_.body.get_string(value);
  EXPECT_EQ(message_.body.error().code, base::Code::no_value_memory);
  memory.give(4 * kMega);
}

TEST_F(LargeMessageTest, GiopLiteDoesItToo) {
  InputAccount account(nullptr);
  const auto protocol = messaging::make_giop_lite();
  messaging::SessionSettings settings;
  const auto client = protocol->open(settings);
  settings.side = messaging::Side::acceptor;
  const auto server = protocol->open(settings);
  Framer framer(*server, account);
  const base::Bytes octets = counted(300'000);
  cdr::Encoder encoder;
  messaging::OutgoingRequest header;
  const base::Bytes key{1, 2, 3};
  header.object_key = key;
  header.operation = "put";
  client->put_request(encoder, client->next_token(), header, [&](cdr::Encoder& e) { e.put_octet_sequence(octets); });
  ASSERT_TRUE(arrive(framer, message_, encoder.to_bytes(), 10'000));
  EXPECT_EQ(message_.request.operation, "put");
  base::Bytes value;
  ASSERT_TRUE(message_.body.take_rest(value));
  EXPECT_EQ(value, octets);
}

TEST_F(LargeMessageTest, MemoryGrowsWithWhatHasCome) {
  InputMemory memory(64 * kMega);
  {
    Input input(limits_, &memory);
    const base::Bytes whole = block(2, counted(8 * kMega));
    const auto put = [&](base::ConstByteSpan octets) {
      for (; !octets.empty();) {
        ASSERT_FALSE(*input.framer.next(message_));
        const base::ByteSpan space = input.framer.space();
        const std::size_t size = std::min(space.size(), octets.size());
        std::memcpy(space.data(), octets.data(), size);
        input.framer.received(size);
        octets = octets.subspan(size);
      }
    };
    put(base::ConstByteSpan(whole).first(2000));
    EXPECT_LE(memory.used(), 128U << 10) << "a header alone takes memory";
    put(base::ConstByteSpan(whole).subspan(2000, kMega));
    EXPECT_GE(memory.used(), kMega);
    EXPECT_LE(memory.used(), 2 * kMega + (256U << 10));
    EXPECT_EQ(memory.used(), input.account.paid());
    input.framer.clear();
    EXPECT_EQ(memory.used(), 0U);
    ASSERT_TRUE(arrive(input.framer, message_, whole));
    EXPECT_GE(memory.used(), 8 * kMega);
    base::Bytes value;
    read_block(message_, value);
    EXPECT_EQ(memory.used(), 0U) << "what the application has is not the connection's";
    EXPECT_EQ(value.size(), 8 * kMega);
    // The second of its kind need not grow step by step.
    ASSERT_FALSE(*input.framer.next(message_));
    put(base::ConstByteSpan(whole).first(1000));
    ASSERT_FALSE(*input.framer.next(message_));
    EXPECT_GE(memory.used(), 8 * kMega);
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST_F(LargeMessageTest, WaitsForMemoryThatOthersHave) {
  InputMemory memory(2 * kMega);
  Input input(limits_, &memory);
  const base::Bytes octets = counted(kMega);
  const base::Bytes whole = block(2, octets);
  std::size_t at = 0;
  const auto put = [&](std::size_t end) {
    while (at < end) {
      ASSERT_FALSE(*input.framer.next(message_));
      const base::ByteSpan space = input.framer.space();
      const std::size_t size = std::min(space.size(), end - at);
      std::memcpy(space.data(), whole.data() + at, size);
      input.framer.received(size);
      at += size;
    }
  };
  put(200'000);
  memory.force(2 * kMega);
  bool refused = false;
  try {
    put(whole.size());
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  ASSERT_TRUE(refused);
  EXPECT_TRUE(input.framer.short_of_memory());
  memory.give(2 * kMega);
  put(whole.size());
  ASSERT_TRUE(*input.framer.next(message_));
  base::Bytes value;
  read_block(message_, value);
  EXPECT_EQ(value, octets);
}

TEST_F(LargeMessageTest, MemoryOfTheCallBeforeIsUsedAgain) {
  const base::Bytes octets = counted(kMega);
  const base::Octet* before = nullptr;
  for (std::uint32_t id = 2; id < 10; id += 2) {
    ASSERT_TRUE(arrive(framer_, message_, block(id, octets)));
    base::Bytes value;
    read_block(message_, value);
    EXPECT_EQ(value, octets);
    EXPECT_TRUE(before == nullptr || value.data() == before);
    before = value.data();
    base::KeptValue<base::Bytes>::here().give(std::move(value));
  }
}

TEST_F(LargeMessageTest, IsOneThatIsNotWholeUntilItIs) {
  const base::Bytes whole = block(2, counted(100'000));
  feed(base::ConstByteSpan(whole).first(5000));
  ASSERT_FALSE(*framer_.next(message_));
  const std::uint64_t part = framer_.oldest_part();
  EXPECT_NE(part, 0U);
  feed(base::ConstByteSpan(whole).subspan(5000, 50'000));
  ASSERT_FALSE(*framer_.next(message_));
  EXPECT_TRUE(framer_.in_message());
  EXPECT_TRUE(framer_.wants_more());
  EXPECT_EQ(framer_.oldest_part(), part);
  framer_.shrink();  // keeps it
  feed(base::ConstByteSpan(whole).subspan(55'000));
  ASSERT_TRUE(*framer_.next(message_));
  EXPECT_FALSE(framer_.in_message());
  EXPECT_EQ(framer_.oldest_part(), 0U);
}

TEST_F(LargeMessageTest, StaysWithAnUpcallWhenAnotherThreadReadsOn) {
  const base::Bytes octets = counted(100'000);
  ASSERT_TRUE(arrive(framer_, message_, block(2, octets)));
  Framer next(*input_.session, input_.account);
  next.take_over(framer_);
  Message other;
  ASSERT_TRUE(arrive(next, other, block(4, octets)));
  EXPECT_EQ(other.request.origin.id, 4U);
  base::Bytes value;
  read_block(message_, value);
  EXPECT_EQ(value, octets);
  read_block(other, value);
  EXPECT_EQ(value, octets);
}

TEST_F(LargeMessageTest, DatagramsAreNotTakenApart) {
  Framer datagrams(*input_.session, input_.account, 100'000);
  const base::Bytes whole = request(2, 60'000);
  const base::ByteSpan space = datagrams.space();
  std::memcpy(space.data(), whole.data(), whole.size());
  datagrams.received(whole.size());
  ASSERT_TRUE(*datagrams.next(message_));
  EXPECT_FALSE(message_.body.has_rest());
}

}  // namespace
}  // namespace corbel::connection
