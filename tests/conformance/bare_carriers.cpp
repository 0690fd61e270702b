// SPDX-License-Identifier: Apache-2.0
// Carriers without handles are asked for all that others are, by receive() instead.
#include "carriers/masked.hpp"
#include "conformance/transport_conformance.hpp"
#include "connection/without_handles.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> bare_carriers() {
  Carrier bare{.name = "bare", .make = [] { return std::make_shared<connection::WithoutHandles>(); }, .listen = ""};
  bare.spelled = {{"name", "name"}};
  bare.bad = {"white space", "a@b@c"};
  Carrier masked{.name = "masked_bare", .make{}, .listen = ""};  // shakes hands, too
  masked.make = [] { return carriers::make_masked(std::make_shared<connection::WithoutHandles>()); };
  return {bare, masked};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Bare, bare_carriers())
