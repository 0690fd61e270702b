// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/base/spin.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/shm/channel.hpp"
#include "corbel/transport/shm/watch.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::shm {

/// The carrier over a channel.
///
/// A thread in send() or receive() looks at the ring, and sleeps on its futex. A reactor waits for the socket: asked
/// before the connection is left to it (pending(), or receive() that finds nothing), the carrier asks the peer for an
/// octet at its next move, and then makes sure that there is none yet. That stays so until the octet comes, whichever
/// thread receives meanwhile: the reactor may be watching still.
class Carrier final : public Transport {
 public:
  /// Error: out_of_resources (the watch cannot watch it).
  static base::Result<std::unique_ptr<Transport>> make(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel,
                                                       std::shared_ptr<Watch> watch, const base::Spin& spin,
                                                       std::string local, std::string peer);
  ~Carrier() override;

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  bool pending() const noexcept override { return arm(); }
  void shutdown() noexcept override;
  void abandon() noexcept override;
  int handle() const noexcept override { return socket_.handle(); }
  std::string local() const override { return local_; }
  std::string peer() const override { return peer_; }
  PeerIdentity identity() const override;

 private:
  Carrier(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel, std::shared_ptr<Watch> watch, std::string local,
          std::string peer);
  static void ring(const void* self) noexcept;
  base::Status send(std::span<const cdr::Segment> data, base::Deadline deadline, std::size_t& sent) noexcept;
  base::Result<std::size_t> receive_armed(base::ByteSpan buffer, base::Deadline deadline);
  base::Result<std::size_t> received_nothing(base::Result<std::size_t> nothing, base::ByteSpan buffer);
  bool arm() const noexcept;
  void expect_ring() const noexcept;
  void take_rings() const noexcept;

  mutable ipc::UnixStream socket_;
  const base::IntrusivePtr<Channel> channel_;
  const std::shared_ptr<Watch> watch_;
  const std::string local_;
  const std::string peer_;
  std::atomic<bool> shut_{false};
  // The receiving thread's.
  mutable bool armed_;               // the peer may have been asked to ring
  mutable bool rung_ = false;        // octets may be waiting
  mutable std::uint64_t rings_due_;  // the most octets that the peer may have sent
};

}  // namespace corbel::transport::shm
