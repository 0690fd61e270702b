// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/reassembly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <random>
#include <string>

#include "support/allocations.hpp"

namespace corbel::transport::multicast {
namespace {

using base::Bytes;
using ipc::InetAddress;
using namespace std::chrono_literals;

constexpr std::int64_t kNow = 1'000'000'000;
const InetAddress kOne = *InetAddress::parse("192.0.2.1", 1000);
const InetAddress kTwo = *InetAddress::parse("192.0.2.2", 1000);

MessageId id_of(std::uint32_t number) {
  MessageId id{'s', 'e', 'n', 'd', 'e', 'r', '0', '1'};
  for (int i = 0; i < 4; ++i) id[8 + static_cast<std::size_t>(i)] = static_cast<base::Octet>(number >> (8 * i));
  return id;
}

Bytes datagram(std::uint32_t id, std::uint32_t number, std::uint32_t of, const Bytes& data) {
  const Header header = make_header(id_of(id), number, of, data.size());
  Bytes octets(header.begin(), header.end());
  octets.insert(octets.end(), data.begin(), data.end());
  return octets;
}

/// The packets of a message, `size` octets in each but the last.
std::vector<Bytes> cut(std::uint32_t id, const Bytes& message, std::size_t size) {
  const auto of = static_cast<std::uint32_t>((message.size() + size - 1) / size);
  std::vector<Bytes> packets;
  for (std::uint32_t i = 0; i < of; ++i) {
    const std::size_t at = i * size;
    const std::size_t end = std::min(message.size(), at + size);
    packets.push_back(datagram(
        id, i, of,
        Bytes(message.begin() + static_cast<std::ptrdiff_t>(at), message.begin() + static_cast<std::ptrdiff_t>(end))));
  }
  return packets;
}

Bytes numbered(std::size_t size) {
  Bytes octets(size);
  std::iota(octets.begin(), octets.end(), base::Octet{1});
  return octets;
}

class MiopReassembly : public testing::Test {
 protected:
  Bytes take(const Bytes& octets, const InetAddress& from = kOne, base::Duration after = 0s) {
    const auto whole = reassembly_.take(octets, from, kNow + after.count());
    return Bytes(whole.begin(), whole.end());
  }
  std::uint64_t malformed() const { return reassembly_.counts().malformed; }

  Reassembly::Limits limits_{.message = 10'000,
                             .packets = 64,
                             .of_sender = 3,
                             .messages = 8,
                             .octets = 30'000,
                             .age = std::chrono::seconds(2)};
  Reassembly reassembly_{limits_};
};

TEST_F(MiopReassembly, APacketIsLaidOutAsTheStandardSays) {
  const Bytes packet = datagram(0x04030201, 2, 3, {0xaa, 0xbb});
  const Bytes little{'M', 'I', 'O', 'P', 0x10, 3,   2,   0,   2,   0,   0,   0, 3, 0, 0, 0,    12,
                     0,   0,   0,   's', 'e',  'n', 'd', 'e', 'r', '0', '1', 1, 2, 3, 4, 0xaa, 0xbb};
  if (std::endian::native == std::endian::little) {
    EXPECT_EQ(packet, little);
  }
  const Bytes big{'M', 'I', 'O', 'P', 0x10, 2,   0,   2,   0,   0,   0,   2, 0, 0, 0, 3,    0,
                  0,   0,   12,  's', 'e',  'n', 'd', 'e', 'r', '0', '1', 1, 2, 3, 4, 0xaa, 0xbb};
  for (const Bytes& octets : {little, big}) {
    const auto read = read_packet(octets);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->last);
    EXPECT_EQ(read->number, 2U);
    EXPECT_EQ(read->of, 3U);
    EXPECT_EQ(read->id.size(), 12U);
    EXPECT_EQ(Bytes(read->data.begin(), read->data.end()), (Bytes{0xaa, 0xbb}));
  }
}

TEST_F(MiopReassembly, APacketOfJacorbIsRead) {
  Bytes octets;
  ASSERT_TRUE(base::from_hex(
      "4d494f501002009400000000000000010000000c38343035373635383400000047494f5001020000000000880000000000000000"
      "000100000000000300000040000100000000000e3233392e3235352e37372e33300015b300000001000000270000001c00010000"
      "00000007446f6d61696e00000000000000000001000000000000000863617074696f6e0000000001000000010000000c00000000"
      "050100010001010900000001000000086a61636f72623000",
      octets));
  const auto packet = read_packet(octets);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->last);
  EXPECT_EQ(packet->number, 0U);
  EXPECT_EQ(packet->of, 1U);
  EXPECT_EQ(packet->id.size(), 12U);
  const Bytes whole = take(octets);
  ASSERT_EQ(whole.size(), 148U);
  EXPECT_EQ(std::string(whole.begin(), whole.begin() + 4), "GIOP");
}

