// SPDX-License-Identifier: Apache-2.0
// What a server tells of clients whose certificates do not say what they say, and of threads for hand-shakes.
#include "corbel/corba/messaging_policies.hpp"
#include "no_more_threads.hpp"
#include "support.hpp"
#include "support/certificates.hpp"

namespace corbel::log_test {
namespace {

TEST(TlsEvents, ListenPointsOfAnotherHost) {
  tests::Certificates certificates;
  const auto with_certificate = [&](const std::string& name) {
    return std::vector<std::string>{"-ORBListenEndpoints",    "ssliop://127.0.0.1:0", "-ORBTlsAuthorities",
                                    certificates.authority(), "-ORBTlsCertificate",   certificates.issue(name)};
  };
  auto client_options = with_certificate("client");
  client_options.insert(client_options.end(), {"-ORBPublishHost", "127.0.0.2"});
  Server server(with_certificate("server"));
  Server client(client_options);
  for (const Server* each : {&server, &client}) {
    each->poa->create_POA("both", each->poa->the_POAManager(),
                          {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
  }
  EXPECT_EQ(client.thing(server.reference)->add(1, 2), 3);
  expect_event(server, LogLevel::warning, LogModule::server,
               "listen points of hosts that the client's certificate is not made out to",
               {{"host", "127.0.0.2"}, {"peer", "tls://127.0.0.1:"}, {"subject", "CN"}});
}

// Others make them.
TEST(TlsEvents, NoThreadForHandShakes) {
  tests::Certificates certificates;
  Server server({"-ORBListenEndpoints", "ssliop://127.0.0.1:0", "-ORBTlsAuthorities", certificates.authority(),
                 "-ORBTlsCertificate", certificates.issue("server")});
  LoggingOrb client(
      {"-ORBTlsAuthorities", certificates.authority(), "-ORBTlsCertificate", certificates.issue("client")});
  const ThingRef thing = client.thing(server.reference);
  {
    const test::NoMoreThreads none;
    EXPECT_EQ(thing->add(1, 2), 3);
  }
  expect_event(server, LogLevel::warning, LogModule::connection, "a thread could not be started",
               {{"wanted_for", "TLS hand-shakes"}, {"error", "resources"}});
}

}  // namespace
}  // namespace corbel::log_test
