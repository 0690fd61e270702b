// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/multicast/multicast.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> multicast_carriers() {
  Carrier v4{.name = "multicast_v4", .make = [] { return transport::make_multicast({"lo"}); }};
  v4.listen = "239.255.77.9:0";
  v4.spelled = {{"239.1.2.3:4000", "239.1.2.3:4000"}, {"[FF02::1:2]:7", "[ff02::1:2]:7"}};
  v4.bad = {"10.0.0.1:4000",   "host.example:4000", "[::1]:7", "[ff::1]:7",
            "239.1.2.3:65536", "white space:1",     ":4000",   ""};
  return {v4};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Multicast, multicast_carriers())
