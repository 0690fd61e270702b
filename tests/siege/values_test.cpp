// SPDX-License-Identifier: Apache-2.0
// Messages whose values take much more memory than their octets, and how much of that all of them may take together.
#include <algorithm>
#include <list>

#include "castle.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

using test::Octets;
using test::raw_request;
using test::RawPeer;

// Empty lists: four octets each on the wire, and a vector in memory. Three such requests are within the limit at a
// time.
constexpr std::uint32_t kLists = 64U << 10;
constexpr std::size_t kBeyond = kLists * (sizeof(Siege::Octets) - 4) - cdr::Decoder::kUncharged;
const std::vector<std::string> kRoomForThree{"-ORBMaxInputMemory", std::to_string(3 * kBeyond + kBeyond / 2)};
constexpr std::uint32_t kNoValueMemory = corba::vendor_minor(base::Stage::decode, base::Code::no_value_memory);

Octets with_lists(const Target& target, std::uint32_t id, std::string_view operation, std::uint8_t response = 3) {
  const auto body = [](test::Writer& writer) {
    writer.u32(kLists);
    for (std::uint32_t i = 0; i < kLists; ++i) writer.u32(0);
  };
  return raw_request(id, target.key, operation, body, response);
}

/// What a peer that was refused is told. False if it was cut instead: on a slow machine so many messages are half here
/// that there is no room for them either.
bool was_told(RawPeer& peer) {
  const auto reply = peer.message();
  if (!reply) return false;
  test::Reader reader(*reply, true, 16);
  EXPECT_EQ(reader.u32(), 2U);  // a system exception
  EXPECT_EQ(reader.u32(), 0U);  // contexts
  EXPECT_EQ(reader.align(8).string(), "IDL:omg.org/CORBA/NO_RESOURCES:1.0");
  EXPECT_EQ(reader.u32(), kNoValueMemory);
  EXPECT_EQ(reader.u32(), 1U);  // COMPLETED_NO
  return true;
}

/// Peers whose requests decode large: as many as may are under way, the others have been told.
struct Attack {
  explicit Attack(const Server& server, int count = 12) : target(server.reference) {
    for (int i = 0; i < count; ++i) {
      attackers.emplace_back(target.port);
      EXPECT_TRUE(attackers.back().send(with_lists(target, 1, "keep")));
    }
    EXPECT_TRUE(eventually([&] { return server.servant->slow_calls + told() == count; }));
  }
  int told() const {
    return static_cast<int>(
        std::count_if(attackers.begin(), attackers.end(), [](const RawPeer& each) { return !each.silent(); }));
  }

  const Target target;
  std::list<RawPeer> attackers;
};

TEST(LargeValues, AreRefusedWhenThoseUnderWayTakeTooMuchTogether) {
  Server server(kRoomForThree);
  Attack attack(server);
  EXPECT_EQ(server.servant->slow_calls, 3);
  int cut = 0;
  for (RawPeer& each : attack.attackers) {
    if (!each.silent() && !was_told(each)) ++cut;
  }
  EXPECT_LT(cut, 9);
  // A client whose requests take no more than they bring is served meanwhile, whatever their size.
  Client honest(server.reference);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(honest.castle->fast(i), i);
  EXPECT_EQ(honest.castle->take(Siege::Octets(2U << 20)), 2U << 20);
  // An honest client that needs more is told why, and served when there is room again.
  try {
    honest.castle->keep(Siege::Lists(kLists));
    ADD_FAILURE();
  } catch (const CORBA::NO_RESOURCES& refused) {
    EXPECT_EQ(refused.minor(), kNoValueMemory);
    EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_NO);
  }
  server.servant->open();
  EXPECT_TRUE(eventually([&] { return attack.told() == 3 + cut; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(honest.castle->keep(Siege::Lists(kLists)), kLists);
}

TEST(LargeValues, OfOnewaysAreDroppedWhenThereIsNoRoom) {
  Server server(kRoomForThree);
  RawPeer peer(Target(server.reference).port);
  {
    Attack attack(server);
    ASSERT_TRUE(peer.send(with_lists(attack.target, 1, "drop", 0)));
    ASSERT_TRUE(peer.send(raw_request(2, attack.target.key, "fast", [](test::Writer& writer) { writer.u32(5); })));
    ASSERT_TRUE(peer.message());
    EXPECT_EQ(server.servant->dropped, 0);
    server.servant->open();
    EXPECT_TRUE(eventually([&] { return attack.told() == 12; }));
  }
  ASSERT_TRUE(peer.send(with_lists(Target(server.reference), 3, "drop", 0)));
  EXPECT_TRUE(eventually([&] { return server.servant->dropped == 1; }));
}

TEST(LargeValues, OfRepliesAreRefusedToo) {
  Server server;
  Client client(server.reference, kRoomForThree);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.castle->empty_lists(kLists).size(), kLists);
  try {
    client.castle->empty_lists(4 * kLists);
    ADD_FAILURE();
  } catch (const CORBA::NO_RESOURCES& refused) {
    EXPECT_EQ(refused.minor(), kNoValueMemory);
    EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.castle->empty_lists(kLists).size(), kLists);
}

}  // namespace
}  // namespace corbel::siege
