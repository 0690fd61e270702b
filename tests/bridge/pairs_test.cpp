// SPDX-License-Identifier: Apache-2.0
// Every protocol and transport on the one side with every one on the other.
#include "support.hpp"

namespace corbel::bridge_test {
namespace {

const std::vector<std::string> kEndpoints = {"tcp://127.0.0.1:0",           "unix://",           "shm://",
                                             "giop_lite+tcp://127.0.0.1:0", "giop_lite+unix://", "giop_lite+shm://"};

class Pairs : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

void pass_on(const std::string& before, const std::string& behind, const bridge::Settings& settings) {
  Side server("server", behind);
  Between between(settings, {before});
  const Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  EXPECT_EQ(target->echo("a"), "a");
  EXPECT_EQ(target->echo("Gr\u00fc\u00dfe"), "Gr\u00fc\u00dfe");
  std::int64_t sum = 0;
  EXPECT_EQ(target->mixed(3, 1.5, L"\u20ac12", sum), -1.5);
  EXPECT_EQ(sum, 6);
  Bridged::Blob load(300'001);
  for (std::size_t i = 0; i < load.size(); ++i) load[i] = static_cast<std::uint8_t>(i * 7);
  EXPECT_EQ(target->carry(load), load);
  EXPECT_EQ(target->carry({}), Bridged::Blob());
  try {
    target->refuse("because");
    ADD_FAILURE() << "nothing was raised";
  } catch (const Bridged::Refused& refused) {
    EXPECT_EQ(refused.why(), "because");
  }
  try {
    target->fail();
    ADD_FAILURE() << "nothing was raised";
  } catch (const CORBA::TRANSIENT& exception) {
    EXPECT_EQ(exception.minor(), 77U);
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
  EXPECT_TRUE(target->_is_a("IDL:Bridged/Target:1.0"));
  EXPECT_FALSE(target->_is_a("IDL:Bridged/Other:1.0"));
  EXPECT_FALSE(target->_non_existent());
  for (int i = 1; i <= 4; ++i) target->note(i);
  EXPECT_TRUE(test::eventually([&] { return target->noted() == 10; }));
  EXPECT_EQ(between.bridge.counts().by_types, 0U);
  EXPECT_EQ(between.bridge.counts().failed, 0U);
}

TEST_P(Pairs, PassOnWhatTheyAreGiven) {
  pass_on(std::get<0>(GetParam()), std::get<1>(GetParam()), {});
}

TEST_P(Pairs, AndSoDoThoseWhoseThreadsNeverWait) {
  bridge::Settings settings;
  settings.in_place = base::Duration::zero();
  pass_on(std::get<0>(GetParam()), std::get<1>(GetParam()), settings);
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  std::string name;
  for (const std::string& endpoint : {std::get<0>(info.param), std::get<1>(info.param)}) {
    for (const char c : endpoint.substr(0, endpoint.find(':'))) name += c == '+' || c == '_' ? 'X' : c;
    name += "To";
  }
  return name.substr(0, name.size() - 2);
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, testing::Combine(testing::ValuesIn(kEndpoints), testing::ValuesIn(kEndpoints)),
                         name_of);

/// A request of one string in either byte order and any version.
test::Octets request(bool little_endian, std::uint8_t minor, std::string_view key, std::string_view text) {
  test::Writer writer(little_endian);
  writer.giop(0, minor);
  if (minor < 2) {
    writer.u32(0).u32(9).octet(1).u32(static_cast<std::uint32_t>(key.size())).raw(key).string("echo").u32(0);
  } else {
    writer.u32(9).octet(3).octet(0).octet(0).octet(0).u16(0).u32(static_cast<std::uint32_t>(key.size())).raw(key);
    writer.string("echo").u32(0).align(8);
  }
  writer.string(text);
  return writer.finish();
}

TEST(Orders, TheBodyKeepsTheByteOrderThatItHas) {
  for (const bool little_endian : {true, false}) {
    test::FakePeer peer({test::answer::text("back")});
    Between between;
    const std::string reference = between.add(peer.ior(), "k");
    test::RawPeer raw(port_of(reference));
    ASSERT_TRUE(raw.send(request(little_endian, 2, "k", "there")));
    ASSERT_TRUE(raw.message());
    const test::Received got = peer.last();
    EXPECT_EQ(got.little_endian, little_endian);
    EXPECT_EQ(got.operation, "echo");
    EXPECT_EQ(got.key, "key");
    const std::string body(got.octets.begin() + static_cast<std::ptrdiff_t>(got.body), got.octets.end());
    EXPECT_EQ(body.substr(4), std::string("there\0", 6));
    EXPECT_EQ(body[little_endian ? 0 : 3], 6);
  }
}

/// In GIOP 1.0 and 1.1 the body begins where the header ends: keys of all lengths move it.
TEST(Orders, OlderBodiesFindTheirAlignment) {
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}}) {
    Side server("server", "tcp://127.0.0.1:0", {"-ORBGiopVersion", "1." + std::to_string(minor)});
    Between between;
    for (const std::string key : {"k", "key 2", "a key of length"}) {
      const Side client("client", "tcp://127.0.0.1:0", {"-ORBGiopVersion", "1." + std::to_string(minor)});
      const TargetRef target = client.target(between.add(server.reference(), key));
      EXPECT_EQ(target->echo("a"), "a") << key;
      Bridged::Blob load(5000, 7);
      EXPECT_EQ(target->carry(load), load);
      EXPECT_EQ(ending_of([&] { target->fail(); }), "TRANSIENT MAYBE");
    }
    EXPECT_EQ(between.bridge.counts().failed, 0U);
  }
}

TEST(Orders, ABigEndianBodyForAProtocolWithoutByteOrderNeedsTypes) {
  Side server("server", "giop_lite+tcp://127.0.0.1:0");
  for (const bool typed : {false, true}) {
    Between between(typed ? with_types() : bridge::Settings());
    const std::string reference = between.add(server.reference(), "k");
    test::RawPeer raw(port_of(reference));
    ASSERT_TRUE(raw.send(request(false, 2, "k", "there")));
    const auto reply = raw.message();
    ASSERT_TRUE(reply);
    const std::string text(reply->begin(), reply->end());
    EXPECT_EQ(text.find("MARSHAL") == std::string::npos, typed);
    EXPECT_EQ(text.find("there") != std::string::npos, typed);
    EXPECT_EQ(server.servant->calls, typed ? 1 : 0);
    EXPECT_TRUE(test::eventually([&] { return between.log->count("request not forwarded") == (typed ? 0U : 1U); }));
  }
}

}  // namespace
}  // namespace corbel::bridge_test
