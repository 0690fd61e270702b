// SPDX-License-Identifier: Apache-2.0
// Annotations inside types.
#include "corbel/idl/front/test_support.hpp"

namespace corbel::idl::front {
namespace {

using test::find;
using test::ids_of;
using test::parse_clean;

constexpr unsigned id(Id which) {
  return static_cast<unsigned>(which);
}

TEST(Annotations, BeforeTheTypesOfElementsAreReadAndLeftOut) {
  const Result result = parse_clean(
      "@annotation a { long value default 0; }; module M { @annotation b {}; }; struct P { long n; };"
      "struct S { @a(1) sequence<@a(2) sequence<@M::b @external ::P>, 3> one; @key map<@a string, @M::b long> two; };"
      "interface I { void f(in @a string t); }; typedef @M::b sequence<@a I> Is;"
      "union U switch (long) { case 1: @a sequence<@a octet> o; };");
  const auto* s = find<model::Struct>(result.model->contents, "S");
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(spelling(*s->members.at(0).type), "sequence<sequence<P>, 3>");
  ASSERT_EQ(s->members[0].annotations.size(), 1U) << "those of the member stay its own";
  EXPECT_EQ(*s->members[0].annotations[0].find("value"), model::Value(std::int64_t{1}));
  EXPECT_TRUE(s->members.at(1).key);
  EXPECT_EQ(find<model::Alias>(result.model->contents, "Is")->annotations.size(), 1U);
}

TEST(Annotations, BeforeTheTypesOfElementsAreJudged) {
  const auto said = [](const std::string& element) {
    return ids_of(parse("struct S { sequence<" + element + "> all; };", "test.idl"));
  };
  EXPECT_EQ(said("@try_construct(TRIM) string<5>"), std::to_string(id(Id::unknown_annotation)));
  EXPECT_EQ(said("@key long"), std::to_string(id(Id::annotation_place)));
  EXPECT_EQ(said("@external(3) long"), std::to_string(id(Id::annotation_argument)));
}

}  // namespace
}  // namespace corbel::idl::front
