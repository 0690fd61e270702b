// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tcp/listen.hpp"

#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/stream_acceptor.hpp"
#include "corbel/transport/tcp/keep_alive.hpp"

namespace corbel::transport::tcp {
namespace {

using ipc::InetAddress;

constexpr base::Duration kLookup = std::chrono::seconds(10);

base::Result<ipc::TcpAcceptor> open(const TcpEndpoint& endpoint, const Options& options) {
  ipc::AcceptorOptions<InetAddress> with;
  with.backlog = options.backlog;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  with.traffic = options.traffic;
  if (endpoint.host().empty()) {
    with.v6_only = false;
    auto both = ipc::TcpAcceptor::open(InetAddress::any_v6(endpoint.port()), with);
    if (both || both.error().code == base::Code::address_in_use) return both;
    with.v6_only.reset();
    return ipc::TcpAcceptor::open(InetAddress::any_v4(endpoint.port()), with);
  }
  CORBEL_TRY(const auto addresses,
             ipc::Resolver().resolve(endpoint.host(), endpoint.port(), base::Deadline::after(kLookup)));
  if (addresses.front().is_any() && addresses.front().is_v6()) with.v6_only = true;
  return ipc::TcpAcceptor::open(addresses.front(), with);
}

}  // namespace

base::Result<std::unique_ptr<Acceptor>> listen(const TcpEndpoint& endpoint, const Options& options) {
  CORBEL_TRY(auto acceptor, open(endpoint, options));
  CORBEL_CHECK(acceptor.set_non_blocking(true));
  if (options.no_delay) CORBEL_CHECK(acceptor.set(ipc::option::no_delay, true));
  CORBEL_CHECK(set_keep_alive(acceptor, options));
  if (options.unsent > 0) CORBEL_CHECK(acceptor.set(ipc::option::unsent_low_watermark, options.unsent));
  CORBEL_TRY(const InetAddress bound, acceptor.local_address());
  CORBEL_TRY(auto addresses, published_addresses(endpoint, bound, options));
  std::vector<EndpointPtr> endpoints;
  endpoints.reserve(addresses.size());
  for (auto& each : addresses) endpoints.push_back(std::make_shared<TcpEndpoint>(std::move(each)));
  return std::unique_ptr<Acceptor>(new StreamAcceptor<InetAddress>(kScheme, std::move(acceptor), std::move(endpoints),
                                                                   options.spin, options.traffic));
}

}  // namespace corbel::transport::tcp
