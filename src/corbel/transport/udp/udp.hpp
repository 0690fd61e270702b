// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// UDP, as in TAO's DIOP: one message is one datagram of at most 65,507 octets, which may be lost, come twice or out of
/// order. "udp://host:port", "udp://[v6]:port", and "udp://:port" to listen on every interface.
CORBEL_API std::shared_ptr<const Factory> make_udp();

}  // namespace corbel::transport
