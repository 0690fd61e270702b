// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls/tls.hpp"

#include <utility>

#include "corbel/base/cancellation.hpp"
#include "corbel/transport/endpoint_text.hpp"
#include "corbel/transport/tls/carrier.hpp"
#include "corbel/transport/tls/component.hpp"
#include "corbel/transport/tls/options.hpp"

namespace corbel::transport {
namespace tls {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

constexpr std::string_view kOverHosts = "tcp";  // the inner transport whose addresses other ORBs understand
constexpr std::string_view kUrlScheme = "ssliop";

/// A configuration that says how a client is to speak TLS, even if with the system's authorities, asks for TLS.
bool wants_tls(const Security& security) {
  return security.is_configured() || !security.key.empty() || !security.server_names.empty() ||
         !security.revocations.empty() || security.only_tls_1_3 || !security.ciphers.empty();
}

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

class TlsConnector final : public Connector {
 public:
  TlsConnector(std::unique_ptr<Connector> inner, TlsSetup setup)
      : inner_(std::move(inner)), contexts_(std::move(setup), Role::client) {
    // Files are read before the first connection has to wait for them, and errors in them are told early.
    if (wants_tls(contexts_.security())) (void)contexts_.current(Stage::connect).ok();
  }

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   Deadline deadline) override {
    CORBEL_TRY(const auto* own, own_endpoint<TlsEndpoint>(endpoint, Stage::connect));
    CORBEL_TRY(auto context, contexts_.current(Stage::connect));
    CORBEL_TRY(auto inner, inner_->connect(own->inner(), options, deadline));
    const std::string& host = own->host_port().host;
    Expected expected = expected_at(host, contexts_.security().server_names);
    // A session that was agreed on under other settings is worth nothing under these.
    const std::string server = own->text() + '#' + std::to_string(number_of(context));
    auto session = Session::make(std::move(context), std::move(expected), {resumption_, server});
    if (session == nullptr) return base::error(Stage::connect, Code::out_of_resources);
    if (!host.empty()) session->ask_for(host);
    auto carrier = std::make_unique<TlsTransport>(std::move(inner), std::move(session), Role::client, contexts_.log());
    const base::Cancellation::Wait shaking(
        [](void* shaken) noexcept { static_cast<TlsTransport*>(shaken)->shutdown(); }, carrier.get());
    if (shaking.cancelled()) return base::error(Stage::connect, Code::cancelled);
    if (auto ready = carrier->handshake(deadline); !ready) {
      return base::error(Stage::connect, ready.error().code, ready.error().os_error);
    }
    return std::unique_ptr<Transport>(std::move(carrier));
  }

 private:
  /// Counts the contexts.
  std::uint64_t number_of(const ContextPtr& context) {
    const std::lock_guard lock(mutex_);
    if (context_ != context) ++number_;
    context_ = context;
    return number_;
  }

  const std::unique_ptr<Connector> inner_;
  Contexts contexts_;
  const std::shared_ptr<Resumption> resumption_ = std::make_shared<Resumption>();
  std::mutex mutex_;
  ContextPtr context_;
  std::uint64_t number_ = 0;
};

class TlsAcceptor final : public Acceptor {
 public:
  TlsAcceptor(std::unique_ptr<Acceptor> inner, std::unique_ptr<Contexts> contexts)
      : inner_(std::move(inner)), contexts_(std::move(contexts)) {}

  base::Result<std::unique_ptr<Transport>> accept() override {
    CORBEL_TRY(auto inner, inner_->accept());
    CORBEL_TRY(auto context, contexts_->current(Stage::accept));
    auto session = Session::make(std::move(context), {contexts_->security().client_names, true}, {});
    if (session == nullptr) return base::error(Stage::accept, Code::out_of_resources);
    return std::unique_ptr<Transport>(
        new TlsTransport(std::move(inner), std::move(session), Role::server, contexts_->log()));
  }
  int handle() const noexcept override { return inner_->handle(); }
  std::vector<EndpointPtr> endpoints() const override {
    std::vector<EndpointPtr> all;
    for (auto& each : inner_->endpoints()) all.push_back(std::make_shared<TlsEndpoint>(std::move(each)));
    return all;
  }
  void refuse_more() noexcept override { inner_->refuse_more(); }
  void close() noexcept override { inner_->close(); }

 private:
  const std::unique_ptr<Acceptor> inner_;
  const std::unique_ptr<Contexts> contexts_;
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
  Traits traits() const noexcept override { return kTraits; }
  /// A peer that shows a wrong certificate, or shuts the port, is not to get in clear text what is to be protected.
  bool insists() const noexcept override { return wants_tls(setup_.security); }
  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(auto inner, inner_->parse(address));
    return EndpointPtr(std::make_shared<TlsEndpoint>(std::move(inner)));
  }
  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != kUrlScheme || !is_over_hosts()) return base::error(Stage::resolve, Code::unsupported);
    return endpoint_of({address.host, address.port});
  }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<TlsConnector>(inner_->make_connector(), setup_);
  }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const auto* own, own_endpoint<TlsEndpoint>(endpoint, Stage::listen));
    auto contexts = std::make_unique<Contexts>(setup_, Role::server);
    CORBEL_TRY(const auto usable, contexts->current(Stage::listen));
    (void)usable;
    CORBEL_TRY(auto inner, inner_->listen(own->inner(), options));
    return std::unique_ptr<Acceptor>(new TlsAcceptor(std::move(inner), std::move(contexts)));
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
  if (iiop.port != 0 && !wants_tls(setup_.security)) return none;
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
