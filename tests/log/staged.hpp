// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/ipc/handle.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::log_test {

/// "staged://": what an ORB has to tell of a transport. Its addresses are good for the hosts on the same link, and its
/// acceptor fails once, and then has no peer to accept. At "wide" it listens for everybody, and finds only "narrow".
class Staged final : public transport::Factory {
 public:
  std::string_view scheme() const noexcept override { return "staged"; }
  std::optional<std::string> default_address() const override { return "anywhere"; }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override {
    return transport::EndpointPtr(std::make_shared<Endpoint>(std::string(address)));
  }
  std::unique_ptr<transport::Connector> make_connector() const override { return std::make_unique<Connector>(); }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options&) const override {
    const std::string address = endpoint.text().substr(9);
    return std::unique_ptr<transport::Acceptor>(
        new Acceptor(std::make_shared<Endpoint>(address == "wide" ? "narrow" : address)));
  }

 private:
  struct Endpoint final : transport::Endpoint {
    explicit Endpoint(const std::string& address) : spelled("staged://" + address) {}
    std::string_view scheme() const noexcept override { return "staged"; }
    const std::string& text() const noexcept override { return spelled; }
    transport::Reach reach() const noexcept override {
      return spelled == "staged://wide" ? transport::Reach::anybody : transport::Reach::this_link;
    }

    const std::string spelled;
  };
  struct Connector final : transport::Connector {
    base::Result<std::unique_ptr<transport::Transport>> connect(const transport::Endpoint&,
                                                                const transport::ConnectionOptions&,
                                                                base::Deadline) override {
      return base::error(base::Stage::connect, base::Code::unreachable);
    }
  };
  struct Acceptor final : transport::Acceptor {
    explicit Acceptor(transport::EndpointPtr endpoint) : at(std::move(endpoint)) {}
    base::Result<std::unique_ptr<transport::Transport>> accept() override {
      eventfd_t told = 0;
      const bool first = ::eventfd_read(ready.get(), &told) == 0;
      return base::error(base::Stage::accept, first ? base::Code::unreachable : base::Code::would_block);
    }
    int handle() const noexcept override { return ready.get(); }
    std::vector<transport::EndpointPtr> endpoints() const override { return {at}; }
    void close() noexcept override {}

    const transport::EndpointPtr at;
    const ipc::Handle ready{::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)};
  };
};

}  // namespace corbel::log_test
