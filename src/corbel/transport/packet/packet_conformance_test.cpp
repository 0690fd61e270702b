// SPDX-License-Identifier: Apache-2.0
#include "conformance/local_carrier.hpp"
#include "corbel/transport/packet/packet.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> packet_carriers() {
  Carrier path = local_carrier(
      "packet_path", [] { return transport::make_packet(); }, "corbel-packets");
  add_addresses(path,
                {{"@a/b:c", "@a/b:c"},
                 {"machine/tmp/a", "machine/tmp/a"},
                 {"machine.domain@name", "machine.domain@name"},
                 {"", ""}},
                {"machine@", "mach ine/path"});
  Carrier abstract = abstract_carrier(path, "packet_abstract", "corbel-packets");
  Carrier spinning = abstract;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {path, abstract, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Packet, packet_carriers())
