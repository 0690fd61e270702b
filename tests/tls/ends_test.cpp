// SPDX-License-Identifier: Apache-2.0
// The end of an ORB while a connection shakes hands.
#include <atomic>
#include <thread>
#include <vector>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "support.hpp"
#include "vault_server.hpp"

namespace corbel::tls_test {
namespace {

TEST(TlsEnds, EndCallsWhoseServerSaysNothing) {
  Certificates certificates;
  const auto silent = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
  std::vector<std::string> options = {
      "-ORBTlsAuthorities", certificates.authority(), "-ORBConnectTimeout", "600000", "-ORBCallTimeout", "600000"};
  const auto orb = CORBA::ORB_init(options, "tls ends");
  const auto vault = IDL::traits<Safe::Vault>::unchecked_narrow(
      orb->string_to_object("corbaloc:ssliop:127.0.0.1:" + std::to_string(silent.local_address()->port()) + "/vault"));
  std::thread calling([&] {
    try {
      vault->say("hello");
      ADD_FAILURE();
    } catch (const CORBA::BAD_INV_ORDER& ended) {
      EXPECT_EQ(ended.minor(), corba::minor::kOrbShutDown);
      EXPECT_EQ(ended.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    }
  });
  EXPECT_TRUE(ipc::wait_ready(silent.handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the hand-shake waits, or is about to begin
  const auto begin = std::chrono::steady_clock::now();
  orb->shutdown(true);
  calling.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
  orb->destroy();
}

class Echo : public virtual CORBA::servant_traits<Safe::Vault>::base_type {
 public:
  std::string say(const std::string& text) override { return text; }
  Safe::Blob turn(const Safe::Blob& octets) override { return octets; }
};

// A client may have finished and sent its request while the server is still to hear so.
TEST(TlsEnds, TellNewcomersThatTheirRequestWasNotExecuted) {
  Certificates certificates;
  const std::vector<std::string> asks = {"-ORBTlsAuthorities",         certificates.authority(),
                                         "-ORBTlsCertificate",         certificates.issue("client"),
                                         "-ORBConnectionsPerEndpoint", "16"};
  const std::vector<std::string> serves = {"-ORBTlsAuthorities",  certificates.authority(),
                                           "-ORBTlsCertificate",  certificates.issue("server"),
                                           "-ORBListenEndpoints", "ssliop://127.0.0.1:0"};
  std::atomic<int> served = 0;
  constexpr int kRounds = 20;
  // The server waits half a second for hand-shakes: a busy machine may take longer.
  constexpr auto kPatient = std::chrono::milliseconds(450);
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<std::chrono::steady_clock::time_point> ends = std::chrono::steady_clock::time_point::max();
    auto options = serves;  // ORB_init takes out what it knows
    const auto server = CORBA::ORB_init(options, "tls server that ends");
    options = asks;
    const auto client = CORBA::ORB_init(options, "tls client that stays");
    const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    const auto id = root->activate_object(CORBA::make_reference<Echo>());
    const auto vault = IDL::traits<Safe::Vault>::unchecked_narrow(
        client->string_to_object(server->object_to_string(root->id_to_reference(id))));
    std::vector<std::thread> callers;
    for (int i = 0; i < 16; ++i) {
      callers.emplace_back([&] {
        try {
          for (;; ++served) (void)vault->say("hello");
        } catch (const CORBA::SystemException& end) {
          const bool late = std::chrono::steady_clock::now() - ends.load() > kPatient;
          EXPECT_TRUE(late || end.completed() == CORBA::CompletionStatus::COMPLETED_NO) << end.what();
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + round));
    // On a busy machine nobody may have got so far in all of these.
    for (int waits = 0; round == kRounds - 1 && served == 0 && waits < 1000; ++waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ends = std::chrono::steady_clock::now();
    server->shutdown(true);
    for (auto& caller : callers) caller.join();
    server->destroy();
    client->destroy();
  }
  EXPECT_GT(served, 0);
}

}  // namespace
}  // namespace corbel::tls_test
