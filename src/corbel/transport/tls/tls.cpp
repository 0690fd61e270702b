// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls/tls.hpp"

#include <mutex>
#include <utility>

#include "corbel/transport/endpoint_text.hpp"
#include "corbel/transport/tls/component.hpp"
#include "corbel/transport/tls/endpoint.hpp"
#include "corbel/transport/tls/engine.hpp"
#include "corbel/transport/tls/options.hpp"

namespace corbel::transport {
namespace tls {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

constexpr std::string_view kUrlScheme = "ssliop";

/// That of the engine, which is taken when a connection needs it.
class TlsConnector final : public Connector {
 public:
  TlsConnector(std::shared_ptr<const Factory> inner, TlsSetup setup)
      : inner_(std::move(inner)), setup_(std::move(setup)) {
    // Files are read before the first connection has to wait for them, and errors in them are told early.
    if (setup_.security.is_wanted()) (void)engines();
  }

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   Deadline deadline) override {
    CORBEL_TRY(Connector * connector, engines());
    return connector->connect(endpoint, options, deadline);
  }

 private:
  base::Result<Connector*> engines() {
    const std::lock_guard lock(mutex_);
    if (engines_ == nullptr) {
      CORBEL_TRY(const Engine* made_by, engine(Stage::connect, *setup_.log));
      engines_ = made_by->make_connector(inner_->make_connector(), setup_);
    }
    return engines_.get();
  }

  const std::shared_ptr<const Factory> inner_;
  const TlsSetup setup_;
  std::mutex mutex_;
  std::unique_ptr<Connector> engines_;  // under the mutex
};

class TlsFactory final : public Factory {
 public:
  TlsFactory(std::shared_ptr<const Factory> inner, TlsSetup setup)
      : inner_(std::move(inner)), setup_(std::move(setup)) {}

  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return inner_->address_form(); }
  std::string_view standard_scheme() const noexcept override { return kUrlScheme; }
  std::span<const ConnectionOption> connection_options() const noexcept override {
    return inner_->connection_options();
  }
  std::span<const ConnectionOption> endpoint_options() const noexcept override { return inner_->endpoint_options(); }
  Traits traits() const noexcept override { return kTraits; }
  /// A peer that shows a wrong certificate, or shuts the port, is not to get in clear text what is to be protected.
  bool insists() const noexcept override { return setup_.security.is_wanted(); }
  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(auto inner, inner_->parse(address));
    return EndpointPtr(std::make_shared<TlsEndpoint>(std::move(inner)));
  }
  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != kUrlScheme || !is_over_hosts()) return base::error(Stage::resolve, Code::unsupported);
    return endpoint_of({address.host, address.port});
  }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<TlsConnector>(inner_, setup_); }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const Engine* listens, engine(Stage::listen, *setup_.log));
    return listens->listen(*inner_, endpoint, options, setup_);
  }
  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override;
  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override;
  std::unique_ptr<base::OptionSet> options() const override {
    return base::option_set(setup_.security, security_options());
  }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return make_tls(inner_, {setup.settings(setup_.security), setup.log});
  }

 private:
  bool is_over_hosts() const noexcept { return inner_->scheme() == kOverHosts; }
  base::Result<EndpointPtr> endpoint_of(const ior::HostPort& address) const {
    CORBEL_TRY(std::string host, canonical_host(address.host));
    if (address.port == 0) return base::error(Stage::resolve, Code::bad_argument);
    return parse(transport::to_string(ior::HostPort{std::move(host), address.port}));
  }

  const std::shared_ptr<const Factory> inner_;
  const TlsSetup setup_;
};

base::Result<Reachable> TlsFactory::decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const {
  const base::Error none = base::error(Stage::resolve, Code::unsupported);
  if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::internet_iop) || !is_over_hosts()) return none;
  CORBEL_TRY(ior::IiopProfile iiop, ior::decode_iiop_profile(profile, limits));
  // A client that has not been told which authorities to believe does not use TLS where the server leaves the choice.
  if (iiop.port != 0 && !setup_.security.is_wanted()) return none;
  Reachable result;
  for (const ior::TaggedComponent& each : iiop.components) {
    if (each.tag != static_cast<std::uint32_t>(ior::ComponentTag::ssl_sec_trans)) continue;
    const auto component = tls::decode(each);
    if (!component) continue;
    if (auto endpoint = endpoint_of({iiop.host, component->port})) result.endpoints.push_back(*std::move(endpoint));
  }
  if (result.endpoints.empty()) return none;
  result.base = static_cast<ior::ProfileBase&&>(iiop);
  return result;
}

/// Publishes each endpoint in a profile of its own, whose port is 0: it is not to be connected to without TLS.
bool TlsFactory::publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
                         std::vector<ior::TaggedProfile>& profiles) const {
  if (!is_over_hosts() || base.version < ior::Version{1, 1}) return false;
  SslComponent component;
  component.requires_ = kIntegrity | kConfidentiality;
  component.supports = component.requires_ | kDetectReplay | kDetectMisordering | kTrustInTarget | kNoDelegation;
  if (setup_.security.verify_clients != VerifyClients::off) component.supports |= kTrustInClient;
  if (setup_.security.verify_clients == VerifyClients::required) component.requires_ |= kTrustInClient;
  for (const EndpointPtr& endpoint : endpoints) {
    const auto own = own_endpoint<TlsEndpoint>(*endpoint, Stage::encode);
    if (!own) continue;
    ior::IiopProfile profile;
    static_cast<ior::ProfileBase&>(profile) = base;
    profile.host = (*own)->host_port().host;
    component.port = (*own)->host_port().port;
    profile.components.push_back(encode(component));
    profiles.push_back(ior::encode_profile(profile));
  }
  return true;
}

}  // namespace
}  // namespace tls

std::shared_ptr<const Factory> make_tls(std::shared_ptr<const Factory> inner, TlsSetup setup) {
  return std::make_shared<tls::TlsFactory>(std::move(inner), std::move(setup));
}

}  // namespace corbel::transport
