// SPDX-License-Identifier: Apache-2.0
// What references say of TLS.
#include "corbel/ior/profile.hpp"
#include "support.hpp"

namespace corbel::tls_test {
namespace {

std::shared_ptr<const transport::Factory> tls(const Security& security = {}) {
  return transport::make_tls(transport::make_tcp(), {security});
}

ior::TaggedProfile iiop(const std::string& host, std::uint16_t port, const std::string& component) {
  ior::IiopProfile profile;
  profile.object_key = {1};
  profile.host = host;
  profile.port = port;
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(component, octets));
  profile.components.push_back({20, octets});
  return ior::encode_profile(profile);
}

std::vector<std::string> texts(const base::Result<transport::Reachable>& reachable) {
  std::vector<std::string> all;
  if (reachable) {
    for (const auto& each : reachable->endpoints) all.push_back(each->text());
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(TlsProfile, ReadsWhatOtherOrbsWrite) {
  // Octet order, pad, target_supports, target_requires, port.
  EXPECT_EQ(texts(tls()->decode(iiop("Host", 0, "0100660066003930"), {})), Texts{"tls://host:12345"});  // omniORB
  EXPECT_EQ(texts(tls()->decode(iiop("::1", 0, "0000006000203039"), {})), Texts{"tls://[::1]:12345"});  // JacORB
}

TEST(TlsProfile, WhereTheServerLeavesTheChoiceTlsIsForThoseWhoKnowWhomToBelieve) {
  const auto profile = iiop("host", 683, "0100a60086003930");  // TAO
  EXPECT_EQ(texts(tls()->decode(profile, {})), Texts{});
  Security security;
  security.authorities = "ca.pem";
  EXPECT_EQ(texts(tls(security)->decode(profile, {})), Texts{"tls://host:12345"});
  EXPECT_EQ(texts(transport::make_tcp()->decode(profile, {})), Texts{"tcp://host:683"});
  EXPECT_FALSE(tls()->insists());
  EXPECT_TRUE(tls(security)->insists());
  security = {};
  security.server_names = {"vault"};  // of the system's authorities
  EXPECT_TRUE(tls(security)->insists());
}

TEST(TlsProfile, WhatSaysNothingUsableIsLeftAlone) {
  for (const char* component : {"", "01", "010066", "0100660066000000"}) {
    EXPECT_EQ(tls()->decode(iiop("host", 0, component), {}).error().code, Code::unsupported) << component;
  }
  EXPECT_EQ(tls()->decode(iiop("ho st", 0, "0100660066003930"), {}).error().code, Code::unsupported);
}

TEST(TlsProfile, IsOfPortZeroSoThatNobodyConnectsPlainly) {
  for (const auto& [verify, supports, required] :
       {std::tuple(VerifyClients::required, 0x00fe, 0x0046), std::tuple(VerifyClients::optional, 0x00fe, 0x0006),
        std::tuple(VerifyClients::off, 0x00be, 0x0006)}) {
    Security security;
    security.verify_clients = verify;
    const auto factory = tls(security);
    const std::vector<transport::EndpointPtr> endpoints{*factory->parse("a:1"), *factory->parse("b:2")};
    ior::ProfileBase base;
    base.version = {1, 2};
    base.object_key = {1};
    std::vector<ior::TaggedProfile> profiles;
    ASSERT_TRUE(factory->publish(endpoints, base, profiles));
    ASSERT_EQ(profiles.size(), 2U) << "the component says nothing of hosts";
    const auto first = ior::decode_iiop_profile(profiles[0]);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->host, "a");
    EXPECT_EQ(first->port, 0);
    const auto* component = ior::find_component(first->components, ior::ComponentTag::ssl_sec_trans);
    ASSERT_NE(component, nullptr);
    ASSERT_EQ(component->data.size(), 8U);
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component->data);
    EXPECT_EQ(decoder.get<std::uint16_t>(), supports);
    EXPECT_EQ(decoder.get<std::uint16_t>(), required);
    EXPECT_EQ(decoder.get<std::uint16_t>(), 1);
    EXPECT_EQ(texts(factory->decode(profiles[1], {})), Texts{"tls://b:2"});
  }
}

TEST(TlsProfile, PlainEndpointsHaveAProfileOfTheirOwn) {
  const auto factory = tls();
  const std::vector<transport::EndpointPtr> secure{*factory->parse("10.0.0.7:1")};
  const std::vector<transport::EndpointPtr> plain{*transport::make_tcp()->parse("127.0.0.1:2")};
  ior::ProfileBase base;
  base.object_key = {1};
  std::vector<ior::TaggedProfile> profiles;
  ASSERT_TRUE(factory->publish(secure, base, profiles));
  ASSERT_TRUE(transport::make_tcp()->publish(plain, base, profiles));
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(texts(factory->decode(profiles[0], {})), Texts{"tls://10.0.0.7:1"});
  EXPECT_EQ(texts(transport::make_tcp()->decode(profiles[1], {})), Texts{"tcp://127.0.0.1:2"});
}

TEST(TlsProfile, ReadsSsliopAddressesOfUrls) {
  EXPECT_EQ((*tls()->from_url({"ssliop", {1, 2}, "Host", 2809}))->text(), "tls://host:2809");
  EXPECT_EQ(tls()->from_url({"iiop", {1, 2}, "host", 2809}).error().code, Code::unsupported);
  EXPECT_EQ(tls()->from_url({"ssliop", {1, 2}, "host", 0}).error().code, Code::bad_argument);
}

}  // namespace
}  // namespace corbel::tls_test
