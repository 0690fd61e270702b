// SPDX-License-Identifier: Apache-2.0
// Connections that clients lend over TLS: what goes there was meant for a host, which the client has to be.
#include "corbel/poa/caller_policy.hpp"
#include "support.hpp"
#include "support/certificates.hpp"

namespace corbel::bidirectional_test {
namespace {

using BiDirPolicy::BOTH;
using tests::Certificates;
using tests::Wanted;

constexpr const char* kOfItsHost = "IP:127.0.0.2,DNS:guest.example";

class LentOverTls : public ::testing::Test {
 protected:
  std::vector<std::string> settings(const std::string& name, const Wanted& wanted,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> options{"-ORBListenEndpoints", "ssliop://127.0.0.1:0", "-ORBTlsAuthorities",
                                     certificates_.authority()};
    if (!name.empty()) options.insert(options.end(), {"-ORBTlsCertificate", certificates_.issue(name, wanted)});
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  /// How a call-back ends, of a client with a certificate like this whose references name 127.0.0.2.
  std::string ending(const Wanted& wanted, const std::vector<std::string>& server_options = {}) {
    ServerSide server(BOTH, settings("server", {}, server_options));
    ClientSide client(BOTH, settings("client", wanted));
    const HostRef host = client.host(server.ior());
    host->enter(client.guest);
    auto ending = ending_of([&] { (void)server.servant->guest()->ask(""); });
    EXPECT_EQ(client.servant->asked, ending == "done" ? 1 : 0);
    // Its servant does so in a call, which may therefore have done something.
    EXPECT_EQ(ending_of([&] { (void)host->call_back(""); }), ending == "done" ? "done" : "TRANSIENT MAYBE");
    EXPECT_EQ(client.orb.conversations(true), 0U) << "the server has connected";
    return ending;
  }

  Certificates certificates_;
};

TEST_F(LentOverTls, AConnectionIsUsedForTheHostOfItsCertificate) {
  EXPECT_EQ(ending({.names = kOfItsHost}), "done");
}

TEST_F(LentOverTls, AConnectionIsNotUsedForHostsOfWhichTheCertificateSaysNothing) {
  EXPECT_EQ(ending({.names = "IP:127.0.0.1,DNS:elsewhere.example"}), "TRANSIENT NO");
  EXPECT_EQ(ending({.common_name = "127.0.0.2", .names = ""}), "TRANSIENT NO");
}

TEST_F(LentOverTls, ACertificateForClientsAloneMakesNoServer) {
  EXPECT_EQ(ending({.names = kOfItsHost, .purpose = "clientAuth"}), "TRANSIENT NO");
}

TEST_F(LentOverTls, NamesThatAreConfiguredTakeThePlaceOfTheHost) {
  const std::vector<std::string> expects{"-ORBTlsServerNames", "a guest"};
  EXPECT_EQ(ending({.common_name = "a guest", .names = "DNS:elsewhere.example"}, expects), "done");
  EXPECT_EQ(ending({.common_name = "another guest", .names = kOfItsHost}, expects), "TRANSIENT NO");
}

TEST_F(LentOverTls, WhoeverChecksNoServersChecksNoneOfThese) {
  EXPECT_EQ(ending({.names = "DNS:elsewhere.example"}, {"-ORBTlsVerifyServer", "off"}), "done");
}

// The listener of a client needs a certificate; the client need not have shown it.
TEST_F(LentOverTls, AConnectionWithoutACertificateIsNotUsed) {
  EXPECT_EQ(ending({.names = kOfItsHost}, {"-ORBTlsVerifyClients", "off"}), "TRANSIENT NO");
}

// For an adapter that asks who calls (CallerPolicy) that is the other end, whichever has connected.
TEST_F(LentOverTls, TheCallerIsWhomTheServersCertificateNames) {
  ServerSide server(BOTH, settings("server", {.common_name = "the server"}));
  ClientSide client(BOTH, settings("client", {.names = kOfItsHost}));
  const HostRef host = client.host(server.ior());
  for (const std::string name : {"the server", "another server"}) {
    const auto callers =
        CORBA::make_reference<poa::CallerPolicy>(poa::Callers{.subjects = {"CN=" + name + ",O=Corbel"}});
    const auto adapter =
        client.orb.root()->create_POA(name, client.orb.root()->the_POAManager(), {policy(BOTH), callers});
    host->enter(Orb::activate<Guests::Guest>(adapter, client.servant));
    EXPECT_EQ(ending_of([&] { (void)server.servant->guest()->ask(""); }),
              name == "the server" ? "done" : "NO_PERMISSION NO");
  }
  EXPECT_EQ(client.servant->asked, 1);
  EXPECT_EQ(client.orb.conversations(true), 0U) << "the server has connected";
}

}  // namespace
}  // namespace corbel::bidirectional_test
