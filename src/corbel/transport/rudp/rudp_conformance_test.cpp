// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/rudp/rudp.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> rudp_carriers() {
  Carrier v4{.name = "rudp_v4", .make = [] { return transport::make_rudp(); }};
  v4.listen = "127.0.0.1:0";
  v4.nowhere = "no.such.host.invalid:9";
  v4.spelled = {{"127.0.0.1:4000", "127.0.0.1:4000"},
                {"Host.Example:80", "host.example:80"},
                {"[::1]:7", "[::1]:7"},
                {":4000", ":4000"},
                {"", ":0"}};
  v4.bad = {"host:port", "host:65536", "[::1", "white space:1", "host:1:2"};
  Carrier v6 = v4;
  v6.name = "rudp_v6";
  v6.listen = "[::1]:0";
  Carrier everywhere = v4;
  everywhere.name = "rudp_everywhere";
  everywhere.listen = "";
  everywhere.options.publish_host = "127.0.0.1";
  Carrier small = v4;
  small.name = "rudp_small_spinning";
  small.make = [] { return transport::make_rudp({.datagram = 1'232}); };
  small.options.send_buffer = small.options.receive_buffer = 10'000;
  small.options.spin = std::chrono::microseconds(100);
  return {v4, v6, everywhere, small};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Rudp, rudp_carriers())
