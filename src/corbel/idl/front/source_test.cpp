// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/source.hpp"

#include <gtest/gtest.h>

namespace corbel::idl::front {
namespace {

TEST(Source, FollowsLineMarkersIntoIncludesAndBack) {
  const std::string text = "#line 1 \"/w/main.idl\"\na\n#line 1 \"/w/inc.idl\"\n\nb\n#line 2 \"/w/main.idl\"\nc d\n";
  const Source source(text, "main.idl", "/w/");
  ASSERT_EQ(source.files().size(), 2U);
  EXPECT_EQ(source.files()[0], "main.idl");
  EXPECT_EQ(source.files()[1], "inc.idl");
  const auto b = source.position(text.find("b\n"));
  EXPECT_EQ(b.file, 1U);
  EXPECT_EQ(b.line, 2U);
  EXPECT_EQ(source.marker_at(text.find("b\n")).depth, 1U);
  const auto d = source.position(text.find("d\n"));
  EXPECT_EQ(d.file, 0U);
  EXPECT_EQ(d.line, 2U);
  EXPECT_EQ(d.column, 3U);
  EXPECT_EQ(source.marker_at(text.find("d\n")).depth, 0U);
  EXPECT_TRUE(source.included_by_main(1));
}

TEST(Source, ShowsTheLineAroundASpan) {
  const Source source("first\nsecond line\n", "nowhere.idl");
  const Place place = source.place({13, 4});
  EXPECT_EQ(place.line, 2U);
  EXPECT_EQ(place.column, 8U);
  EXPECT_EQ(place.text, "second line");
}

TEST(Source, IgnoresThingsThatOnlyLookLikeMarkers) {
  const Source source("#\n#pragma x\n# 99999999999 \"x\"\n# 3\n# 3 \"open\nx", "a.idl");
  EXPECT_EQ(source.files().size(), 1U);
}

}  // namespace
}  // namespace corbel::idl::front
