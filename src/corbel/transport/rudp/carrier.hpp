// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/transport/rudp/connection.hpp"
#include "corbel/transport/rudp/service.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::rudp {

/// The user of a connection.
class Carrier final : public Transport {
 public:
  Carrier(ConnectionPtr connection, std::shared_ptr<Service> service) noexcept
      : service_(std::move(service)), connection_(std::move(connection)) {}
  ~Carrier() override;

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    return connection_->send(data, deadline, false);
  }
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    return connection_->send(data, deadline, true);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
    return connection_->receive(buffer, deadline);
  }
  void shutdown() noexcept override { connection_->shutdown(); }
  void abandon() noexcept override { connection_->abandon(); }
  int handle() const noexcept override { return connection_->handle(); }
  std::string local() const override { return text_of(connection_->here()); }
  std::string peer() const override { return text_of(connection_->peer()); }
  /// How local() and peer() write an address.
  static std::string text_of(const ipc::InetAddress& address);

 private:
  const std::shared_ptr<Service> service_;  // until the connection has been released
  ConnectionPtr connection_;
};

}  // namespace corbel::transport::rudp
