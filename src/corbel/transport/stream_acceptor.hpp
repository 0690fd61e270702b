// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel/transport/stream_transport.hpp"

namespace corbel::transport {

/// The passive side over a listening stream socket, shared by all transports that have one. What is set on the socket
/// (buffer sizes, no_delay, keep_alive) the system passes on to the streams.
template <class Address>
class StreamAcceptor : public Acceptor {
 public:
  /// `scheme` must outlive the acceptor (a literal). `spin`: see Options.
  StreamAcceptor(std::string_view scheme, ipc::Acceptor<Address> acceptor, std::vector<EndpointPtr> endpoints,
                 base::Duration spin)
      : scheme_(scheme), acceptor_(std::move(acceptor)), endpoints_(std::move(endpoints)), spin_(spin) {}

  base::Result<std::unique_ptr<Transport>> accept() override {
    CORBEL_TRY(auto stream, acceptor_.accept(base::Deadline::now()));
    return std::unique_ptr<Transport>(new StreamTransport<Address>(scheme_, std::move(stream), base::Spin(spin_)));
  }
  int handle() const noexcept override { return acceptor_.handle(); }
  std::vector<EndpointPtr> endpoints() const override { return endpoints_; }
  void close() noexcept override { acceptor_.close(); }

 private:
  /// Who connects is the parent's; and the address is free when the parent has ended, whatever the child does.
  void after_fork() noexcept { (void)acceptor_.release(); }

  std::string_view scheme_;
  ipc::Acceptor<Address> acceptor_;
  std::vector<EndpointPtr> endpoints_;
  base::Duration spin_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<StreamAcceptor*>(self)->after_fork(); }, this};
};

}  // namespace corbel::transport
