// SPDX-License-Identifier: Apache-2.0
// The end of an ORB while a call shakes hands.
#include <thread>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "support.hpp"
#include "vault.hpp"

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

}  // namespace
}  // namespace corbel::tls_test
