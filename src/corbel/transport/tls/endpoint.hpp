// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "corbel/transport/endpoint_text.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tls {

inline constexpr std::string_view kScheme = "tls";
inline constexpr std::string_view kOverHosts = "tcp";  // the inner transport whose addresses other ORBs understand
inline constexpr Traits kTraits{.shakes_hands = true};

/// An endpoint of the inner transport, and its host and port if it has them.
class TlsEndpoint final : public TextEndpoint {
 public:
  explicit TlsEndpoint(EndpointPtr inner)
      : TextEndpoint(kScheme, inner->text().substr(inner->scheme().size() + 3)), inner_(std::move(inner)) {
    if (inner_->scheme() != kOverHosts) return;
    if (auto address = parse_host_port(this->address())) address_ = *std::move(address);
  }
  Reach reach() const noexcept override { return inner_->reach(); }
  const Endpoint& inner() const noexcept { return *inner_; }
  const ior::HostPort& host_port() const noexcept { return address_; }

 private:
  EndpointPtr inner_;
  ior::HostPort address_;
};

}  // namespace corbel::transport::tls
