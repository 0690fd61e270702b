// SPDX-License-Identifier: Apache-2.0
// What exceptions say: enough to know which of many calls, peers, objects and options it was.
#include <cstdlib>

#include "support.hpp"

namespace corbel::calls_test {
namespace {

namespace answer = test::answer;
using base::Code;
using base::Stage;
using test::FakePeer;

void expect_in(const std::string& text, const std::string& wanted) {
  EXPECT_NE(text.find(wanted), std::string::npos) << "'" << wanted << "' in: " << text;
}
void expect_not_in(const std::string& text, const std::string& unwanted) {
  EXPECT_EQ(text.find(unwanted), std::string::npos) << "'" << unwanted << "' in: " << text;
}

TEST(Texts, ShowWhatAPeerThatSpeaksSomethingElseSent) {
  FakePeer ssh({answer::garbage("SSH-2.0-OpenSSH_9.2p1\r\n")});
  FakePeer http({answer::garbage("HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(1000, 'x'))});
  FakePeer::Settings settings;
  settings.greeting = "220 mail.example.net ESMTP\r\n";
  FakePeer mail({answer::nothing()}, settings);
  Client client;
  auto text = ending_of([&] { client.thing(ssh.ior())->act(); }).text;
  expect_in(text, "calling 'act' at " + ssh.endpoint());
  expect_in(text, "the peer does not seem to speak giop, it sent 'SSH-2.0-OpenSSH_9.2p1..'");
  text = ending_of([&] { client.thing(http.ior())->act(); }).text;
  expect_in(text, "it sent 'HTTP/1.1 400 Bad Request....xxx");
  EXPECT_LT(text.size(), 400U);
  const auto ending = ending_of([&] { client.thing(mail.ior())->act(); });
  EXPECT_EQ(ending.what, "MARSHAL MAYBE");
  expect_in(ending.text, "it sent '220 mail.example.net ESMTP..'");
  FakePeer newer({answer::octets({'G', 'I', 'O', 'P', 9, 0, 1, 1, 0, 0, 0, 0})});
  expect_not_in(ending_of([&] { client.thing(newer.ior())->act(); }).text, "seem to speak");
}

TEST(Texts, OfAServersExceptionNameServerOperationAndObject) {
  FakePeer peer({answer::system_exception("NO_PERMISSION", 1, 5)});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing({peer.profile("a key")})->act(); }).text,
            "NO_PERMISSION (minor 0x00000005, COMPLETED_NO): raised by the server " + peer.endpoint() +
                " in 'act' of object 'a key'");
  expect_in(ending_of([&] { client.thing({peer.profile(std::string("\x01\xfe", 2))})->act(); }).text, "of object 01fe");
  expect_in(ending_of([&] { client.thing({peer.profile(std::string(33, 'k'))})->act(); }).text,
            "of object '" + std::string(32, 'k') + "...'");
}

TEST(Texts, OfAConnectTimeOutDoNotSpeakOfProgress) {
  const test::SilentPort silent;
  Client client({"-ORBConnectTimeout", "50"});
  const auto ending = ending_of([&] { client.thing({silent.profile()})->act(); });
  EXPECT_EQ(ending.what, "TIMEOUT NO");
  expect_in(ending.text, "connecting to " + silent.endpoint() + ": connect: timed out, after ");
  expect_not_in(ending.text, "progress");
}

TEST(Texts, OfAnUnknownHostHaveTheResolversWords) {
  Client client;
  auto profile = test::ProfileData();
  profile.host = "no-such-host.invalid";
  profile.port = 4000;
  const auto ending = ending_of([&] { client.thing({profile})->act(); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  expect_in(ending.text, "connecting to tcp://no-such-host.invalid:4000: resolve: unreachable (");
  expect_not_in(ending.text, "Unknown error");
}

TEST(Texts, OfANameThatCannotBeResolvedHaveTheName) {
  FakePeer naming({answer::user_exception("IDL:omg.org/CosNaming/NamingContext/NotFound:1.0")});
  Client client;
  const std::string url = "corbaname::127.0.0.1:" + std::to_string(naming.port()) + "#lost/object";
  const auto ending = ending_of([&] { client.orb()->string_to_object(url); });
  EXPECT_EQ(ending.what, "BAD_PARAM NO");
  EXPECT_EQ(ending.minor, corba::minor::kUrlOther);
  expect_in(ending.text, "resolving the name 'lost/object': the naming service does not know the name");
  naming.set({answer::system_exception("TRANSIENT", 1)});
  expect_in(ending_of([&] { client.orb()->string_to_object(url); }).text,
            "resolving the name 'lost/object': raised by");
}

TEST(Texts, AfterDestroyObjectsDoNotExistAndAfterShutdownTheOrderWasBad) {
  FakePeer peer({answer::done()});
  std::vector<std::string> none;
  for (const bool warm : {false, true}) {
    auto orb = CORBA::ORB_init(none, "ends");
    auto thing = IDL::traits<Calls::Thing>::unchecked_narrow(orb->string_to_object(peer.ior()));
    if (warm) thing->act();
    orb->shutdown(true);
    for (const auto& ending : {ending_of([&] { thing->act(); }), ending_of([&] { thing->async_act().get(); })}) {
      EXPECT_EQ(ending.what, "BAD_INV_ORDER NO");
      EXPECT_EQ(ending.minor, corba::minor::kOrbShutDown);
      expect_in(ending.text, "the ORB has shut down");
    }
    orb->destroy();
    for (const auto& ending : {ending_of([&] { thing->act(); }), ending_of([&] { thing->async_act().get(); })}) {
      EXPECT_EQ(ending.what, "OBJECT_NOT_EXIST NO");
      expect_in(ending.text, "the ORB has been destroyed");
    }
  }
  EXPECT_EQ(peer.requests(), 1U);
}

Ending listening(const std::string& endpoint) {
  const Client server({"-ORBListenEndpoints", endpoint});
  return ending_of([&] {
    auto root = IDL::traits<PortableServer::POA>::narrow(server.orb()->resolve_initial_references("RootPOA"));
    root->create_reference("IDL:Calls/Thing:1.0");
  });
}

TEST(Texts, OfEndpointsThatCannotBeOpenedSayWhy) {
  FakePeer peer;
  Ending ending = listening(peer.endpoint());
  EXPECT_EQ(ending.what, "INITIALIZE NO");
  EXPECT_EQ(ending.minor, corba::vendor_minor(Stage::listen, Code::address_in_use));
  expect_in(ending.text, "listening at '" + peer.endpoint() + "'");
  ending = listening("tcp://127.0.0.1:99999");
  EXPECT_EQ(ending.what, "BAD_PARAM NO");
  EXPECT_EQ(ending.minor, corba::minor::kBadOptionValue);
  expect_in(ending.text, "'tcp://127.0.0.1:99999': a port is a number from 0 to 65535");
  for (const char* const bad : {"tcp://[fe80::1%nosuch0]:0", "tcp://[::g]:0", "udp://[]:0", "tcp://[127.0.0.1]:0"}) {
    ending = listening(bad);
    EXPECT_EQ(ending.what, "BAD_PARAM NO");
    expect_in(ending.text, "in brackets stands an IPv6 address, with an interface of this host behind it");
  }
  expect_in(listening("tcp://::1:0").text, "an IPv6 address stands in brackets, as in [::1]:4000");
  ending = listening("tcp://127.0.0.1:0,unix:///tmp/x");
  EXPECT_EQ(ending.what, "BAD_PARAM NO");
  expect_in(ending.text, "several endpoints are separated by ';', not by ','");
  ending = listening("sctp://127.0.0.1:4000");
  EXPECT_EQ(ending.what, "BAD_PARAM NO");
  expect_in(ending.text, "'sctp://127.0.0.1:4000': there is no transport 'sctp' here, but ");
  expect_in(ending.text, "unix");
  ending = listening("giop_late+tcp://127.0.0.1:4000");
  EXPECT_EQ(ending.what, "BAD_PARAM NO");
  expect_in(ending.text, "there is no protocol 'giop_late' here, but giop, ");
  ending = listening("tcp://no-such-host.invalid:0");
  EXPECT_EQ(ending.what, "INITIALIZE NO");
  expect_not_in(ending.text, "Unknown error");
}

TEST(Texts, OfAddressesInUrlsSayWhatToWrite) {
  const Client client;
  const auto refused = [&](const char* address) {
    const Ending ending = ending_of([&] { client.orb()->string_to_object(std::string("corbaloc:") + address); });
    EXPECT_EQ(ending.what, "BAD_PARAM NO") << address;
    return ending.text;
  };
  const char* const form = "write corbaloc:miop:1.0@1.0-DOMAIN-ID[-VERSION]/GROUP:PORT";
  for (const char* const bad : {"miop:1.0@1.0-Domain/239.1.2.3:4000", "miop:1.0@1.0-Domain-7"}) {
    expect_in(refused(bad), "it names no group");
    expect_in(refused(bad), form);
  }
  expect_in(refused("miop:1.0@1.0-Domain-7/239.1.2.3"), "'239.1.2.3' has no address and port of a group");
  expect_in(refused("miop:1.0@1.0-Domain-7/192.0.2.1:4000"), "'192.0.2.1' is no group: 224.0.0.0 to 239.255.255.255");
  expect_in(refused("rudp:host:99999/key"), "a port is a number from 0 to 65535; write corbaloc:rudp:host:port/key");
  expect_in(refused("rudp:fe80::1:4000/key"), "an IPv6 address stands in brackets");
  expect_in(refused("sctp:host:4000/key"), "no transport is called 'sctp'");
  for (const char* const scheme : {"rudp:", ":"}) {
    const auto object = client.orb()->string_to_object("corbaloc:" + std::string(scheme) + "[fe80::1]:4000/key");
    expect_in(ending_of([&] { object->_non_existent(); }).text, "needs the interface, as in [fe80::1%eth0]");
  }
}

TEST(Texts, OfWideDataForAReferenceWithoutCodeSetsBlameTheReference) {
  FakePeer peer({answer::done()});
  Client client;
  auto profile = peer.profile();
  profile.code_sets = false;
  Ending ending = ending_of([&] { client.thing({profile})->wide(L"wide"); });
  EXPECT_EQ(ending.what, "INV_OBJREF NO");
  EXPECT_EQ(ending.minor, corba::minor::kNoWideCodeSet);
  profile.minor = 0;
  ending = ending_of([&] { client.thing({profile})->wide(L"wide"); });
  EXPECT_EQ(ending.what, "MARSHAL NO");
  EXPECT_EQ(ending.minor, corba::minor::kWideDataFromClient);
  EXPECT_EQ(peer.requests(), 0U);
  client.thing({peer.profile()})->wide(L"wide");
  EXPECT_EQ(peer.requests(), 1U);
}

}  // namespace
}  // namespace corbel::calls_test
