// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/unix/unix.hpp"

#include "corbel/ipc/connector.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/publish.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "corbel/transport/unix/endpoint.hpp"
#include "corbel/transport/unix/listen.hpp"

namespace corbel::transport {
namespace local {
namespace {

using ipc::UnixAddress;

base::Error bad_address() {
  return base::error(base::Stage::resolve, base::Code::bad_argument);
}

/// Reads "/path" or "@name".
base::Result<EndpointPtr> endpoint_of(std::string_view text) {
  if (!is_printable(text)) return bad_address();
  if (text.starts_with('@')) {
    CORBEL_TRY(const UnixAddress address, UnixAddress::abstract(text.substr(1)));
    if (address.to_string() != text) return bad_address();  // it would need escapes, which are for diagnostics
    return EndpointPtr(std::make_shared<UnixEndpoint>(address));
  }
  if (!text.starts_with('/')) return bad_address();
  CORBEL_TRY(const UnixAddress address, UnixAddress::path(text));
  return EndpointPtr(std::make_shared<UnixEndpoint>(address));
}

class UnixConnector final : public Connector {
 public:
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    CORBEL_TRY(const UnixEndpoint* own, own_endpoint<UnixEndpoint>(endpoint, base::Stage::connect));
    if (own->unix_address().is_unnamed()) return base::error(base::Stage::connect, base::Code::unreachable);
    ipc::ConnectOptions<UnixAddress> before;
    if (options.send_buffer > 0) before.send_buffer = options.send_buffer;
    if (options.receive_buffer > 0) before.receive_buffer = options.receive_buffer;
    CORBEL_TRY(auto stream, ipc::UnixConnector().connect(own->unix_address(), deadline, before));
    return std::unique_ptr<Transport>(
        new StreamTransport<UnixAddress>(kScheme, std::move(stream), base::Spin(options.spin)));
  }
};

class UnixFactory final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "/path"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return buffer_options(); }

  base::Result<EndpointPtr> parse(std::string_view address) const override {
    if (address.empty()) return EndpointPtr(std::make_shared<UnixEndpoint>(UnixAddress()));
    return endpoint_of(address);
  }

  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != "uiop") return base::error(base::Stage::resolve, base::Code::unsupported);
    return endpoint_of(address.host);
  }

  /// A socket of a generated name.
  std::optional<std::string> default_address() const override { return ""; }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<UnixConnector>(); }

  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const UnixEndpoint* own, own_endpoint<UnixEndpoint>(endpoint, base::Stage::listen));
    return local::listen(*own, options);
  }

  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override;
  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override;
};

/// What TAG_OMNIORB_UNIX_TRANS components say: the addresses on this machine, and whether there are any at all.
struct LocalAddresses {
  std::vector<EndpointPtr> endpoints;
  bool any = false;
};
LocalAddresses local_addresses(const std::vector<ior::TaggedComponent>& components) {
  LocalAddresses result;
  const std::string machine = machine_name();
  for (const ior::TaggedComponent& component : components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::omniorb_unix_trans)) continue;
    const auto address = ior::decode_unix_address(component);
    if (!address) continue;
    result.any = true;
    if (address->host != machine) continue;
    if (auto endpoint = endpoint_of(address->path)) result.endpoints.push_back(*std::move(endpoint));
  }
  return result;
}

base::Result<Reachable> UnixFactory::decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const {
  Reachable result;
  const base::Error not_ours = base::error(base::Stage::resolve, base::Code::unsupported);
  if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) {
    CORBEL_TRY(ior::IiopProfile iiop, ior::decode_iiop_profile(profile, limits));
    result.endpoints = local_addresses(iiop.components).endpoints;
    result.base = static_cast<ior::ProfileBase&&>(iiop);
  } else if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::uiop)) {
    CORBEL_TRY(ior::UiopProfile uiop, ior::decode_uiop_profile(profile, limits));
    // Our own UIOP profiles say which machine the path is on; TAO's do not.
    LocalAddresses told = local_addresses(uiop.components);
    if (told.any) {
      result.endpoints = std::move(told.endpoints);
    } else {
      CORBEL_TRY(EndpointPtr endpoint, endpoint_of(uiop.path));
      result.endpoints.push_back(std::move(endpoint));
    }
    result.base = static_cast<ior::ProfileBase&&>(uiop);
  } else {
    return not_ours;
  }
  if (result.endpoints.empty()) return not_ours;
  return result;
}

bool UnixFactory::publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
                          std::vector<ior::TaggedProfile>& profiles) const {
  const std::string machine = machine_name();
  for (const EndpointPtr& endpoint : endpoints) {
    const auto own = own_endpoint<UnixEndpoint>(*endpoint, base::Stage::encode);
    if (!own) continue;
    const std::string path = (*own)->unix_address().to_string();
    const bool has_components = base.version > ior::Version{1, 0};
    const ior::TaggedComponent component = ior::encode_unix_address({machine, path});
    ior::UiopProfile uiop;
    static_cast<ior::ProfileBase&>(uiop) = base;
    uiop.path = path;
    if (has_components) uiop.components.push_back(component);
    profiles.push_back(ior::encode_profile(uiop));
    if (!has_components || (*own)->unix_address().is_abstract()) continue;
    edit_iiop_profile(base, profiles, [&](ior::IiopProfile& iiop) {
      if (iiop.host.empty()) iiop.host = machine;
      iiop.components.push_back(component);
    });
  }
  return true;
}

}  // namespace
}  // namespace local

std::shared_ptr<const Factory> make_unix() {
  return std::make_shared<local::UnixFactory>();
}

}  // namespace corbel::transport
