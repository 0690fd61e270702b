// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/base/fork.hpp"
#include "corbel/base/spin.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/shm/channel.hpp"
#include "corbel/transport/shm/slots.hpp"
#include "corbel/transport/shm/watch.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::shm {

/// Octets of memory that a side lends to its peer, and takes from it, at most: 0, or multiples of kLeastLent.
struct Lending {
  std::size_t gives = 0;
  std::size_t takes = 0;
};

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
                                                       Lending lending, std::string local, std::string peer);
  ~Carrier() override;

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  LentMemory lend(std::size_t octets) noexcept override;
  std::size_t next_lent() noexcept override;
  LentMemory take_lent() noexcept override;
  bool pending() const noexcept override { return arm(); }
  void shutdown() noexcept override;
  void abandon() noexcept override;
  int handle() const noexcept override { return socket_.handle(); }
  std::string local() const override { return local_; }
  std::string peer() const override { return peer_; }
  PeerIdentity identity() const override;

 private:
  Carrier(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel, std::shared_ptr<Watch> watch, Lending lending,
          std::string local, std::string peer);
  static void ring(const void* self) noexcept;
  base::Status send(std::span<const cdr::Segment> data, base::Deadline deadline, std::size_t& sent) noexcept;
  base::Status send_lent(Slots& slots, std::span<const cdr::Segment> data, base::Deadline deadline,
                         std::size_t& sent) noexcept;
  bool begin_lending() noexcept;
  base::Result<std::size_t> recv(base::ByteSpan buffer, base::Deadline deadline);
  base::Result<std::size_t> recv_beside_lent(base::ByteSpan buffer, base::Deadline deadline);
  base::Result<std::optional<std::uint32_t>> lent_ahead();
  void take_stand_in() noexcept;
  base::Result<std::size_t> receive_armed(base::ByteSpan buffer, base::Deadline deadline);
  base::Result<std::size_t> received_nothing(base::Result<std::size_t> nothing, base::ByteSpan buffer);
  bool arm() const noexcept;
  void expect_ring() const noexcept;
  bool take_rings() const noexcept;
  base::Result<std::size_t> take_octets(base::ByteSpan octets) const noexcept;

  mutable ipc::UnixStream socket_;
  const base::IntrusivePtr<Channel> channel_;
  const std::shared_ptr<Watch> watch_;
  const std::string local_;
  const std::string peer_;
  std::atomic<bool> shut_{false};
  const std::size_t takes_lent_;
  std::atomic<Slots*> slots_{nullptr};  // that this side lends from
  base::ForkMutex mutex_;               // guards what follows
  std::size_t gives_lent_;              // 0: nothing, or not any more
  base::IntrusivePtr<Slots> own_slots_;
  // The receiving thread's.
  mutable bool armed_;               // the peer may have been asked to ring
  mutable bool rung_ = false;        // octets may be waiting
  mutable std::uint64_t rings_due_;  // the most octets that the peer may have sent
  mutable base::IntrusivePtr<PeerSlots> peer_slots_;
};

}  // namespace corbel::transport::shm
