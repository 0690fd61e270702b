// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tcp/tcp.hpp"

#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/publish.hpp"
#include "corbel/transport/tcp/connector.hpp"
#include "corbel/transport/tcp/endpoint.hpp"
#include "corbel/transport/tcp/listen.hpp"

namespace corbel::transport {
namespace tcp {
namespace {

constexpr std::string_view kUrlScheme = "iiop";

base::Result<EndpointPtr> endpoint_of(const ior::HostPort& address) {
  CORBEL_TRY(std::string host, canonical_host(address.host));
  return EndpointPtr(std::make_shared<TcpEndpoint>(ior::HostPort{std::move(host), address.port}));
}

class TcpFactory final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "host:port"; }
  std::string_view standard_scheme() const noexcept override { return kUrlScheme; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return tcp_options(); }

  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(ior::HostPort parsed, parse_host_port(address));
    return EndpointPtr(std::make_shared<TcpEndpoint>(std::move(parsed)));
  }

  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != kUrlScheme) return base::error(base::Stage::resolve, base::Code::unsupported);
    if (address.port == 0) return base::error(base::Stage::resolve, base::Code::bad_argument);
    return endpoint_of({address.host, address.port});
  }

  /// Of all interfaces, at a port that the system chooses.
  std::optional<std::string> default_address() const override { return ""; }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<TcpConnector>(); }

  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const TcpEndpoint* own, own_endpoint<TcpEndpoint>(endpoint, base::Stage::listen));
    return tcp::listen(*own, options);
  }

  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override;
  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override;
};

base::Result<Reachable> TcpFactory::decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const {
  if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) {
    return base::error(base::Stage::resolve, base::Code::unsupported);
  }
  CORBEL_TRY(ior::IiopProfile iiop, ior::decode_iiop_profile(profile, limits));
  Reachable result;
  const auto add = [&](const ior::HostPort& address) {
    if (address.port == 0) return;
    if (auto endpoint = endpoint_of(address)) result.endpoints.push_back(*std::move(endpoint));
  };
  add({iiop.host, iiop.port});
  for (const ior::TaggedComponent& component : iiop.components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::alternate_iiop_address)) continue;
    if (auto address = ior::decode_alternate_address(component)) add(*address);
  }
  if (result.endpoints.empty()) return base::error(base::Stage::resolve, base::Code::unsupported);
  result.base = static_cast<ior::ProfileBase&&>(iiop);
  return result;
}

bool TcpFactory::publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
                         std::vector<ior::TaggedProfile>& profiles) const {
  for (const EndpointPtr& endpoint : endpoints) {
    const auto own = own_endpoint<TcpEndpoint>(*endpoint, base::Stage::encode);
    if (!own) continue;
    const ior::HostPort& address = (*own)->host_port();
    if (base.version < ior::Version{1, 2}) {
      ior::IiopProfile profile;
      static_cast<ior::ProfileBase&>(profile) = base;
      profile.host = address.host;
      profile.port = address.port;
      profiles.push_back(ior::encode_profile(profile));
      continue;
    }
    edit_iiop_profile(base, profiles, [&](ior::IiopProfile& profile) {
      if (profile.port != 0) {
        profile.components.push_back(ior::encode_alternate_address(address));
        return;
      }
      profile.host = address.host;
      profile.port = address.port;
    });
  }
  return true;
}

}  // namespace
}  // namespace tcp

std::shared_ptr<const Factory> make_tcp() {
  return std::make_shared<tcp::TcpFactory>();
}

}  // namespace corbel::transport
