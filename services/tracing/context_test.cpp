// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <gtest/gtest.h>

#include "corbel/cdr/encapsulation.hpp"

namespace corbel::tracing {
namespace {

constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::vector<std::uint8_t> octets(const std::string& parent, const std::string& state) {
  const auto data = cdr::encapsulate([&](cdr::Encoder& out) {
    out.put_plain_string(parent);
    out.put_plain_string(state);
  });
  return {data->begin(), data->end()};
}

TEST(TraceContext, IsReadAndWrittenAsTheRecommendationHasIt) {
  const auto context = from_traceparent(kParent);
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(hex(context->trace), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(to_traceparent(*context), kParent);
  EXPECT_FALSE(from_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")->sampled);
  // A later version may have more behind it; of its flags, only the one that is known counts.
  const auto later = from_traceparent("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-what");
  ASSERT_TRUE(later);
  EXPECT_EQ(to_traceparent(*later), kParent);
}

TEST(TraceContext, ThatMakesNoSenseIsNone) {
  const std::string parent = kParent;
  const std::vector<std::string> none = {std::string(),
                                         parent.substr(1),
                                         parent + "0",
                                         parent + "-1",
                                         "ff" + parent.substr(2),
                                         "0x" + parent.substr(2),
                                         "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                                         "cc" + parent.substr(2) + "1",
                                         "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                                         "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                         "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
                                         std::string(55, '-'),
                                         std::string(1000, '0')};
  for (const std::string& bad : none) {
    EXPECT_FALSE(from_traceparent(bad)) << bad;
    EXPECT_FALSE(from_octets(octets(bad, ""))) << bad;
  }
}

TEST(TraceContext, OfStrangersIsReadWithinItsOctets) {
  const auto whole = octets(kParent, "vendor=value");
  EXPECT_EQ(from_octets(whole)->state, "vendor=value");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    (void)from_octets(std::span(whole).first(size));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int octet : {0x00, 0x7f, 0xff}) {
      auto changed = whole;
      changed[at] = static_cast<std::uint8_t>(octet);
      (void)from_octets(changed);
    }
  }
  EXPECT_FALSE(from_octets({}));
}

TEST(TraceContext, HasNoStateThatIsTooLongOrNoText) {
  EXPECT_EQ(from_octets(octets(kParent, std::string(kMostState, 'x')))->state.size(), kMostState);
  EXPECT_EQ(from_octets(octets(kParent, std::string(kMostState + 1, 'x')))->state, "");
  EXPECT_EQ(from_octets(octets(kParent, "a\nb"))->state, "");
}

TEST(TraceContext, BelowAnotherIsOfItsTrace) {
  auto parent = *from_traceparent(kParent);
  parent.state = "vendor=value";
  const Context child = begin_context(&parent, 0);
  EXPECT_EQ(child.trace, parent.trace);
  EXPECT_NE(child.span, parent.span);
  EXPECT_TRUE(child.sampled) << "as the caller decided, whatever the share";
  EXPECT_EQ(from_octets(to_octets(child))->state, "vendor=value");
  EXPECT_NE(begin_context(nullptr, 1).trace, begin_context(nullptr, 1).trace);
}

TEST(TraceContext, BeginsSampledAsOftenAsItIsToBe) {
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += begin_context(nullptr, 0.25).sampled ? 1 : 0;
  EXPECT_NEAR(sampled, 2500, 300);
  EXPECT_FALSE(begin_context(nullptr, 0).sampled);
  EXPECT_TRUE(begin_context(nullptr, 1).sampled);
}

}  // namespace
}  // namespace corbel::tracing
