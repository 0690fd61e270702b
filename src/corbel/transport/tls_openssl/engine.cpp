// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/engine.hpp"

#include <mutex>
#include <utility>

#include "corbel/base/cancellation.hpp"
#include "corbel/transport/tls/endpoint.hpp"
#include "corbel/transport/tls_openssl/carrier.hpp"

namespace corbel::transport::tls {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

class TlsConnector final : public Connector {
 public:
  TlsConnector(std::unique_ptr<Connector> inner, TlsSetup setup)
      : inner_(std::move(inner)), contexts_(std::move(setup), Role::client) {
    // Files are read before the first connection has to wait for them, and errors in them are told early.
    if (contexts_.security().is_wanted()) (void)contexts_.current(Stage::connect).ok();
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

base::Result<std::unique_ptr<Acceptor>> listen(const Factory& inner, const Endpoint& endpoint, const Options& options,
                                               TlsSetup setup) {
  CORBEL_TRY(const auto* own, own_endpoint<TlsEndpoint>(endpoint, Stage::listen));
  auto contexts = std::make_unique<Contexts>(std::move(setup), Role::server);
  CORBEL_TRY(const auto usable, contexts->current(Stage::listen));
  (void)usable;
  CORBEL_TRY(auto acceptor, inner.listen(own->inner(), options));
  return std::unique_ptr<Acceptor>(new TlsAcceptor(std::move(acceptor), std::move(contexts)));
}

std::unique_ptr<Connector> make_connector(std::unique_ptr<Connector> inner, TlsSetup setup) {
  return std::make_unique<TlsConnector>(std::move(inner), std::move(setup));
}

}  // namespace

const Engine kOpenSsl{make_connector, listen};

}  // namespace corbel::transport::tls
