// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/model/model.hpp"

#include <gtest/gtest.h>

#include "corbel/idl/model/md5.hpp"
#include "corbel/idl/model/member_ids.hpp"

namespace corbel::idl::model {
namespace {

TEST(Model, JoinsScopedNames) {
  Model model;
  auto* outer = model.make<Module>();
  outer->name = "A";
  auto* inner = model.make<Struct>();
  inner->name = "B";
  inner->scope = outer;
  EXPECT_EQ(scoped_name(*inner), "A::B");
  EXPECT_EQ(scoped_name(*inner, "/"), "A/B");
}

TEST(Model, SpellsTypesAsIdlDoes) {
  Model model;
  const Type* text = model.add({TypeKind::string, 5, nullptr, {}, nullptr});
  const Type* list = model.add({TypeKind::sequence, 0, text, {}, nullptr});
  const Type* table = model.add({TypeKind::array, 0, list, {2, 3}, nullptr});
  EXPECT_EQ(spelling(*table), "sequence<string<5>>[2][3]");
  EXPECT_EQ(spelling(*model.add({TypeKind::ulonglong, 0, nullptr, {}, nullptr})), "unsigned long long");
}

TEST(Model, ResolvesTypedefsToTheTypeBehind) {
  Model model;
  const Type* number = model.add({TypeKind::long_, 0, nullptr, {}, nullptr});
  auto* alias = model.make<Alias>();
  alias->aliased = number;
  const Type* first = model.add({TypeKind::alias, 0, nullptr, {}, alias});
  auto* again = model.make<Alias>();
  again->aliased = first;
  EXPECT_EQ(&resolve(*model.add({TypeKind::alias, 0, nullptr, {}, again})), number);
}

std::string hexadecimal(const std::array<std::uint8_t, 16>& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const auto octet : digest) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
  }
  return text;
}

/// The test suite of RFC 1321, A.5; its last text needs two blocks.
TEST(Md5, IsThatOfTheRfc) {
  EXPECT_EQ(hexadecimal(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hexadecimal(md5("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hexadecimal(md5("abcdefghijklmnopqrstuvwxyz")), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(hexadecimal(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890")),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(MemberIds, AreHashedAsTheExamplesOfXtypes) {
  EXPECT_EQ(hashed_member_id("color"), 0x0fa5dd70U);
  EXPECT_EQ(hashed_member_id("shapesize"), 0x047790daU);
}

}  // namespace
}  // namespace corbel::idl::model
