// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// UDP to groups, in packets of MIOP 1.0: what one sends reaches every server that has joined, or does not, and nothing
/// comes back. "multicast://239.1.2.3:4000", "multicast://[ff02::1:2]:4000"; messages of up to 65,536 octets.
CORBEL_API std::shared_ptr<const Factory> make_multicast();

}  // namespace corbel::transport
