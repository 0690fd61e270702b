// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/udp/udp.hpp"

#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/udp/carrier.hpp"
#include "corbel/transport/udp/listen.hpp"

namespace corbel::transport {
namespace udp {
namespace {

using base::Code;
using base::Stage;

constexpr std::string_view kUrlScheme = "diop";

base::Result<EndpointPtr> endpoint_of(const ior::HostPort& address) {
  CORBEL_TRY(std::string host, canonical_host(address.host));
  return EndpointPtr(std::make_shared<UdpEndpoint>(ior::HostPort{std::move(host), address.port}));
}

base::Result<std::unique_ptr<Transport>> connect_one(const ipc::InetAddress& address,
                                                     const ConnectionOptions& options) {
  ipc::DatagramOptions<ipc::InetAddress> with;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  with.traffic = options.traffic;
  CORBEL_TRY(auto socket, ipc::ConnectedUdp::open(address, with));
  // The system may have picked, for our side, the very port that was to be reached and has no listener.
  if (auto own = socket.local_address(); own && *own == address) return base::error(Stage::connect, Code::refused);
  return std::unique_ptr<Transport>(new UdpCarrier(UdpSocket(std::move(socket)), options.spin));
}

class UdpConnector final : public Connector {
 public:
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    CORBEL_TRY(const UdpEndpoint* own, own_endpoint<UdpEndpoint>(endpoint, Stage::connect));
    base::Error last = base::error(Stage::connect, Code::unreachable);
    if (own->host().empty() || own->port() == 0) return last;
    CORBEL_TRY(const auto addresses, resolver_.resolve(own->host(), own->port(), deadline));
    for (const ipc::InetAddress& each : addresses) {
      auto transport = connect_one(each, options);
      if (transport) return transport;
      last = base::error(Stage::connect, transport.error().code, transport.error().os_error);
    }
    return last;
  }

 private:
  ipc::Resolver resolver_;
};

class UdpFactory final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "host:port"; }
  std::string_view standard_scheme() const noexcept override { return kUrlScheme; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return inet_options(); }
  Traits traits() const noexcept override { return kTraits; }

  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(ior::HostPort parsed, parse_host_port(address));
    return EndpointPtr(std::make_shared<UdpEndpoint>(std::move(parsed)));
  }

  /// "diop:[1.2@]host:port".
  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != kUrlScheme) return base::error(Stage::resolve, Code::unsupported);
    CORBEL_TRY(ior::HostPort parsed, parse_host_port(address.host));
    if (parsed.host.empty() || parsed.port == 0) return base::error(Stage::resolve, Code::bad_argument);
    return EndpointPtr(std::make_shared<UdpEndpoint>(std::move(parsed)));
  }

  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<UdpConnector>(); }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const UdpEndpoint* own, own_endpoint<UdpEndpoint>(endpoint, Stage::listen));
    return udp::listen(*own, options);
  }

  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override {
    if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::diop)) {
      return base::error(Stage::resolve, Code::unsupported);
    }
    CORBEL_TRY(ior::DiopProfile diop, ior::decode_diop_profile(profile, limits));
    if (diop.host.empty() || diop.port == 0) return base::error(Stage::resolve, Code::unsupported);
    Reachable result;
    CORBEL_TRY(EndpointPtr endpoint, endpoint_of({diop.host, diop.port}));
    result.endpoints.push_back(std::move(endpoint));
    result.base = static_cast<ior::ProfileBase&&>(diop);
    return result;
  }

  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override {
    for (const EndpointPtr& endpoint : endpoints) {
      const auto own = own_endpoint<UdpEndpoint>(*endpoint, Stage::encode);
      if (!own) continue;
      ior::DiopProfile profile;
      static_cast<ior::ProfileBase&>(profile) = base;
      profile.host = (*own)->host();
      profile.port = (*own)->port();
      profiles.push_back(ior::encode_profile(profile));
    }
    return true;
  }
};

}  // namespace
}  // namespace udp

std::shared_ptr<const Factory> make_udp() {
  return std::make_shared<udp::UdpFactory>();
}

}  // namespace corbel::transport
