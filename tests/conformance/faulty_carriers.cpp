// SPDX-License-Identifier: Apache-2.0
// A transport that breaks on command is as good as the one below while no test commands it.
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/packet/packet.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace corbel::conformance {
namespace {

Carrier faulty(std::string name, std::shared_ptr<const transport::Factory> (*make)(), std::string listen) {
  Carrier carrier{.name = "faulty_" + std::move(name), .make{}, .listen = std::move(listen)};
  carrier.make = [make] { return transport::make_faulty(make(), std::make_shared<transport::faulty::Plan>()); };
  return carrier;
}

std::vector<Carrier> faulty_carriers() {
  return {faulty("tcp", transport::make_tcp, "127.0.0.1:0"), faulty("inproc", transport::make_inproc, ""),
          faulty("packet", transport::make_packet, "@corbel-faulty-" + std::to_string(::getpid()))};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Faulty, faulty_carriers())
