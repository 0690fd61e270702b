// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tcp {

/// Resolves the host and tries its addresses in turn, each with a fair share of the time that is left.
class TcpConnector final : public Connector {
 public:
  explicit TcpConnector(const Options& options, ipc::Resolver::Lookup lookup = &ipc::InetAddress::resolve)
      : options_(options), resolver_(std::move(lookup)) {}
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, base::Deadline deadline) override;

 private:
  Options options_;
  ipc::Resolver resolver_;
};

}  // namespace corbel::transport::tcp
