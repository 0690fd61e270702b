// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/transport/transport.hpp"
#include "corbel/transport/unix/endpoint.hpp"

namespace corbel::transport::local {

/// Opens a listening socket; for an unnamed endpoint in a private directory made for it.
base::Result<std::unique_ptr<Acceptor>> listen(const UnixEndpoint& endpoint, const Options& options);

}  // namespace corbel::transport::local
