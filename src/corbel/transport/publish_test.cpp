// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/publish.hpp"

#include <gtest/gtest.h>

#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport {
namespace {

ior::ProfileBase base_with(const char* key) {
  ior::ProfileBase base;
  const auto octets = base::as_bytes(key);
  base.object_key.assign(octets.begin(), octets.end());
  return base;
}

TEST(EditIiopProfile, MakesOneProfileForAllTransportsOfAKey) {
  std::vector<ior::TaggedProfile> profiles;
  edit_iiop_profile(base_with("a"), profiles, [](ior::IiopProfile& profile) { profile.host = "first"; });
  edit_iiop_profile(base_with("a"), profiles, [](ior::IiopProfile& profile) {
    EXPECT_EQ(profile.host, "first");
    profile.port = 7;
  });
  ASSERT_EQ(profiles.size(), 1U);
  const auto profile = ior::decode_iiop_profile(profiles.front());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->host, "first");
  EXPECT_EQ(profile->port, 7);
}

TEST(EditIiopProfile, LeavesProfilesOfOtherKeysAndTagsAlone) {
  std::vector<ior::TaggedProfile> profiles{{0, {1, 2, 3}}, {99, {4}}};
  edit_iiop_profile(base_with("a"), profiles, [](ior::IiopProfile& profile) { profile.host = "a"; });
  edit_iiop_profile(base_with("b"), profiles, [](ior::IiopProfile& profile) { profile.host = "b"; });
  ASSERT_EQ(profiles.size(), 4U);
  EXPECT_EQ(profiles[0].data, (base::Bytes{1, 2, 3}));
  EXPECT_EQ(profiles[1].data, (base::Bytes{4}));
  EXPECT_EQ(ior::decode_iiop_profile(profiles[2])->host, "a");
  EXPECT_EQ(ior::decode_iiop_profile(profiles[3])->host, "b");
}

TEST(HostPort, IsWrittenAsItIsRead) {
  for (const char* text : {"host:1", "[::1]:2809", "127.0.0.1:0", ":65535"}) {
    const auto parsed = parse_host_port(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(to_string(*parsed), text);
  }
}

TEST(MachineName, IsNotEmpty) {
  EXPECT_FALSE(machine_name().empty());
}

}  // namespace
}  // namespace corbel::transport
