// SPDX-License-Identifier: Apache-2.0
#include "idl/model/model.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace corbel::idl::model
