// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/packet/packet.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> packet_carriers() {
  Carrier path{.name = "packet_path", .make = [] { return transport::make_packet(); }};
  path.listen = "/tmp/corbel-packets-" + std::to_string(::getpid());
  path.nowhere = "/no/such/directory/socket";
  path.spelled = {{"/tmp/a", "/tmp/a"},
                  {"@name", "@name"},
                  {"@a/b:c", "@a/b:c"},
                  {"machine/tmp/a", "machine/tmp/a"},
                  {"machine.domain@name", "machine.domain@name"},
                  {"", ""}};
  path.bad = {"relative",
              "@",
              "machine@",
              "/white space",
              "mach ine/path",
              "/line\nbreak",
              "/" + std::string(200, 'a'),
              "@" + std::string(200, 'a'),
              std::string("/a\0b", 4),
              "@back\\slash",
              "@\xff"};
  Carrier abstract = path;
  abstract.name = "packet_abstract";
  abstract.listen = "@corbel-packets-" + std::to_string(::getpid());
  Carrier spinning = abstract;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {path, abstract, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Packet, packet_carriers())
