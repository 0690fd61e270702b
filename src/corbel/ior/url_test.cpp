// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/url.hpp"

#include <gtest/gtest.h>

namespace corbel::ior {
namespace {

ObjectUrl parse(std::string_view text) {
  UrlFault fault{};
  auto url = parse_object_url(text, fault);
  EXPECT_TRUE(url) << text;
  EXPECT_EQ(fault, UrlFault::none);
  return url ? *std::move(url) : ObjectUrl{};
}

UrlFault fault_of(std::string_view text) {
  UrlFault fault{};
  EXPECT_FALSE(parse_object_url(text, fault)) << text;
  return fault;
}

std::string key_of(const ObjectUrl& url) {
  return std::string(base::as_text(url.object_key));
}

TEST(ObjectUrl, HasDefaults) {
  const ObjectUrl url = parse("corbaloc::host/key");
  ASSERT_EQ(url.addresses.size(), 1U);
  EXPECT_EQ(url.addresses[0].scheme, "iiop");
  EXPECT_EQ(url.addresses[0].version, (Version{1, 0}));
  EXPECT_EQ(url.addresses[0].host, "host");
  EXPECT_EQ(url.addresses[0].port, 2809);
  EXPECT_EQ(key_of(url), "key");
  EXPECT_FALSE(url.is_name);
}

TEST(ObjectUrl, ListsAddressesWithVersionsAndPorts) {
  const ObjectUrl url = parse("corbaloc:iiop:1.2@a:1,:1.1@[fd00::2]:2,IIOP:b,ssliop:c:3/a/b,c");
  ASSERT_EQ(url.addresses.size(), 4U);
  EXPECT_EQ(url.addresses[0].version, (Version{1, 2}));
  EXPECT_EQ(url.addresses[0].port, 1);
  EXPECT_EQ(url.addresses[1].host, "fd00::2");
  EXPECT_EQ(url.addresses[1].port, 2);
  EXPECT_EQ(url.addresses[2].scheme, "iiop");
  EXPECT_EQ(url.addresses[3].scheme, "ssliop");
  EXPECT_EQ(url.addresses[3].host, "c");
  EXPECT_EQ(url.addresses[3].port, 3);
  EXPECT_EQ(key_of(url), "a/b,c");
}

TEST(ObjectUrl, TakesTheScopeOfAnAddressInBracketsAndNowhereElse) {
  EXPECT_EQ(parse("corbaloc::1.2@[fe80::1%eth0]:1/k").addresses[0].host, "fe80::1%eth0");
  EXPECT_EQ(parse("corbaloc::[fe80::1%2]:1/k").addresses[0].host, "fe80::1%2");
  for (const char* text : {"corbaloc::[fe80::1%]:1/k", "corbaloc::[fe80::1%a b]:1/k", "corbaloc::[fe80::1%a%b]:1/k",
                           "corbaloc::[%eth0]:1/k", "corbaloc::h%eth0:1/k"}) {
    EXPECT_EQ(fault_of(text), UrlFault::bad_address) << text;
  }
}

TEST(ObjectUrl, MayLackAKey) {
  EXPECT_TRUE(parse("corbaloc::host").object_key.empty());
  EXPECT_TRUE(parse("corbaloc::host/").object_key.empty());
}

TEST(ObjectUrl, UnescapesKeys) {
  EXPECT_EQ(parse("corbaloc::h/a%00%ffb%2Fc").object_key, (base::Bytes{'a', 0, 0xff, 'b', '/', 'c'}));
}

TEST(ObjectUrl, KnowsInitialReferences) {
  EXPECT_EQ(key_of(parse("corbaloc:rir:/RootPOA")), "RootPOA");
  EXPECT_EQ(key_of(parse("corbaloc:rir:")), "NameService");
  EXPECT_EQ(fault_of("corbaloc:rir:,:host/x"), UrlFault::bad_address);
  EXPECT_EQ(fault_of("corbaloc:rir:x/y"), UrlFault::bad_address);
}

TEST(ObjectUrl, KeepsPathsOfUiopWhole) {
  const ObjectUrl url = parse("corbaloc:uiop:1.2@/tmp/a/b,uiop:/tmp/c|key/1");
  ASSERT_EQ(url.addresses.size(), 2U);
  EXPECT_EQ(url.addresses[0].host, "/tmp/a/b");
  EXPECT_EQ(url.addresses[0].version, (Version{1, 2}));
  EXPECT_EQ(parse("corbaloc:uiop:/tmp/x@y|k").addresses[0].host, "/tmp/x@y");
  EXPECT_EQ(fault_of("corbaloc:uiop:x@/tmp/a|k"), UrlFault::bad_address);
  const ObjectUrl datagrams = parse("corbaloc:diop:1.2@host:5000/key");
  EXPECT_EQ(datagrams.addresses[0].version.minor, 2);
  EXPECT_EQ(datagrams.addresses[0].host, "host:5000");
  EXPECT_EQ(fault_of("corbaloc:diop:rubbish@host:5000/key"), UrlFault::bad_address);
  EXPECT_EQ(url.addresses[1].host, "/tmp/c");
  EXPECT_EQ(key_of(url), "key/1");
}

TEST(ObjectUrl, SplitsNames) {
  const ObjectUrl url = parse("corbaname::host:99#a.b/c%5c.d");
  EXPECT_TRUE(url.is_name);
  EXPECT_EQ(key_of(url), "NameService");
  EXPECT_EQ(url.string_name, "a.b/c\\.d");
  EXPECT_EQ(key_of(parse("corbaname:rir:/Other#x")), "Other");
  EXPECT_EQ(parse("corbaname:rir:").string_name, "");
}

TEST(ObjectUrl, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of(""), UrlFault::bad_scheme);
  EXPECT_EQ(fault_of("http://x"), UrlFault::bad_scheme);
  for (const char* text : {"corbaloc:", "corbaloc:host", "corbaloc::", "corbaloc::/k", "corbaloc::h:0/k",
                           "corbaloc::h:65536/k", "corbaloc::h:/k", "corbaloc::h:1x/k", "corbaloc::1@h/k",
                           "corbaloc::1.x@h/k", "corbaloc::2.0@h/k", "corbaloc::[::1/k", "corbaloc::[]/k",
                           "corbaloc::a,/k", "corbaloc::a b/k", "corbaloc:x y:z/k", "corbaloc:uiop:|k"}) {
    EXPECT_EQ(fault_of(text), UrlFault::bad_address) << text;
  }
  for (const char* text : {"corbaloc::h/%", "corbaloc::h/%4", "corbaloc::h/%zz", "corbaloc::h/a b", "corbaloc::h/a#n",
                           "corbaname::h#a\x80", "corbaname::h#%00"}) {
    EXPECT_EQ(fault_of(text), UrlFault::bad_specific_part) << text;
  }
}

TEST(ObjectUrl, EscapesKeysSoThatTheyReadBack) {
  base::Bytes key(256);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<base::Octet>(i);
  EXPECT_EQ(parse("corbaloc::h/" + escape_object_key(key)).object_key, key);
  EXPECT_EQ(escape_object_key(base::as_bytes("a/b c%")), "a/b%20c%25");
}

}  // namespace
}  // namespace corbel::ior
