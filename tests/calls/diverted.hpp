// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "support.hpp"

namespace corbel::calls_test {

/// How connections come about, instead of the transport's own way, which is `inner`.
using Connect = std::function<base::Result<std::unique_ptr<transport::Transport>>(
    transport::Connector& inner, const transport::Endpoint&, const transport::ConnectionOptions&, base::Deadline)>;

/// The transport tcp, but for how it connects.
class Diverted final : public transport::Factory {
 public:
  explicit Diverted(Connect connect) : connect_(std::move(connect)) {}

  std::string_view scheme() const noexcept override { return inner_->scheme(); }
  transport::Traits traits() const noexcept override { return inner_->traits(); }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override { return inner_->parse(address); }
  base::Result<transport::EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    return inner_->from_url(address);
  }
  std::unique_ptr<transport::Connector> make_connector() const override {
    return std::make_unique<Connector>(inner_->make_connector(), connect_);
  }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    return inner_->listen(endpoint, options);
  }
  base::Result<transport::Reachable> decode(const ior::TaggedProfile& profile,
                                            const cdr::Limits& limits) const override {
    return inner_->decode(profile, limits);
  }

 private:
  class Connector final : public transport::Connector {
   public:
    Connector(std::unique_ptr<transport::Connector> inner, Connect connect)
        : inner_(std::move(inner)), connect_(std::move(connect)) {}
    base::Result<std::unique_ptr<transport::Transport>> connect(const transport::Endpoint& endpoint,
                                                                const transport::ConnectionOptions& options,
                                                                base::Deadline deadline) override {
      return connect_(*inner_, endpoint, options, deadline);
    }

   private:
    const std::unique_ptr<transport::Connector> inner_;
    const Connect connect_;
  };

  const std::shared_ptr<const transport::Factory> inner_ = transport::make_tcp();
  const Connect connect_;
};

/// An ORB with such transports and nothing else; destroyed with this.
class PlainClient {
 public:
  explicit PlainClient(std::vector<std::shared_ptr<const transport::Factory>> transports,
                       std::vector<std::string> options = {}) {
    static int number = 0;
    orb_ = orb::init(options, "plain client " + std::to_string(++number),
                     {{messaging::make_giop()}, std::move(transports), &poa::make_adapter});
  }
  ~PlainClient() { orb_->destroy(); }
  PlainClient(const PlainClient&) = delete;
  PlainClient& operator=(const PlainClient&) = delete;

  CORBA::ORB& orb() const { return *orb_; }
  ThingRef thing(const std::string& reference) const {
    return IDL::traits<Calls::Thing>::unchecked_narrow(orb_->string_to_object(reference));
  }
  ThingRef thing(const std::vector<test::ProfileData>& profiles) const { return thing(test::ior_string(profiles)); }

 private:
  OrbRef orb_;
};

}  // namespace corbel::calls_test