TEST_F(MiopReassembly, AnIdentifierMayHaveAnyLengthWithAGapBehindItOrNone) {
  for (const std::size_t size : {0U, 1U, 4U, 7U, 12U, 251U, 252U}) {
    for (const bool gap : {false, true}) {
      Bytes octets{'M', 'I', 'O', 'P', 0x10, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, static_cast<base::Octet>(size)};
      octets.resize(20 + size, 'i');
      if (gap) octets.resize((octets.size() + 7) / 8 * 8);
      octets.insert(octets.end(), {7, 8, 9});
      Reassembly fresh{limits_};
      const auto whole = fresh.take(octets, kOne, kNow);
      EXPECT_EQ(Bytes(whole.begin(), whole.end()), (Bytes{7, 8, 9})) << size << gap;
    }
  }
  Bytes longer{'M', 'I', 'O', 'P', 0x10, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 253};
  longer.resize(20 + 253, 'i');
  longer.insert(longer.end(), {7, 8, 9});
  EXPECT_TRUE(take(longer).empty()) << "the standard allows 252";
  EXPECT_EQ(malformed(), 1U);
}

TEST_F(MiopReassembly, MessagesAreJoinedFromPacketsInAnyOrder) {
  const Bytes message = numbered(1000);
  std::mt19937 random(1);
  for (std::uint32_t id = 0; id < 50; ++id) {
    auto packets = cut(id, message, 37);
    std::shuffle(packets.begin(), packets.end(), random);
    Bytes whole;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      whole = take(packets[i]);
      EXPECT_EQ(whole.empty(), i + 1 < packets.size());
    }
    EXPECT_EQ(whole, message);
  }
  EXPECT_EQ(reassembly_.incomplete(), 0U);
  EXPECT_EQ(reassembly_.octets(), 0U);
}

TEST_F(MiopReassembly, TheirNumberNeedNotBeKnownBeforeTheLast) {
  const auto without_number = [](Bytes packet) {
    std::fill(packet.begin() + 12, packet.begin() + 16, base::Octet{0});
    return packet;
  };
  const Bytes message = numbered(300);
  for (const bool backwards : {false, true}) {
    auto packets = cut(backwards ? 1 : 0, message, 100);
    if (backwards) std::reverse(packets.begin(), packets.end());
    EXPECT_TRUE(take(without_number(packets[0])).empty());
    EXPECT_TRUE(take(without_number(packets[1])).empty());
    EXPECT_EQ(take(without_number(packets[2])), message);
  }
}

TEST_F(MiopReassembly, PacketsThatComeTwiceCountOnceEvenLate) {
  const Bytes message = numbered(300);
  const auto packets = cut(1, message, 100);
  EXPECT_TRUE(take(packets[0]).empty());
  EXPECT_TRUE(take(packets[0]).empty());
  EXPECT_TRUE(take(packets[2]).empty());
  EXPECT_EQ(take(packets[1]), message);
  for (const Bytes& late : packets) EXPECT_TRUE(take(late).empty());
  const Bytes single = datagram(2, 0, 1, {1});
  EXPECT_EQ(take(single), Bytes{1});
  EXPECT_TRUE(take(single).empty());
  EXPECT_EQ(reassembly_.counts().duplicates, 5U);
  EXPECT_EQ(reassembly_.incomplete(), 0U);
}

