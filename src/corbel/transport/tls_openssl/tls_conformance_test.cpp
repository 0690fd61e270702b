// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/tls/tls.hpp"
#include "corbel/transport/unix/unix.hpp"
#include "support/certificates.hpp"

namespace corbel::conformance {
namespace {

/// Both sides have the same certificate.
transport::TlsSetup both_sides() {
  static tests::Certificates certificates;
  static const transport::Security security = certificates.security(certificates.issue("both"));
  return {security};
}

std::vector<Carrier> tls_carriers() {
  Carrier tls{.name = "tls", .make = [] { return transport::make_tls(transport::make_tcp(), both_sides()); }};
  tls.listen = "127.0.0.1:0";
  tls.nowhere = "no-such-host.invalid:1";
  tls.spelled = {{"127.0.0.1:80", "127.0.0.1:80"}, {"LocalHost:4000", "localhost:4000"}, {"[0::1]:80", "[::1]:80"}};
  tls.bad = {":", "host:65536", "ho st:1", "[::1"};
  Carrier before = tls;
  before.name = "tls_1_2";
  before.make = [] {
    transport::TlsSetup setup = both_sides();
    setup.security.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
    return transport::make_tls(transport::make_tcp(), setup);
  };
  Carrier local = tls;
  local.name = "tls_over_unix";
  local.make = [] { return transport::make_tls(transport::make_unix(), both_sides()); };
  local.listen = "/tmp/corbel-tls-conformance-" + std::to_string(::getpid());
  local.nowhere = "";
  local.spelled = {};
  local.bad = {};
  return {tls, before, local};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Tls, tls_carriers())
