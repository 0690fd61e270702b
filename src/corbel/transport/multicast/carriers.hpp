// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "corbel/ipc/multicast.hpp"
#include "corbel/transport/multicast/endpoint.hpp"
#include "corbel/transport/multicast/reassembly.hpp"

namespace corbel::transport::multicast {

/// A socket that can be told from any thread that it is of no more use.
class GroupSocket {
 public:
  explicit GroupSocket(ipc::MulticastSocket socket) noexcept : socket_(std::move(socket)) {}
  /// The next datagram. Errors: as Transport::receive.
  base::Result<std::size_t> receive(base::ByteSpan room, ipc::InetAddress& from, base::Deadline deadline) noexcept;
  void end() noexcept {
    ended_.store(true, std::memory_order_release);
    socket_.wake();
  }
  ipc::MulticastSocket& socket() noexcept { return socket_; }
  int handle() const noexcept { return socket_.handle(); }

 private:
  ipc::MulticastSocket socket_;
  std::atomic<bool> ended_{false};
};

/// The connecting side: sends to the group, and receives nothing.
class GroupSender final : public Transport {
 public:
  GroupSender(ipc::MulticastSocket socket, const ipc::InetAddress& group);

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  void shutdown() noexcept override { socket_.end(); }
  void abandon() noexcept override { socket_.socket().close(); }
  int handle() const noexcept override { return socket_.handle(); }
  int send_handle() const noexcept override { return socket_.handle(); }
  Traits traits() const noexcept override { return kTraits; }
  std::string local() const override { return local_; }
  std::string peer() const override { return peer_; }

 private:
  void cut(std::span<const cdr::Segment> data, std::size_t size);
  base::Result<std::size_t> send_packets(std::size_t size, base::Deadline deadline);

  GroupSocket socket_;
  const ipc::InetAddress group_;
  const std::size_t most_data_;  // of one packet
  const std::string local_;
  const std::string peer_;
  MessageId id_;  // these three are the writer's
  std::uint32_t messages_ = 0;
  base::Bytes joined_;                      // a message of many pieces
  std::vector<ipc::ConstIoVector> pieces_;  // the packets, one after the other, room for headers included
  std::vector<std::size_t> ends_;           // where in these each packet ends
  std::vector<Header> headers_;
  ipc::OutputBatch<ipc::InetAddress> batch_;
};

/// Told when a carrier of an acceptor has gone.
class Vacancy {
 public:
  virtual ~Vacancy() = default;
  virtual void vacate() noexcept = 0;
};

/// The accepting side: hears every sender to the group, and sends nothing.
class GroupEar final : public Transport {
 public:
  GroupEar(ipc::MulticastSocket socket, std::string name, std::shared_ptr<Vacancy> vacancy)
      : socket_(std::move(socket)), name_(std::move(name)), vacancy_(std::move(vacancy)) {}
  ~GroupEar() override { vacancy_->vacate(); }

  base::Result<std::size_t> send(std::span<const cdr::Segment>, base::Deadline) override {
    return base::error(base::Stage::send, base::Code::unsupported);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  void shutdown() noexcept override { socket_.end(); }
  void abandon() noexcept override { socket_.socket().close(); }
  int handle() const noexcept override { return socket_.handle(); }
  Traits traits() const noexcept override { return kTraits; }
  std::string local() const override { return name_; }
  std::string peer() const override { return name_; }

 private:
  GroupSocket socket_;
  const std::string name_;
  const std::shared_ptr<Vacancy> vacancy_;
  Reassembly reassembly_{{.message = kLargest}};
  base::Bytes room_;  // for callers that have less than a datagram needs
};

}  // namespace corbel::transport::multicast
