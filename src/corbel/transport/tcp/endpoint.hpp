// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/transport/inet_endpoint.hpp"

namespace corbel::transport::tcp {

inline constexpr std::string_view kScheme = "tcp";

class TcpEndpoint final : public InetEndpoint {
 public:
  explicit TcpEndpoint(ior::HostPort address) : InetEndpoint(kScheme, std::move(address)) {}
};

}  // namespace corbel::transport::tcp
