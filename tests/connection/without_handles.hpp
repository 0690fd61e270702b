// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "corbel/transport/endpoint_text.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

/// "bare://": inproc, whose connections have no handles. (What listens has one: the port wants that.)
class WithoutHandles final : public transport::Factory {
 public:
  std::string_view scheme() const noexcept override { return "bare"; }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(auto inner, inner_->parse(address));
    return transport::EndpointPtr(std::make_shared<Endpoint>(std::move(inner)));
  }
  std::unique_ptr<transport::Connector> make_connector() const override {
    return std::make_unique<Connector>(inner_->make_connector());
  }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    CORBEL_TRY(const auto* own, transport::own_endpoint<Endpoint>(endpoint, base::Stage::listen));
    CORBEL_TRY(auto inner, inner_->listen(*own->inner, options));
    return std::unique_ptr<transport::Acceptor>(new Acceptor(std::move(inner)));
  }

 private:
  static std::string outer(const std::string& inner) { return "bare" + inner.substr(inner.find(':')); }

  struct Endpoint final : transport::Endpoint {
    explicit Endpoint(transport::EndpointPtr endpoint) : inner(std::move(endpoint)), spelled(outer(inner->text())) {}
    std::string_view scheme() const noexcept override { return "bare"; }
    const std::string& text() const noexcept override { return spelled; }

    const transport::EndpointPtr inner;
    const std::string spelled;
  };
  struct Transport final : transport::Transport {
    explicit Transport(std::unique_ptr<transport::Transport> transport) : inner(std::move(transport)) {}
    base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
      return inner->send(data, deadline);
    }
    base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
      return inner->receive(buffer, deadline);
    }
    void shutdown() noexcept override { inner->shutdown(); }
    int handle() const noexcept override { return -1; }
    std::string local() const override { return outer(inner->local()); }
    std::string peer() const override { return outer(inner->peer()); }

    const std::unique_ptr<transport::Transport> inner;
  };
  struct Connector final : transport::Connector {
    explicit Connector(std::unique_ptr<transport::Connector> connector) : inner(std::move(connector)) {}
    base::Result<std::unique_ptr<transport::Transport>> connect(const transport::Endpoint& endpoint,
                                                                const transport::ConnectionOptions& options,
                                                                base::Deadline deadline) override {
      CORBEL_TRY(const auto* own, transport::own_endpoint<Endpoint>(endpoint, base::Stage::connect));
      CORBEL_TRY(auto made, inner->connect(*own->inner, options, deadline));
      return std::unique_ptr<transport::Transport>(new Transport(std::move(made)));
    }
    const std::unique_ptr<transport::Connector> inner;
  };
  struct Acceptor final : transport::Acceptor {
    explicit Acceptor(std::unique_ptr<transport::Acceptor> acceptor) : inner(std::move(acceptor)) {}
    base::Result<std::unique_ptr<transport::Transport>> accept() override {
      CORBEL_TRY(auto accepted, inner->accept());
      return std::unique_ptr<transport::Transport>(new Transport(std::move(accepted)));
    }
    int handle() const noexcept override { return inner->handle(); }
    std::vector<transport::EndpointPtr> endpoints() const override {
      std::vector<transport::EndpointPtr> all;
      for (auto& each : inner->endpoints()) all.push_back(std::make_shared<Endpoint>(std::move(each)));
      return all;
    }
    void close() noexcept override { inner->close(); }

    const std::unique_ptr<transport::Acceptor> inner;
  };

  const std::shared_ptr<const transport::Factory> inner_ = transport::make_inproc();
};

}  // namespace corbel::connection
