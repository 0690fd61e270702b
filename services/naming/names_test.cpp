// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <gtest/gtest.h>

namespace corbel::naming {
namespace {

using CosNaming::Name;
using CosNaming::NameComponent;

TEST(Names, AreWrittenAndReadBack) {
  const std::pair<const char*, Name> pairs[] = {
      {"a", {NameComponent("a", "")}},
      {"a.b", {NameComponent("a", "b")}},
      {".b", {NameComponent("", "b")}},
      {".", {NameComponent("", "")}},
      {"./.", {NameComponent("", ""), NameComponent("", "")}},
      {"a/b.c/.d", {NameComponent("a", ""), NameComponent("b", "c"), NameComponent("", "d")}},
      {"a\\.b\\/c\\\\.k\\.", {NameComponent("a.b/c\\", "k.")}},
      {"gr\xc3\xbc\xc3\x9f e\n", {NameComponent("gr\xc3\xbc\xc3\x9f e\n", "")}},
  };
  for (const auto& [text, name] : pairs) {
    EXPECT_EQ(to_string(name), text);
    const auto read = parse_name(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(*read, name) << text;
  }
}

TEST(Names, RefusesWhatIsNone) {
  for (const char* text : {"", "/", "a/", "/a", "a//b", "a.", "a.b.c", "..", "a\\", "a\\b", "a/b.", "\\"}) {
    EXPECT_FALSE(parse_name(text).has_value()) << text;
  }
}

TEST(Names, LimitsCountComponentsAndTheirOctets) {
  const NameLimits limits{.components = 2, .component_octets = 3};
  EXPECT_TRUE(within({NameComponent("abc", "def"), NameComponent("", "")}, limits));
  EXPECT_FALSE(within({}, limits));
  EXPECT_FALSE(within({NameComponent("abcd", "")}, limits));
  EXPECT_FALSE(within({NameComponent("", "abcd")}, limits));
  EXPECT_FALSE(within({NameComponent("a", ""), NameComponent("a", ""), NameComponent("a", "")}, limits));
}

TEST(Names, TextsBeyondTheLimitsAreReadNoFurtherThanThese) {
  const NameLimits limits{.components = 2, .component_octets = 3};
  std::string endless = "a";
  for (int i = 0; i < 100'000; ++i) endless += "/a";
  const auto many = parse_name(endless, limits);
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(many->size(), 3U);
  EXPECT_FALSE(within(*many, limits));
  for (const std::string& text : {std::string(100'000, 'x'), "k." + std::string(100'000, 'x')}) {
    const auto one = parse_name(text, limits);
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(one->size(), 1U);
    EXPECT_EQ(one->front().id().size() + one->front().kind().size(), text.front() == 'k' ? 5U : 4U);
    EXPECT_FALSE(within(*one, limits));
  }
  EXPECT_TRUE(within(*parse_name("abc.def/.", limits), limits));
  EXPECT_FALSE(parse_name("a//b", limits).has_value());
}

TEST(Names, AreEscapedForUrls) {
  EXPECT_EQ(escape_for_url("a.b/c_d-e;:?@&=+$,!~*'()"), "a.b/c_d-e;:?@&=+$,!~*'()");
  EXPECT_EQ(escape_for_url("a b\\.%#<>\"\x7f\xc3\xbc"), "a%20b%5c.%25%23%3c%3e%22%7f%c3%bc");
}

}  // namespace
}  // namespace corbel::naming
