// SPDX-License-Identifier: Apache-2.0
#include "conformance/local_carrier.hpp"
#include "corbel/transport/unix/unix.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> unix_carriers() {
  Carrier path = local_carrier(
      "unix_path", [] { return transport::make_unix(); }, "corbel-conformance");
  add_addresses(path, {{"@a/b:c", "@a/b:c"}, {"/with:colon,comma", "/with:colon,comma"}}, {"./x"});
  Carrier abstract = abstract_carrier(path, "unix_abstract", "corbel-conformance");
  Carrier spinning = abstract;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {path, abstract, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Unix, unix_carriers())
