// SPDX-License-Identifier: Apache-2.0
#include "conformance/session_conformance.hpp"
#include "test_support.hpp"

namespace corbel::conformance {
namespace {

std::vector<Dialect> ziop_dialects() {
  return {{.name = "ziop", .make = [] { return ziop::Layered().protocol; }},
          {.name = "ziop_1_1", .make = [] { return ziop::Layered().protocol; }, .version = {1, 1}}};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_SESSION_CONFORMANCE(Ziop, ziop_dialects())
