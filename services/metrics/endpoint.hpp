// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel_metrics.hpp"

namespace corbel::metrics {

/// As much of an HTTP server as `GET /metrics` takes. One thread serves some clients at the same time; each has a
/// moment to ask and to read, and for newcomers beyond these the one that came first goes.
class Metrics::Endpoint {
 public:
  /// Throws std::runtime_error.
  Endpoint(const std::string& address, std::function<std::string()> text);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  std::uint16_t port() const noexcept { return port_; }

 private:
  struct Client {
    ipc::TcpStream stream;
    base::Deadline deadline;
    std::string request;
    std::string reply;     // once all of the request is there
    std::size_t sent = 0;  // of the reply
  };

  void serve();
  void wait();
  void admit();
  bool go_on(Client& client) const;
  bool read(Client& client) const;
  std::string answer(const std::string& request) const;

  const std::function<std::string()> text_;
  ipc::TcpAcceptor acceptor_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_ = false;
  std::vector<Client> clients_;  // the thread's, in the order in which they came
  std::thread thread_;
};

}  // namespace corbel::metrics
