// SPDX-License-Identifier: Apache-2.0
#include "conformance/session_conformance.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"

namespace corbel::conformance {
namespace {

std::vector<Dialect> giop_lite_dialects() {
  return {{.name = "giop_lite", .make = messaging::make_giop_lite}};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_SESSION_CONFORMANCE(GiopLite, giop_lite_dialects())