TEST_F(MiopReassembly, SendersWithEqualIdentifiersAreToldApart) {
  const auto one = cut(1, Bytes(200, 1), 100);
  const auto two = cut(1, Bytes(200, 2), 100);
  EXPECT_TRUE(take(one[0], kOne).empty());
  EXPECT_TRUE(take(two[1], kTwo).empty());
  EXPECT_EQ(take(one[1], kOne), Bytes(200, 1));
  EXPECT_EQ(take(two[0], kTwo), Bytes(200, 2));
}

TEST_F(MiopReassembly, WhatContradictsItselfIsDropped) {
  const auto packet = [](std::uint32_t number, std::uint32_t of, bool last) {
    Bytes octets = datagram(7, number, of, Bytes(10, 1));
    octets[5] = static_cast<base::Octet>((octets[5] & 1) | (last ? 2 : 0));
    return octets;
  };
  EXPECT_TRUE(take(packet(1, 1, false)).empty()) << "beyond the number";
  EXPECT_TRUE(take(packet(0, 2, true)).empty()) << "the last is not the last";
  EXPECT_TRUE(take(packet(1, 2, false)).empty()) << "nor the other way round";
  EXPECT_TRUE(take(packet(64, 0, false)).empty()) << "too many";
  EXPECT_TRUE(take(packet(0, 0xffffffff, false)).empty());
  EXPECT_TRUE(take(packet(0xffffffff, 0, true)).empty());
  Bytes later = packet(0, 1, true);
  later[4] = 0x20;
  EXPECT_TRUE(take(later).empty()) << "MIOP 2.0";
  EXPECT_EQ(malformed(), 7U);
  EXPECT_TRUE(take(packet(0, 3, false)).empty());
  EXPECT_EQ(reassembly_.incomplete(), 1U);
  EXPECT_TRUE(take(packet(1, 4, false)).empty()) << "another number than before";
  EXPECT_EQ(reassembly_.incomplete(), 0U);
  EXPECT_TRUE(take(packet(5, 0, false)).empty());
  EXPECT_TRUE(take(packet(3, 0, true)).empty()) << "the last comes before others";
  EXPECT_EQ(reassembly_.incomplete(), 0U);
}

TEST_F(MiopReassembly, WhatIsNotCompleteInTimeIsForgotten) {
  const auto packets = cut(1, numbered(200), 100);
  EXPECT_TRUE(take(packets[0]).empty());
  EXPECT_TRUE(take(datagram(2, 0, 2, {1}), kTwo, 3s).empty());
  EXPECT_EQ(reassembly_.incomplete(), 1U);
  EXPECT_EQ(reassembly_.counts().overdue, 1U);
  EXPECT_TRUE(take(packets[1], kOne, 3s).empty());
}

TEST_F(MiopReassembly, OfTheLastMessagesNoneComesTwice) {
  for (std::uint32_t id = 0; id < 1000; ++id) {
    EXPECT_EQ(take(datagram(id, 0, 1, {1})), Bytes{1});
    for (std::uint32_t back = 0; back < std::min(id + 1, 256U); back += 51) {
      EXPECT_TRUE(take(datagram(id - back, 0, 1, {1})).empty()) << id << " less " << back;
    }
  }
}

TEST_F(MiopReassembly, ASenderDisplacesItsOwnMessagesFirst) {
  EXPECT_TRUE(take(datagram(1, 0, 2, {1}), kTwo).empty());
  for (std::uint32_t id = 0; id < 20; ++id) EXPECT_TRUE(take(datagram(id, 0, 2, {1}), kOne).empty());
  EXPECT_EQ(reassembly_.incomplete(), 4U);
  EXPECT_EQ(take(datagram(1, 1, 2, {2}), kTwo), (Bytes{1, 2}));
  EXPECT_EQ(take(datagram(19, 1, 2, {2}), kOne), (Bytes{1, 2})) << "the newest of them is there";
}

