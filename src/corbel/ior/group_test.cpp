// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/group.hpp"

#include <gtest/gtest.h>

#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"
#include "support/byte_order.hpp"

namespace corbel::ior {
namespace {

using base::Bytes;

std::string described(std::string_view text) {
  const auto url = parse_group_url(text);
  if (!url) return "refused";
  const GroupIdentity& group = url->identity;
  return group.domain + ' ' + std::to_string(group.id) + ' ' + std::to_string(group.reference_version) + ' ' +
         url->address;
}

TEST(Groups, UrlsNameDomainGroupAndAddress) {
  EXPECT_EQ(described("1.0@1.0-TestDomain-1/225.1.1.225:1234"), "TestDomain 1 0 225.1.1.225:1234");
  EXPECT_EQ(described("1.0-TestDomain-18446744073709551615/[ff02::1]:7"),
            "TestDomain 18446744073709551615 0 [ff02::1]:7");
  EXPECT_EQ(described("1.0@1.0-Two-Words-7/225.1.1.225:1234"), "Two-Words 7 0 225.1.1.225:1234");
  EXPECT_EQ(described("1.0@1.0-Domain-7-3/225.1.1.225:1234"), "Domain 7 3 225.1.1.225:1234");
  for (const char* bad : {"", "1.0@", "1.0@1.0-Domain-1", "1.0@1.0-Domain/225.1.1.225:1", "2.0@1.0-D-1/225.1.1.1:1",
                          "1.0@2.0-D-1/225.1.1.1:1", "1.0@1.0--1/225.1.1.1:1", "1.0@1.0-D-x/225.1.1.1:1",
                          "1.0@1.0-D-1/", "1.0@1.0-D-18446744073709551616/225.1.1.1:1"}) {
    EXPECT_EQ(described(bad), "refused") << bad;
  }
}

TEST(Groups, ACorbalocUrlMayHaveAGatewayBehindTheGroup) {
  UrlFault fault{};
  const auto plain = parse_object_url("corbaloc:miop:1.0@1.0-Domain-1/224.1.239.2:1234", fault);
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->addresses.size(), 1U);
  EXPECT_EQ(plain->addresses[0].scheme, "miop");
  EXPECT_EQ(plain->addresses[0].host, "1.0@1.0-Domain-1/224.1.239.2:1234");
  EXPECT_TRUE(plain->object_key.empty());
  const auto both = parse_object_url("corbaloc:miop:1.0@1.0-D-1/224.1.239.2:1234;iiop:1.2@host:4000/key", fault);
  ASSERT_TRUE(both);
  ASSERT_EQ(both->addresses.size(), 2U);
  EXPECT_EQ(both->addresses[1].host, "host");
  EXPECT_EQ(both->addresses[1].port, 4000);
  EXPECT_EQ(both->object_key, (Bytes{'k', 'e', 'y'}));
  EXPECT_FALSE(parse_object_url("corbaloc::host:4000;iiop:host:1/key", fault)) << "only a group has one";
}

TEST(Groups, TheirProfilesAreLaidOutAsTheStandardSays) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  // Little-endian: version, address, port, one component, TAG_GROUP; therein version, domain, id, reference version.
  const Bytes body{1,   1,   0,   0, 8,  0, 0, 0, '2', '2', '5', '.', '0', '.', '1', 0, 0xd2, 4, 0, 0,
                   1,   0,   0,   0, 39, 0, 0, 0, 28,  0,   0,   0,   1,   1,   0,   0, 4,    0, 0, 0,
                   'D', 'o', 'm', 0, 0,  0, 0, 0, 7,   0,   0,   0,   0,   0,   0,   0, 0,    0, 0, 0};
  Bytes octets = body;
  octets[28] = static_cast<base::Octet>(octets.size() - 32);
  const TaggedProfile tagged{3, octets};
  const auto profile = decode_uipmc_profile(tagged);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->host, "225.0.1");
  EXPECT_EQ(profile->port, 1234);
  const auto group = group_of(tagged);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->domain, "Dom");
  EXPECT_EQ(group->id, 7U);
  EXPECT_EQ(group->reference_version, 0U);
  EXPECT_EQ(encode_profile(*profile), tagged);
  EXPECT_EQ(encode_group(*group), profile->components[0]);
  const auto key = object_key_of(3, octets);
  ASSERT_TRUE(key);
  EXPECT_EQ(Bytes(key->begin(), key->end()), octets) << "requests name it by the whole";
}

TEST(Groups, BothByteOrdersAreRead) {
  const TaggedComponent big{39, {0, 1, 0, 0, 0, 0, 0, 2, 'D', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 5}};
  const auto group = decode_group(big);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->domain, "D");
  EXPECT_EQ(group->id, 9U);
  EXPECT_EQ(group->reference_version, 5U);
}

TEST(Groups, AReferenceOfJacorbIsRead) {
  const auto reference = from_string(
      "IOR:"
      "000000000000001D49444C3A6F6D672E6F72672F434F5242412F4F626A6563743A312E300000000000000001000000030000004000010000"
      "0000"
      "000E3233392E3235352E37372E33300015B300000001000000270000001C0001000000000007446F6D61696E000000000000000000010000"
      "0000");
  ASSERT_TRUE(reference);
  const auto profile = decode_uipmc_profile(reference->profiles.at(0));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->host, "239.255.77.30");
  EXPECT_EQ(profile->port, 5555);
  const auto group = group_of(reference->profiles[0]);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->domain, "Domain");
  EXPECT_EQ(group->id, 1U);
}

TEST(Groups, DamagedProfilesAreRefused) {
  UipmcProfile profile;
  profile.host = "225.0.0.1";
  profile.port = 1;
  profile.components.push_back(encode_group({{1, 0}, "domain", 5, 0}));
  const TaggedProfile sound = encode_profile(profile);
  ASSERT_TRUE(group_of(sound));
  for (std::size_t size = 0; size < sound.data.size(); ++size) {
    EXPECT_FALSE(group_of({3, Bytes(sound.data.begin(), sound.data.begin() + static_cast<std::ptrdiff_t>(size))}));
    for (int octet = 0; octet < 256; octet += 51) {
      auto changed = sound;
      changed.data[size] = static_cast<base::Octet>(octet);
      (void)group_of(changed).ok();
    }
  }
  profile.components.clear();
  EXPECT_FALSE(group_of(encode_profile(profile)));
  EXPECT_EQ(group_of({0, sound.data}).error().code, base::Code::unsupported);
}

}  // namespace
}  // namespace corbel::ior
