// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unordered_set>

#include "corbel/ipc/inet_address.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/subscriber.hpp"
#include "corbel/ipc/unix_address.hpp"

namespace corbel::ipc {
namespace {

using base::Code;

TEST(InetAddress, ParsesAndPrintsBothFamilies) {
  EXPECT_EQ(InetAddress::parse("127.0.0.1", 80)->to_string(), "127.0.0.1:80");
  EXPECT_EQ(InetAddress::parse("::1", 8080)->to_string(), "[::1]:8080");
  EXPECT_EQ(InetAddress::parse("2001:db8::7", 1)->host(), "2001:db8::7");
  EXPECT_EQ(InetAddress::parse("fe80::1%1", 1)->host(), "fe80::1%lo");
}

TEST(InetAddress, RefusesWhatIsNotNumeric) {
  using namespace std::string_literals;
  for (const std::string& text : {""s, "localhost"s, "127.1"s, "1.2.3.4.5"s, "[::1]"s, ":::"s, "fe80::1%"s,
                                  "::1%nosuchinterface"s, "127.0.0.1\0x"s, std::string(100'000, '1')}) {
    const auto parsed = InetAddress::parse(text, 1);
    ASSERT_FALSE(parsed) << text.substr(0, 40);
    EXPECT_EQ(parsed.error().code, Code::bad_argument);
  }
}

TEST(InetAddress, ComparesAndHashesByValue) {
  const auto a = InetAddress::loopback_v4(80);
  EXPECT_EQ(a, *InetAddress::parse("127.0.0.1", 80));
  EXPECT_FALSE(a == a.with_port(81));
  EXPECT_FALSE(a == InetAddress::loopback_v6(80));
  std::unordered_set<InetAddress> set{a, InetAddress::loopback_v4(80), InetAddress::loopback_v6(80)};
  EXPECT_EQ(set.size(), 2U);
}

TEST(InetAddress, KnowsItsKind) {
  EXPECT_TRUE(InetAddress().is_any());
  EXPECT_TRUE(InetAddress::any_v6().is_any());
  EXPECT_TRUE(InetAddress::loopback_v6().is_loopback());
  EXPECT_TRUE(InetAddress::parse("::ffff:127.0.0.5", 1)->is_loopback());
  EXPECT_FALSE(InetAddress::parse("10.0.0.1", 1)->is_loopback());
}

TEST(InetAddress, ResolvesNumericAndNamedHosts) {
  const auto numeric = InetAddress::resolve("127.0.0.1", 7);
  ASSERT_TRUE(numeric);
  EXPECT_EQ(numeric->size(), 1U);
  const auto named = InetAddress::resolve("localhost", 7);
  ASSERT_TRUE(named);
  ASSERT_FALSE(named->empty());
  EXPECT_TRUE(named->front().is_loopback());
  EXPECT_EQ(named->front().port(), 7);
}

TEST(InetAddressOrder, FamiliesTakeTurns) {
  const auto text = [](std::vector<std::string> hosts) {
    std::vector<InetAddress> addresses;
    for (const auto& host : hosts) addresses.push_back(*InetAddress::parse(host, 7));
    InetAddress::alternate_families(addresses);
    std::string all;
    for (const auto& address : addresses) all += address.host() + ' ';
    return all;
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"}), "::1 10.0.0.1 ::2 10.0.0.2 ::3 ");
  EXPECT_EQ(text({"10.0.0.1", "::1", "::2"}), "10.0.0.1 ::1 ::2 ");
  EXPECT_EQ(text({"10.0.0.2", "10.0.0.1"}), "10.0.0.2 10.0.0.1 ");
}

TEST(InetAddress, ReportsUnknownHostsAsUnreachable) {
  for (const char* host : {"", "two words", "no..dots"}) {
    const auto resolved = InetAddress::resolve(host, 7);
    ASSERT_FALSE(resolved) << host;
    EXPECT_EQ(resolved.error().stage, base::Stage::resolve) << host;
    EXPECT_EQ(resolved.error().code, Code::unreachable) << host;
    if (const int words = resolved.error().os_error; words != 0) {
      EXPECT_LT(words, 0);  // the resolver's number, not an errno
      EXPECT_STRNE(resolver_text(words), "Unknown error") << host;
    }
  }
}

TEST(Subscriber, HasOneIpv4AddressOr64BitsOfIpv6) {
  const auto of = [](const char* host) { return subscriber(*InetAddress::parse(host, 7)); };
  EXPECT_EQ(of("192.0.2.1"), *InetAddress::parse("192.0.2.1", 0));
  EXPECT_EQ(of("::ffff:192.0.2.1"), of("192.0.2.1"));
  EXPECT_FALSE(of("192.0.2.2") == of("192.0.2.1"));
  EXPECT_EQ(of("2001:db8:1:2:3:4:5:6"), *InetAddress::parse("2001:db8:1:2::", 0));
  EXPECT_EQ(of("2001:db8:1:2:ffff::1"), of("2001:db8:1:2::"));
  EXPECT_FALSE(of("2001:db8:1:3::1") == of("2001:db8:1:2::1"));
  EXPECT_EQ(of("fe80::1%1"), of("fe80::2%1"));
  EXPECT_FALSE(of("fe80::1%1") == of("fe80::1%2"));
}

TEST(InetAddress, OfAnotherFamilyIsEmpty) {
  const auto local = *UnixAddress::path("/tmp/x");
  EXPECT_EQ(InetAddress::from_native(local.native(), local.size()), InetAddress());
}

TEST(UnixAddress, HoldsPathsUpToTheLimit) {
  const std::string longest(UnixAddress::kMaxLength, 'x');
  EXPECT_EQ(UnixAddress::path(longest)->name(), longest);
  EXPECT_EQ(UnixAddress::path(longest + 'x').error().code, Code::too_large);
  EXPECT_EQ(UnixAddress::abstract(longest)->name(), longest);
  EXPECT_EQ(UnixAddress::abstract(longest + 'x').error().code, Code::too_large);
}

TEST(UnixAddress, RefusesEmptyNamesAndPathsWithNul) {
  EXPECT_EQ(UnixAddress::path("").error().code, Code::bad_argument);
  EXPECT_EQ(UnixAddress::path(std::string_view("a\0b", 3)).error().code, Code::bad_argument);
  EXPECT_EQ(UnixAddress::abstract("").error().code, Code::bad_argument);
}

TEST(UnixAddress, PrintsEachKind) {
  EXPECT_EQ(UnixAddress().to_string(), "");
  EXPECT_EQ(UnixAddress::path("/tmp/a")->to_string(), "/tmp/a");
  EXPECT_EQ(UnixAddress::abstract(std::string_view("a\0b", 3))->to_string(), "@a\\x00b");
}

TEST(UnixAddress, SurvivesTheRoundTripThroughItsNativeForm) {
  for (const auto& address : {UnixAddress(), *UnixAddress::path(std::string(UnixAddress::kMaxLength, 'p')),
                              *UnixAddress::abstract(std::string(UnixAddress::kMaxLength, 'a'))}) {
    EXPECT_EQ(UnixAddress::from_native(address.native(), address.size()), address);
  }
  EXPECT_FALSE(*UnixAddress::path("x") == *UnixAddress::abstract("x"));
}

}  // namespace
}  // namespace corbel::ipc