TEST_F(MiopReassembly, AFloodOfSendersIsBoundedInMessagesAndOctets) {
  for (std::uint32_t i = 0; i < 500; ++i) {
    const auto from = *InetAddress::parse("198.51.100." + std::to_string(i % 250), static_cast<std::uint16_t>(i + 1));
    EXPECT_TRUE(take(datagram(i, 1, 3, Bytes(9'000, 1)), from).empty());
    EXPECT_LE(reassembly_.incomplete(), limits_.messages);
    EXPECT_LE(reassembly_.octets(), limits_.octets);
  }
  const auto honest = cut(1000, numbered(3000), 1000);
  EXPECT_TRUE(take(honest[0]).empty());
  EXPECT_TRUE(take(honest[1]).empty());
  EXPECT_EQ(take(honest[2]), numbered(3000));
}

TEST_F(MiopReassembly, MessagesThatGrowAreBoundedInOctetsToo) {
  for (std::uint32_t i = 0; i < limits_.messages; ++i) {
    const auto from = *InetAddress::parse("198.51.100.1", static_cast<std::uint16_t>(i + 1));
    EXPECT_TRUE(take(datagram(i, 0, 3, {1}), from).empty());
  }
  EXPECT_EQ(reassembly_.incomplete(), limits_.messages);
  for (std::uint32_t i = 0; i < limits_.messages; ++i) {
    const auto from = *InetAddress::parse("198.51.100.1", static_cast<std::uint16_t>(i + 1));
    EXPECT_TRUE(take(datagram(i, 1, 3, Bytes(9'000, 1)), from).empty());
    EXPECT_LE(reassembly_.octets(), limits_.octets) << i;
  }
  EXPECT_GT(reassembly_.counts().displaced, 0U);
}

TEST_F(MiopReassembly, AMessageBeyondTheLimitIsDropped) {
  EXPECT_TRUE(take(datagram(1, 0, 1, Bytes(10'001))).empty());
  const auto packets = cut(2, Bytes(12'000), 1000);
  for (const Bytes& packet : packets) EXPECT_TRUE(take(packet).empty());
  EXPECT_LE(reassembly_.octets(), limits_.message);
}

// Packets of several senders, changed at random, cut off, repeated and mixed.
TEST_F(MiopReassembly, WithstandsAnything) {
  std::mt19937 random(42);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  const Bytes message = numbered(2000);
  std::int64_t now = kNow;
  std::size_t delivered = 0;
  for (int round = 0; round < 40'000; ++round) {
    const auto id = static_cast<std::uint32_t>(round / 40);
    const auto packets = cut(id, message, 500 + id);
    Bytes octets = packets[below(packets.size())];
    for (std::size_t changes = below(2) * below(4); changes > 0; --changes) {
      octets[below(std::min<std::size_t>(octets.size(), 40))] = static_cast<base::Octet>(random());
    }
    if (below(10) == 0) octets.resize(below(octets.size() + 1));
    if (below(20) == 0) octets.resize(octets.size() + below(9));
    const auto whole =
        reassembly_.take(octets, below(2) == 0 ? kOne : kTwo, now += static_cast<std::int64_t>(below(1'000'000)));
    delivered += whole.empty() ? 0 : 1;
    ASSERT_LE(whole.size(), limits_.message);
    ASSERT_LE(reassembly_.incomplete(), limits_.messages);
    ASSERT_LE(reassembly_.octets(), limits_.octets);
  }
  EXPECT_GT(malformed(), 1000U);
  EXPECT_GT(delivered, 0U);
}

TEST_F(MiopReassembly, AMessageIsWholeOnceThereIsMemoryAgain) {
  const Bytes message = numbered(600);
  auto packets = cut(0, message, 100);
  std::reverse(packets.begin(), packets.end());
  bool refused = true;
  for (std::size_t allocation = 0; refused; ++allocation) {
    refused = false;
    Reassembly reassembly(limits_);
    Bytes whole;
    whole.reserve(message.size());
    const auto take_all = [&] {
      for (const Bytes& packet : packets) {
        if (const auto taken = reassembly.take(packet, kOne, kNow); !taken.empty())
          whole.assign(taken.begin(), taken.end());
      }
    };
    test::refuse_allocations(allocation, 1);
    try {
      take_all();
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    test::refuse_allocations(0, 0);
    if (refused) take_all();
    // Unless all was there and only the whole found no room: no packet comes a third time.
    EXPECT_TRUE(whole == message || reassembly.incomplete() == 1) << allocation;
    EXPECT_EQ(reassembly.octets(), whole.empty() ? message.size() : 0U) << allocation;
    ASSERT_LT(allocation, 100U);
  }
}

}  // namespace
}  // namespace corbel::transport::multicast
