// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/transport/tcp/endpoint.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tcp {

/// Opens a listening socket and works out which endpoints to publish for it. An empty host is every interface, of both
/// families where the system has both.
base::Result<std::unique_ptr<Acceptor>> listen(const TcpEndpoint& endpoint, const Options& options);

}  // namespace corbel::transport::tcp
