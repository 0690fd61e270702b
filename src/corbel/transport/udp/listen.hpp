// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/transport/udp/endpoint.hpp"

namespace corbel::transport::udp {

base::Result<std::unique_ptr<Acceptor>> listen(const UdpEndpoint& endpoint, const Options& options);

}  // namespace corbel::transport::udp
