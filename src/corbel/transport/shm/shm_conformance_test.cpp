// SPDX-License-Identifier: Apache-2.0
#include "conformance/local_carrier.hpp"
#include "corbel/transport/shm/shm.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> shm_carriers() {
  Carrier path = local_carrier(
      "shm_path", [] { return transport::make_shm(); }, "corbel-shm");
  add_addresses(path, {{"machine/tmp/a", "machine/tmp/a"}, {"0b-1f.4026531840@n", "0b-1f.4026531840@n"}, {"", ""}},
                {"machine@"});
  Carrier abstract = abstract_carrier(path, "shm_abstract_spinning", "corbel-shm");
  abstract.options.spin = std::chrono::microseconds(100);
  Carrier small = path;
  small.name = "shm_small_rings";
  small.options.send_buffer = small.options.receive_buffer = 10'000;
  return {path, abstract, small};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Shm, shm_carriers())
