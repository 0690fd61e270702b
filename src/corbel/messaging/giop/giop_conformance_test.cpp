// SPDX-License-Identifier: Apache-2.0
#include "conformance/session_conformance.hpp"
#include "corbel/messaging/giop/giop.hpp"

namespace corbel::conformance {
namespace {

std::vector<Dialect> giop_dialects() {
  const auto make = [] { return messaging::make_giop(); };
  return {{.name = "giop_1_0", .make = make, .version = {1, 0}},
          {.name = "giop_1_1", .make = make, .version = {1, 1}},
          {.name = "giop_1_2", .make = make}};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_SESSION_CONFORMANCE(Giop, giop_dialects())
