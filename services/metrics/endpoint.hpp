// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "corbel/ipc/acceptor.hpp"
#include "corbel_metrics.hpp"

namespace corbel::metrics {

/// As much of an HTTP server as `GET /metrics` takes.
class Metrics::Endpoint {
 public:
  /// Throws std::runtime_error.
  Endpoint(const std::string& address, std::function<std::string()> text);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  std::uint16_t port() const noexcept { return port_; }

 private:
  void serve();
  void answer(ipc::TcpStream stream) const;

  const std::function<std::string()> text_;
  ipc::TcpAcceptor acceptor_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace corbel::metrics
