// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tcp/connector.hpp"

#include <optional>

#include "corbel/ipc/connector.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "corbel/transport/tcp/endpoint.hpp"

namespace corbel::transport::tcp {
namespace {

std::optional<int> if_set(int octets) {
  return octets > 0 ? std::optional(octets) : std::nullopt;
}

/// An equal share of the time until `whole` for each of `attempts`.
base::Deadline share(base::Deadline whole, std::size_t attempts) {
  if (attempts == 1 || whole.is_none() || whole.is_now()) return whole;
  return base::Deadline::after(whole.remaining() / static_cast<std::int64_t>(attempts));
}

base::Result<std::unique_ptr<Transport>> connect_one(const ipc::InetAddress& address, base::Deadline deadline,
                                                     const ConnectionOptions& options) {
  ipc::ConnectOptions<ipc::InetAddress> before;
  before.send_buffer = if_set(options.send_buffer);
  before.receive_buffer = if_set(options.receive_buffer);
  CORBEL_TRY(auto stream, ipc::TcpConnector().connect(address, deadline, before));
  // Connecting to a local port without a listener can meet itself when the system picks that port for our side.
  if (auto own = stream.local_address(); own && *own == address) {
    return base::error(base::Stage::connect, base::Code::refused);
  }
  if (options.no_delay) CORBEL_CHECK(stream.set(ipc::option::no_delay, true));
  if (options.keep_alive) CORBEL_CHECK(stream.set(ipc::option::keep_alive, true));
  return std::unique_ptr<Transport>(
      new StreamTransport<ipc::InetAddress>(kScheme, std::move(stream), base::Spin(options.spin)));
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
  base::Error last = base::error(base::Stage::connect, base::Code::unreachable);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!deadline.is_now() && deadline.expired()) return base::error(base::Stage::connect, base::Code::timed_out);
    auto transport = connect_one(addresses[i], share(deadline, addresses.size() - i), options);
    if (transport) return transport;
    last = transport.error();
  }
  return last;
}

}  // namespace corbel::transport::tcp
