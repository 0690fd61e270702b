// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/transport/inet_endpoint.hpp"

namespace corbel::transport::udp {

inline constexpr std::string_view kScheme = "udp";
/// What a datagram of IPv4 has room for.
inline constexpr std::size_t kLargest = 65'507;
inline constexpr Traits kTraits{
    .byte_stream = false, .reliable = false, .ordered = false, .connected = false, .largest_message = kLargest};

class UdpEndpoint final : public InetEndpoint {
 public:
  explicit UdpEndpoint(ior::HostPort address) : InetEndpoint(kScheme, std::move(address)) {}
};

}  // namespace corbel::transport::udp
