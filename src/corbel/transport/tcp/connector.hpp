// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tcp {

/// Resolves the host and tries its addresses in turn, each with a fair share of the time that is left.
class TcpConnector final : public Connector {
 public:
  explicit TcpConnector(ipc::Resolver::Lookup lookup = &ipc::InetAddress::resolve) : resolver_(std::move(lookup)) {}
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override;

 private:
  ipc::Resolver resolver_;
};

}  // namespace corbel::transport::tcp
