// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/packet/packet.hpp"

#include "corbel/ipc/connector.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/local_endpoint.hpp"
#include "corbel/transport/local_listen.hpp"
#include "corbel/transport/packet_transport.hpp"
#include "corbel/transport/stream_acceptor.hpp"

namespace corbel::transport {
namespace packet {
namespace {

using base::Code;
using base::Stage;
using ipc::UnixAddress;

constexpr std::string_view kScheme = "packet";
/// A buffer of this size waits at every connection that is being read. For larger messages the system needs much memory
/// in one piece each time.
constexpr Traits kTraits{.byte_stream = false, .largest_message = 64U << 10};

struct Scheme {
  static constexpr std::string_view kScheme = packet::kScheme;
  static bool is_here(std::string_view machine) { return machine == machine_name(); }
};
using PacketEndpoint = LocalEndpoint<Scheme>;

class PacketAcceptor final : public SocketAcceptor<ipc::PacketStream> {
 public:
  PacketAcceptor(LocalListener<ipc::PacketStream> listener, std::vector<EndpointPtr> endpoints, base::Duration spin)
      : SocketAcceptor(std::move(listener.acceptor), std::move(endpoints)),
        folder_(std::move(listener.folder)),
        spin_(spin) {}
  ~PacketAcceptor() override { PacketAcceptor::close(); }
  void close() noexcept override {
    SocketAcceptor::close();
    folder_.leave();
  }

 private:
  std::unique_ptr<Transport> make(ipc::PacketStream socket, const ipc::UnixAddress&) override {
    return std::make_unique<PacketTransport>(kScheme, std::move(socket), base::Spin(spin_), kTraits);
  }

  ipc::SocketFolder folder_;
  base::Duration spin_;
};

class PacketConnector final : public Connector {
 public:
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    CORBEL_TRY(const PacketEndpoint* own, own_endpoint<PacketEndpoint>(endpoint, Stage::connect));
    if (own->unix_address().is_unnamed() || !own->is_here()) return base::error(Stage::connect, Code::unreachable);
    ipc::ConnectOptions<UnixAddress> before;
    if (options.send_buffer > 0) before.send_buffer = options.send_buffer;
    if (options.receive_buffer > 0) before.receive_buffer = options.receive_buffer;
    CORBEL_TRY(auto socket, ipc::PacketConnector().connect(own->unix_address(), deadline, before));
    return std::unique_ptr<Transport>(
        new PacketTransport(kScheme, std::move(socket), base::Spin(options.spin), kTraits));
  }
};

class PacketFactory final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "/path"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return buffer_options(); }
  Traits traits() const noexcept override { return kTraits; }
  base::Result<EndpointPtr> parse(std::string_view address) const override { return PacketEndpoint::parse(address); }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<PacketConnector>(); }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const PacketEndpoint* own, own_endpoint<PacketEndpoint>(endpoint, Stage::listen));
    if (!own->is_here()) return base::error(Stage::listen, Code::unreachable);
    CORBEL_TRY(auto listener, LocalListener<ipc::PacketStream>::open(own->unix_address(), options));
    std::vector<EndpointPtr> endpoints{std::make_shared<PacketEndpoint>(machine_name(), listener.address)};
    return std::unique_ptr<Acceptor>(new PacketAcceptor(std::move(listener), std::move(endpoints), options.spin));
  }
};

}  // namespace
}  // namespace packet

std::shared_ptr<const Factory> make_packet() {
  return std::make_shared<packet::PacketFactory>();
}

}  // namespace corbel::transport
