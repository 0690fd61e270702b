// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/callers.hpp"

#include <gtest/gtest.h>

#include "corbel/orb/peer.hpp"

namespace corbel::poa {
namespace {

bool takes(const std::string& pattern, const std::string& subject) {
  RequestPeer peer;
  peer.subject = subject;
  return Callers{.subjects = {pattern}}.take(peer);
}

TEST(Callers, AreComparedAsTheyAreWritten) {
  EXPECT_TRUE(takes("CN=alice,O=Example", "CN=alice,O=Example"));
  for (const char* other : {"CN=alice,O=Example2", "CN=alice,O=Exampl", "CN=Alice,O=Example", "O=Example,CN=alice",
                            "CN=alice", "CN=mallory\\,CN=alice,O=Example", ""}) {
    EXPECT_FALSE(takes("CN=alice,O=Example", other)) << other;
  }
}

TEST(Callers, AnAsteriskStandsForOneWholeValue) {
  EXPECT_TRUE(takes("CN=*,O=Example", "CN=alice,O=Example"));
  EXPECT_TRUE(takes("CN=*,O=Example", "CN=Smith\\, Alice\\\\,O=Example"));
  EXPECT_TRUE(takes("CN=alice,O=*", "CN=alice,O=Example"));
  EXPECT_TRUE(takes("CN=*+UID=7,O=*", "CN=alice+UID=7,O=Example"));
  EXPECT_TRUE(takes("CN=*", "CN=*"));
  EXPECT_TRUE(takes("CN=*.example.org", "CN=*.example.org")) << "no whole value: a character like others";
  EXPECT_FALSE(takes("CN=*.example.org", "CN=www.example.org"));
  EXPECT_FALSE(takes("CN=*,O=Example", "CN=alice,OU=Guests,O=Example"));
  EXPECT_FALSE(takes("CN=*,O=Example", "CN=alice\\,O=Example"));
  EXPECT_FALSE(takes("CN=*,O=Example", "CN=alice+O=Example"));
  EXPECT_FALSE(takes("CN=*", "CN=alice,O=Example"));
  EXPECT_FALSE(takes("CN=*", "OU=alice"));
  EXPECT_FALSE(takes("CN=*", "CN"));
  EXPECT_TRUE(takes("CN=*", "CN=alice\\")) << "nothing is read beyond the end";
}

TEST(Callers, WithoutASubjectAreInNoListOfSubjects) {
  EXPECT_FALSE(takes("CN=*", ""));
  EXPECT_FALSE(takes("", ""));
  EXPECT_TRUE(Callers{}.take(RequestPeer{}));
  EXPECT_FALSE((Callers{.subjects = {""}}.is_sound()));
}

}  // namespace
}  // namespace corbel::poa
