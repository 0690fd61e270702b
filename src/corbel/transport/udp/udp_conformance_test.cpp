// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/udp/udp.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> udp_carriers() {
  Carrier v4{.name = "udp_v4", .make = [] { return transport::make_udp(); }};
  v4.listen = "127.0.0.1:0";
  v4.nowhere = "no.such.host.invalid:9";
  v4.spelled = {{"127.0.0.1:4000", "127.0.0.1:4000"},
                {"Host.Example:80", "host.example:80"},
                {"[::1]:7", "[::1]:7"},
                {":4000", ":4000"},
                {"", ":0"}};
  v4.bad = {"host:port", "host:65536", "[::1", "white space:1", "host:1:2"};
  Carrier v6 = v4;
  v6.name = "udp_v6";
  v6.listen = "[::1]:0";
  Carrier everywhere = v4;
  everywhere.name = "udp_everywhere";
  everywhere.listen = "";
  everywhere.options.publish_host = "127.0.0.1";
  Carrier spinning = v4;
  spinning.name = "udp_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {v4, v6, everywhere, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Udp, udp_carriers())
