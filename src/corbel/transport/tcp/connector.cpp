// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tcp/connector.hpp"

#include <optional>

#include "corbel/ipc/connector.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "corbel/transport/tcp/endpoint.hpp"
#include "corbel/transport/tcp/keep_alive.hpp"

namespace corbel::transport::tcp {
namespace {

std::optional<int> if_set(int octets) {
  return octets > 0 ? std::optional(octets) : std::nullopt;
}

}  // namespace

base::Result<std::unique_ptr<Transport>> TcpConnector::connect(const Endpoint& endpoint,
                                                               const ConnectionOptions& options,
                                                               base::Deadline deadline) {
  CORBEL_TRY(const TcpEndpoint* own, own_endpoint<TcpEndpoint>(endpoint, base::Stage::connect));
  if (own->host().empty() || own->port() == 0) {
    return base::error(base::Stage::connect, base::Code::unreachable);
  }
  CORBEL_TRY(const auto addresses, resolver_.resolve(own->host(), own->port(), deadline));
  ipc::ConnectOptions<ipc::InetAddress> before;
  before.send_buffer = if_set(options.send_buffer);
  before.receive_buffer = if_set(options.receive_buffer);
  before.traffic = options.traffic;
  CORBEL_TRY(auto stream, ipc::TcpConnector().connect(addresses, deadline, before));
  const auto peer = stream.peer_address();
  if (options.no_delay) CORBEL_CHECK(stream.set(ipc::option::no_delay, true));
  CORBEL_CHECK(set_keep_alive(stream, options));
  if (options.unsent > 0) CORBEL_CHECK(stream.set(ipc::option::unsent_low_watermark, options.unsent));
  auto made = std::make_unique<StreamTransport<ipc::InetAddress>>(kScheme, std::move(stream), base::Spin(options.spin));
  if (peer) {
    made->set_peer(*peer);
  } else if (addresses.size() == 1) {  // it has gone already
    made->set_peer(addresses.front());
  }
  return std::unique_ptr<Transport>(std::move(made));
}

}  // namespace corbel::transport::tcp
