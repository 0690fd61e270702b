// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// The native types of RTCORBA.idl, for applications to derive from (Real-time CORBA 1.2, 5.5 to 5.7). Called from any
/// thread; false means that there is no such priority.
namespace RTCORBA {

/// Between CORBA priorities (0 to 32767) and those of the operating system.
class PriorityMapping {
 public:
  virtual ~PriorityMapping() = default;
  virtual bool to_native(std::int16_t corba_priority, std::int16_t& native_priority) = 0;
  virtual bool to_CORBA(std::int16_t native_priority, std::int16_t& corba_priority) = 0;
};

/// Changes the priority of an invocation when it arrives at or leaves an object.
class PriorityTransform {
 public:
  virtual ~PriorityTransform() = default;
  virtual bool inbound(std::int16_t& the_priority, const std::vector<std::uint8_t>& oid) = 0;
  virtual bool outbound(std::int16_t& the_priority, const std::vector<std::uint8_t>& oid) = 0;
};

/// From CORBA priorities to code points of the network.
class NetworkPriorityMapping {
 public:
  virtual ~NetworkPriorityMapping() = default;
  virtual bool to_network(std::int16_t corba_priority, std::int32_t& network_priority) = 0;
};

}  // namespace RTCORBA
