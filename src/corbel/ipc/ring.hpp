// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/base/spin.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/ipc/io_vector.hpp"

namespace corbel::ipc {

/// A stream of octets through shared memory, one way, from one producer to one consumer, usually in two processes.
///
/// Layout of the area (version 1): two blocks of 64 octets, the producer's and the consumer's, then the octets. A block
/// holds four 32-bit words: how many octets its owner has moved in all (modulo 2^32), whether its owner has closed,
/// whether its owner sleeps, and the futex its owner sleeps on. An area filled with zeros is an empty ring.
///
/// Neither side trusts the other: each keeps its own count and its own idea of the capacity, copies the other's count
/// out once per operation and checks that it is possible; one that is not is malformed, for good. A hostile peer can
/// therefore send rubbish, stay silent (use deadlines) or wake its victim needlessly, and nothing else.
///
/// Blocking: a side that must wait sleeps on its futex; the other one makes a system call only if somebody sleeps. A
/// peer process that dies does not close: hold a local stream beside the ring, or use deadlines, to find out.
///
/// Each end belongs to one thread at a time, except close(), which any thread may call and which wakes both sides.
class CORBEL_API RingEnd {
 public:
  /// Octets of area that a ring of `capacity` octets needs. `capacity`: a power of two, 64 to 2^30.
  static constexpr std::size_t area_size(std::size_t capacity) noexcept { return kHeaderSize + capacity; }
  std::size_t capacity() const noexcept { return data_.size(); }
  /// How long this side looks again and again before it sleeps; by default not at all. For a peer on another processor
  /// that answers within that time.
  void set_spin(const base::Spin& spin) noexcept { spin_ = spin; }
  /// What to set, besides waking the futex, whenever the other side waits: an event whose handle came from a peer that
  /// waits with a reactor instead of in an operation (see arm()). Not owned. Null, the default: none. Setting it waits
  /// for nobody as long as the peer leaves the handle non-blocking.
  void set_peer_event(const Event* event) noexcept { peer_event_ = event; }
  /// For a side that waits for an event: asks the peer to set it at its next move. False: wait for the event, clear it,
  /// go on. True: do not wait, an operation would not wait now. Error: malformed.
  base::Result<bool> arm() noexcept;
  /// No more will be sent or received; wakes both sides. What was sent before can still be received.
  void close() noexcept;

 protected:
  static constexpr std::size_t kHeaderSize = 128;

  struct alignas(64) Block {
    std::atomic<std::uint32_t> moved;
    std::atomic<std::uint32_t> closed;
    std::atomic<std::uint32_t> sleeps;
    std::atomic<std::uint32_t> futex;
  };

  RingEnd() noexcept = default;
  /// Error: bad_argument unless the area is aligned to 64 octets and area_size of a capacity.
  base::Status attach(base::ByteSpan area, bool produces) noexcept;

  /// What the other side has moved; malformed if that cannot be.
  base::Result<std::uint32_t> peer_moved(base::Stage stage) noexcept;
  void publish(std::uint32_t count) noexcept;
  /// Sleeps until the other side has moved on from `seen`, or either closed, or the deadline.
  base::Status sleep(std::uint32_t seen, base::Deadline deadline, base::Stage stage) noexcept;
  static void wake(Block& sleeper) noexcept;
  void wake_peer() noexcept;

  Block* own_ = nullptr;
  Block* peer_ = nullptr;
  base::ByteSpan data_;
  std::uint32_t moved_ = 0;
  bool produces_ = false;
  bool broken_ = false;

 private:
  bool nothing_new(std::uint32_t seen) const noexcept;

  base::Spin spin_;
  const Event* peer_event_ = nullptr;
};

/// The end that sends. Errors (stage send): lost (the consumer closed), cancelled (this end was closed), malformed,
/// timed_out, would_block (Deadline::now()).
class CORBEL_API RingProducer : public RingEnd {
 public:
  RingProducer() noexcept = default;
  /// Attaches to an area, which is not owned and must stay mapped. The area must be new (zeros) to the producer.
  static base::Result<RingProducer> attach(base::ByteSpan area) noexcept;

  /// Copies in as much as there is room for, at least one octet, waiting for room. Number of octets.
  base::Result<std::size_t> send(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Sends all; as Stream::send_n.
  base::Status send_n(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* sent = nullptr) noexcept;
  /// Sends all of a gather list, which is used up. The consumer is told once per piece.
  base::Status sendv_n(std::span<ConstIoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* sent = nullptr) noexcept;
};

/// The end that receives. Errors (stage receive): cancelled (this end was closed), malformed, timed_out, would_block
/// (Deadline::now()).
class CORBEL_API RingConsumer : public RingEnd {
 public:
  RingConsumer() noexcept = default;
  /// Attaches to an area, which is not owned and must stay mapped. It must be new to the consumer.
  static base::Result<RingConsumer> attach(base::ByteSpan area) noexcept;

  /// Copies out what is there, at least one octet, waiting for it. 0 means that the producer closed and all is read.
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Fills all of `room`; as Stream::recv_n.
  base::Status recv_n(base::ByteSpan room, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* received = nullptr) noexcept;
  base::Status recvv_n(std::span<IoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* received = nullptr) noexcept;
};

}  // namespace corbel::ipc
