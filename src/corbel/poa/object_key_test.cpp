// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/object_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace corbel::poa {
namespace {

const base::Bytes kId{1, 2, 0, 255};

TEST(ObjectKey, TransientKeysComeBackAndHaveAFixedPrefix) {
  ObjectKey key;
  key.run = 0x0123456789abcdef;
  key.slot = 7;
  key.generation = 0xfffffffe;
  key.id = kId;
  const base::Bytes octets = make_key(key);
  EXPECT_EQ(octets.size(), kTransientPrefix + kId.size());
  EXPECT_EQ(base::to_hex(octets), "43420100efcdab896745230107000000feffffff010200ff");
  ObjectKey read;
  ASSERT_TRUE(parse_key(octets, read));
  EXPECT_FALSE(read.persistent);
  EXPECT_EQ(read.run, key.run);
  EXPECT_EQ(read.slot, key.slot);
  EXPECT_EQ(read.generation, key.generation);
  EXPECT_TRUE(std::ranges::equal(read.id, kId));
}

TEST(ObjectKey, PersistentKeysNameThePath) {
  ObjectKey key;
  key.persistent = true;
  key.path = "gold";
  key.id = kId;
  const base::Bytes octets = make_key(key);
  EXPECT_EQ(base::to_hex(octets), "434201010400676f6c64010200ff");
  ObjectKey read;
  ASSERT_TRUE(parse_key(octets, read));
  EXPECT_TRUE(read.persistent);
  EXPECT_EQ(read.path, "gold");
  EXPECT_TRUE(std::ranges::equal(read.id, kId));
}

TEST(ObjectKey, RefusesForeignAndTruncatedKeys) {
  ObjectKey key;
  for (const char* text : {"", "CB", "NameService", "CB\2", "CB\1\2abcdefghijklmnopqrst"}) {
    EXPECT_FALSE(parse_key(base::as_bytes(text), key)) << text;
  }
  ObjectKey transient;
  const base::Bytes whole = make_key(transient);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse_key({whole.data(), size}, key));
  ObjectKey persistent;
  persistent.persistent = true;
  persistent.path = "gold";
  const base::Bytes named = make_key(persistent);
  EXPECT_TRUE(parse_key(named, key));
  for (std::size_t size = 0; size < named.size(); ++size) EXPECT_FALSE(parse_key({named.data(), size}, key)) << size;
  const base::Bytes path_too_long{'C', 'B', 1, 1, 5, 0, 'a'};
  EXPECT_FALSE(parse_key(path_too_long, key));
}

}  // namespace
}  // namespace corbel::poa
