// SPDX-License-Identifier: Apache-2.0
// How references say of several lanes. The octets are those of TAO: see docs/real-time.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include <corbel/ior/profile.hpp>

#include "endpoints.hpp"

namespace corbel::real_time {
namespace {

using Lanes = std::vector<std::int16_t>;

constexpr auto kPolicies = static_cast<std::uint32_t>(ior::ComponentTag::policies);

ior::TaggedProfile iiop(const std::string& host, std::uint16_t port, std::vector<ior::TaggedComponent> more = {}) {
  ior::IiopProfile profile;
  profile.object_key = {1, 2, 3};
  profile.components = std::move(more);
  profile.host = host;
  profile.port = port;
  return ior::encode_profile(profile);
}
ior::TaggedProfile uiop(const std::string& path) {
  ior::UiopProfile profile;
  profile.path = path;
  profile.components = {ior::encode_unix_address({"machine", path})};
  return ior::encode_profile(profile);
}
ior::TaggedProfile own(const std::string& endpoint) {
  ior::CorbelProfile profile;
  profile.protocol = "giop";
  profile.endpoint = endpoint;
  return ior::encode_profile(profile);
}
/// Where a reference leads, in the order of its profiles.
std::vector<std::string> leads(const ior::Ior& ior) {
  std::vector<std::string> to;
  for (const auto& profile : ior.profiles) {
    if (const auto one = ior::decode_iiop_profile(profile)) {
      to.push_back(one->host + ':' + std::to_string(one->port));
      EXPECT_EQ(one->object_key, (base::Bytes{1, 2, 3}));
    }
    if (const auto one = ior::decode_uiop_profile(profile)) {
      to.push_back(one->path);
      const auto* told = ior::find_component(one->components, ior::ComponentTag::omniorb_unix_trans);
      EXPECT_EQ(ior::decode_unix_address(*told)->path, one->path);
      EXPECT_EQ(ior::decode_unix_address(*told)->host, "machine");
    }
    if (const auto one = ior::decode_corbel_profile(profile)) to.push_back(one->protocol + '+' + one->endpoint);
  }
  return to;
}
using Texts = std::vector<std::string>;

TEST(LaneEndpoints, AreListedInOneProfileOfEachKind) {
  const ior::Ior ior{"IDL:T:1.0", join_lanes({{10, {iiop("a", 1), uiop("/1"), own("shm:///1")}},
                                              {500, {iiop("a", 2), uiop("/2"), own("shm:///2")}}})};
  EXPECT_EQ(leads(ior), (Texts{"a:1", "/1", "giop+shm:///1"}));  // for who knows of no lanes
  EXPECT_EQ(lanes_of(ior), (Lanes{10, 500}));
  EXPECT_EQ(leads(only_lane(ior, 10)), (Texts{"a:1", "/1", "giop+shm:///1"}));
  EXPECT_EQ(leads(only_lane(ior, 500)), (Texts{"a:2", "/2", "giop+shm:///2"}));
  EXPECT_TRUE(lanes_of(only_lane(ior, 500)).empty());
  EXPECT_EQ(only_lane(ior, 500).type_id, "IDL:T:1.0");
}

TEST(LaneEndpoints, AreWrittenAsTaoDoes) {
  const auto profiles = join_lanes({{10, {iiop("a", 1)}}, {500, {iiop("bc", 2)}}});
  const auto components = components_of(profiles.at(0));
  ASSERT_EQ(components.size(), 1U);
  EXPECT_EQ(components[0].tag, 0x54414f02U);
  const base::Bytes expected = {1,  0, 0, 0, 2, 0, 0, 0, 2,   0,   0, 0, 'a', 0, 1,    0,
                                10, 0, 0, 0, 3, 0, 0, 0, 'b', 'c', 0, 0, 2,   0, 0xf4, 1};
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(components[0].data, expected);
  }
}

TEST(LaneEndpoints, OfOneLaneKeepTheirAlternativesAndPolicies) {
  const ior::TaggedComponent other = ior::encode_alternate_address({"alt", 7});
  const ior::TaggedComponent policies{kPolicies, {1, 2, 3}};
  const ior::Ior ior{"", join_lanes({{1, {iiop("a", 1, {other, policies})}}, {2, {iiop("b", 2, {other, policies})}}})};
  EXPECT_EQ(leads(only_lane(ior, 1)), (Texts{"a:1", "alt:7"}));  // the list has it, too
  EXPECT_EQ(leads(only_lane(ior, 2)), (Texts{"b:2", "alt:7"}));
  for (const std::int16_t lane : {std::int16_t{1}, std::int16_t{2}}) {
    for (const auto& profile : only_lane(ior, lane).profiles) {
      const auto all = components_of(profile);
      EXPECT_EQ(std::ranges::count(all, policies), 1);
      EXPECT_EQ(std::ranges::count(all, kTagEndpoints, &ior::TaggedComponent::tag), 0);
    }
  }
}

TEST(LaneEndpoints, ThatNoListCanNameHaveProfilesOfTheirOwn) {
  const ior::TaggedComponent tls{20, {1, 0, 0, 0, 0, 0, 9, 9}};
  const ior::Ior ior{"", join_lanes({{1, {iiop("a", 0, {tls})}}, {2, {iiop("b", 0, {tls})}}})};
  EXPECT_EQ(ior.profiles.size(), 2U);
  EXPECT_EQ(lanes_of(ior), (Lanes{1, 2}));
  const ior::Ior second = only_lane(ior, 2);
  EXPECT_EQ(leads(second), Texts{"b:0"});
  EXPECT_EQ(components_of(second.profiles.at(0)), std::vector{tls});
}

TEST(LaneEndpoints, WhatSaysNothingOfLanesStays) {
  const ior::TaggedProfile strange{0x12345, {1, 2, 3}};
  ior::Ior ior{"", join_lanes({{1, {iiop("a", 1), strange}}, {2, {iiop("b", 2)}}})};
  EXPECT_EQ(only_lane(ior, 2).profiles.size(), 2U);
  EXPECT_EQ(only_lane(ior, 2).profiles.back(), strange);
  const ior::Ior plain{"", {iiop("a", 1)}};
  EXPECT_TRUE(lanes_of(plain).empty());
  EXPECT_EQ(only_lane(plain, 2), plain);
}

TEST(LaneEndpoints, ListsThatMakeNoSenseAreNone) {
  const ior::Ior whole{"", join_lanes({{1, {iiop("a", 1)}}, {2, {iiop("b", 2)}}})};
  const ior::TaggedComponent list = components_of(whole.profiles.at(0)).at(0);
  for (std::size_t size = 0; size < list.data.size(); ++size) {
    const ior::TaggedComponent cut{list.tag,
                                   base::Bytes(list.data.begin(), list.data.begin() + static_cast<long>(size))};
    const ior::Ior ior{"", {iiop("a", 1, {cut})}};
    EXPECT_TRUE(lanes_of(ior).empty()) << size;
    EXPECT_EQ(only_lane(ior, 2), ior) << size;
  }
  // A count that no message could hold.
  const ior::Ior many{"", {iiop("a", 1, {{list.tag, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0}}})}};
  EXPECT_TRUE(lanes_of(many).empty());
  // Priorities that are none.
  const ior::Ior negative{"", join_lanes({{-1, {iiop("a", 1)}}})};
  EXPECT_TRUE(lanes_of(negative).empty());
}

TEST(LaneEndpoints, ThousandsAreCut) {
  std::vector<LaneProfiles> lanes;
  for (int i = 0; i < 5000; ++i) lanes.push_back({7, {iiop("a", static_cast<std::uint16_t>(i + 1))}});
  const ior::Ior ior{"", join_lanes(lanes)};
  EXPECT_EQ(only_lane(ior, 7).profiles.size(), 64U);
}

TEST(LaneOfAPriority, IsItsOwnOrTheNextBelowOrTheLowest) {
  const Lanes lanes = {10, 100, 1000};
  EXPECT_EQ(lane_for(lanes, 100), 100);
  EXPECT_EQ(lane_for(lanes, 999), 100);
  EXPECT_EQ(lane_for(lanes, 32767), 1000);
  EXPECT_EQ(lane_for(lanes, 0), 10);
}

}  // namespace
}  // namespace corbel::real_time
