// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/inproc/inproc.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> inproc_carriers() {
  Carrier inproc{.name = "inproc", .make = [] { return transport::make_inproc(); }, .listen = ""};
  inproc.nowhere = "name@anotherhub";
  inproc.spelled = {{"name", "name"}, {"a/b:c", "a/b:c"}, {"name@0123", "name@0123"}};
  inproc.bad = {"@hub", "name@", "a@b@c", "white space", "line\nbreak"};
  Carrier spinning = inproc;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {inproc, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Inproc, inproc_carriers())
