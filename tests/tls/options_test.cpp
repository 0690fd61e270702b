// SPDX-License-Identifier: Apache-2.0
// What an ORB may be told of TLS, by options and in code.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "corbel/builtins/builtins.hpp"
#include "corbel/corbel.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "support.hpp"

namespace corbel::tls_test {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

OrbRef make_orb(const std::string& id, std::vector<std::string> options,
                const orb::Components& components = builtins::components()) {
  return orb::init(options, id, components);
}

/// What ships, with TLS as it is set up in code; without TLS if there is no set-up.
orb::Components with_tls(const Security* security) {
  orb::Components components = builtins::components();
  std::erase_if(components.transports, [](const auto& one) { return one->scheme() == "tls"; });
  if (security != nullptr) {
    components.transports.push_back(transport::make_tls(transport::make_tcp(), {*security}));
  }
  return components;
}

std::string refusal(const std::vector<std::string>& options, const orb::Components& components) {
  try {
    make_orb("refused", options, components)->destroy();
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  }
  return "taken";
}

TEST(TlsOptions, SayWhatIsLegal) {
  const auto answer = [](const char* option, const char* value) {
    return refusal({std::string("-ORBTls") + option, value}, builtins::components());
  };
  EXPECT_EQ(answer("VerifyClients", "maybe"),
            "-ORBTlsVerifyClients: 'maybe' is not legal; legal is required, optional or off");
  EXPECT_EQ(answer("VerifyServer", "maybe"), "-ORBTlsVerifyServer: 'maybe' is not legal; legal is on or off");
  EXPECT_EQ(answer("MinimumVersion", "1.1"), "-ORBTlsMinimumVersion: '1.1' is not legal; legal is 1.2 or 1.3");
  EXPECT_NE(answer("ServerNames", ",").find("several separated by ','"), std::string::npos);
  EXPECT_NE(answer("ClientNames", "").find("several separated by ','"), std::string::npos);
  for (const char* each : {"required", "optional", "off"}) EXPECT_EQ(answer("VerifyClients", each), "taken");
  EXPECT_EQ(answer("ServerNames", "CN=a,O=b;c"), "taken");
}

TEST(TlsOptions, AreUnknownToAnOrbWithoutTls) {
  EXPECT_EQ(refusal({"-ORBTlsCertificate", "/a/file"}, with_tls(nullptr)),
            "unknown option -ORBTlsCertificate (-ORBHelp lists the options)");
}

TEST(TlsOptions, HoldBesideWhatWasSetInCode) {
  Certificates certificates;
  const Security security = certificates.security(certificates.issue("code"));
  const std::vector<std::string> at{"-ORBListenEndpoints", "tls://127.0.0.1:0"};
  const auto server = make_orb("tls server in code", at, with_tls(&security));
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const std::string reference = server->object_to_string(root->create_reference("IDL:corbel.test/Nothing:1.0"));
  const auto answers = [&](const std::vector<std::string>& options) {
    const auto client = make_orb("tls client in code", options, with_tls(&security));
    bool answered = false;
    try {
      answered = client->string_to_object(reference)->_non_existent();
    } catch (const CORBA::SystemException&) {
    }
    client->destroy();
    return answered;
  };
  EXPECT_TRUE(answers({}));
  EXPECT_TRUE(answers({"-ORBTlsVerifyServer", "on"}));
  EXPECT_FALSE(answers({"-ORBTlsServerNames", "somebody else"}));
  EXPECT_FALSE(answers({"-ORBTlsCertificate", "/no/such/file"}));
  server->destroy();
}

}  // namespace
}  // namespace corbel::tls_test
