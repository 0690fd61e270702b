// SPDX-License-Identifier: Apache-2.0
#include "masked.hpp"

#include "calls.hpp"
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace carriers {
namespace {

std::shared_ptr<const corbel::transport::Factory> make_masked_tcp() {
  return make_masked(corbel::transport::make_tcp());
}

std::vector<corbel::conformance::Carrier> masked() {
  corbel::conformance::Carrier carrier{.name = "masked", .make = make_masked_tcp, .listen = "127.0.0.1:0"};
  carrier.spelled = {{"127.0.0.1:80", "127.0.0.1:80"}, {"LocalHost:4000", "localhost:4000"}};
  carrier.bad = {"host:65536", "ho st:1"};
  return {carrier};
}

TEST(Masked, CarriesCalls) {
  call_over(make_masked_tcp(), "masked://127.0.0.1:0");
}

}  // namespace
}  // namespace carriers

CORBEL_TRANSPORT_CONFORMANCE(Masked, carriers::masked())
