// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/base/export.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// What an ORB may be told of it: -ORBMulticast... (docs/options.md).
struct MulticastSettings {
  std::string interface {};  ///< by which to send to groups and hear them ("eth0"); empty: as the system chooses
  int hops = 1;              ///< networks that what is sent to a group may reach: 0 is this host, 1 its own
  bool loopback = true;      ///< those in a group on this host hear what is sent from here
};

/// UDP to groups, in packets of MIOP 1.0: what one sends reaches every server that has joined, or does not, and nothing
/// comes back. "multicast://239.1.2.3:4000", "multicast://[ff02::1:2]:4000"; messages of up to 65,536 octets.
CORBEL_API std::shared_ptr<const Factory> make_multicast(MulticastSettings settings = {});

}  // namespace corbel::transport
