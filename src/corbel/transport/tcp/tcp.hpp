// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// The transport over TCP, IPv4 and IPv6 (IIOP when it carries GIOP). Endpoints: "tcp://host:port", "tcp://[v6]:port",
/// "tcp://:port" (every interface), port 0 (the system chooses). A listener on every interface publishes the
/// interfaces' own addresses. Publishes and reads IIOP profiles (CORBA 3.3 part 2, 9.7.2); further endpoints go into
/// TAG_ALTERNATE_IIOP_ADDRESS, or into profiles of their own before IIOP 1.2. Reads `iiop` addresses of corbaloc URLs.
CORBEL_API std::shared_ptr<const Factory> make_tcp();

}  // namespace corbel::transport
