// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/shm/shm.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> shm_carriers() {
  Carrier path{.name = "shm_path", .make = [] { return transport::make_shm(); }};
  path.listen = "/tmp/corbel-shm-" + std::to_string(::getpid());
  path.nowhere = "/no/such/directory/socket";
  path.spelled = {{"/tmp/a", "/tmp/a"},
                  {"@name", "@name"},
                  {"machine/tmp/a", "machine/tmp/a"},
                  {"0b-1f.4026531840@n", "0b-1f.4026531840@n"},
                  {"", ""}};
  path.bad = {"relative",
              "@",
              "machine@",
              "/white space",
              "/line\nbreak",
              "/" + std::string(200, 'a'),
              "@" + std::string(200, 'a'),
              std::string("/a\0b", 4),
              "@back\\slash",
              "@\xff"};
  Carrier abstract = path;
  abstract.name = "shm_abstract_spinning";
  abstract.listen = "@corbel-shm-" + std::to_string(::getpid());
  abstract.options.spin = std::chrono::microseconds(100);
  Carrier small = path;
  small.name = "shm_small_rings";
  small.options.send_buffer = small.options.receive_buffer = 10'000;
  return {path, abstract, small};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Shm, shm_carriers())
