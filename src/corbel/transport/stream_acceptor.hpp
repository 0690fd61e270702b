// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel/transport/stream_transport.hpp"

namespace corbel::transport {

/// The passive side over a listening socket, shared by all transports that have one. What is set on the socket (buffer
/// sizes, no_delay, keep_alive) the system passes on to the accepted ones. Derive to say what becomes of those.
template <class Socket>
class SocketAcceptor : public Acceptor {
 public:
  using Listener = ipc::Acceptor<typename Socket::AddressType, Socket>;

  base::Result<std::unique_ptr<Transport>> accept() override {
    typename Socket::AddressType peer;
    CORBEL_TRY(auto socket, listener_.accept(base::Deadline::now(), peer));
    return make(std::move(socket), peer);
  }
  int handle() const noexcept override { return listener_.handle(); }
  std::vector<EndpointPtr> endpoints() const override { return endpoints_; }
  void refuse_more() noexcept override {
    listener_.refuse_more();
    // A peer may have its SYN answered, and believe that it is connected, a moment before it can be accepted.
    if constexpr (Socket::AddressType::kInternet) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void close() noexcept override { listener_.close(); }

 protected:
  SocketAcceptor(Listener listener, std::vector<EndpointPtr> endpoints)
      : listener_(std::move(listener)), endpoints_(std::move(endpoints)) {}
  /// The carrier over an accepted socket.
  virtual std::unique_ptr<Transport> make(Socket socket, const typename Socket::AddressType& peer) = 0;

 private:
  /// Connections are the parent's; and the address is free when the parent has ended, whatever the child does.
  void after_fork() noexcept { (void)listener_.release(); }

  Listener listener_;
  std::vector<EndpointPtr> endpoints_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<SocketAcceptor*>(self)->after_fork(); }, this};
};

/// Makes stream transports.
template <class Address>
class StreamAcceptor : public SocketAcceptor<ipc::Stream<Address>> {
 public:
  /// `scheme` must outlive the acceptor (a literal). `spin`, `traffic`: see ConnectionOptions.
  StreamAcceptor(std::string_view scheme, ipc::Acceptor<Address> acceptor, std::vector<EndpointPtr> endpoints,
                 base::Duration spin, const ipc::TrafficOptions& traffic = {})
      : SocketAcceptor<ipc::Stream<Address>>(std::move(acceptor), std::move(endpoints)),
        scheme_(scheme),
        spin_(spin),
        traffic_(traffic) {}

 private:
  std::unique_ptr<Transport> make(ipc::Stream<Address> stream, const Address& peer) override {
    // Streams do not have the priority from their acceptor; what the system refuses here is no reason to hang up.
    (void)ipc::set_traffic(stream.handle(), traffic_);
    auto made = std::make_unique<StreamTransport<Address>>(scheme_, std::move(stream), base::Spin(spin_));
    made->set_peer(peer);
    return made;
  }

  std::string_view scheme_;
  base::Duration spin_;
  ipc::TrafficOptions traffic_;
};

}  // namespace corbel::transport
