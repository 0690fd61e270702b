// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/transport/inet_endpoint.hpp"

namespace corbel::transport::rudp {

inline constexpr std::string_view kScheme = "rudp";

class RudpEndpoint final : public InetEndpoint {
 public:
  explicit RudpEndpoint(ior::HostPort address) : InetEndpoint(kScheme, std::move(address)) {}
};

}  // namespace corbel::transport::rudp
