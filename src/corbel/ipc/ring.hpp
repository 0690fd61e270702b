// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
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
/// holds 32-bit words: how many octets its owner has moved in all (modulo 2^32), whether its owner has closed, how
/// its owner sleeps (0: it does not, 1: on its futex, others: it waits for its bell), and that futex. A fifth word is
/// a note to the peer, which means nothing to the ring. An area filled with zeros is an empty ring.
///
/// Neither side trusts the other. Each keeps its own count, its own idea of the capacity and its own end in memory of
/// its own. It copies the other's count out once per operation and checks that it is possible; an impossible one is
/// malformed, for good. A hostile peer can therefore send rubbish, stay silent (use deadlines) or wake its victim
/// needlessly, and nothing else.
///
/// Blocking: a side that must wait sleeps on its futex; the other one makes a system call only if that side sleeps. A
/// peer process that dies does not close: hold a local stream beside the ring and call peer_died(), or use deadlines.
///
/// Each end belongs to one thread at a time, except close() and peer_died(), which any thread may call. It is copied
/// before it is used, or not at all.
class CORBEL_API RingEnd {
 public:
  /// Octets of area that a ring of `capacity` octets needs. `capacity`: a power of two, 64 to 2^30.
  static constexpr std::size_t area_size(std::size_t capacity) noexcept { return kHeaderSize + capacity; }
  std::size_t capacity() const noexcept { return data_.size(); }
  /// How long this side looks again and again before it sleeps; by default not at all. For a peer on another processor
  /// that answers within that time.
  void set_spin(const base::Spin& spin) noexcept { spin_ = spin; }
  /// What wakes a peer that waits with a reactor instead of in an operation (see arm()). Must not block, whatever the
  /// peer does. Called by the thread that uses this end, or closes it.
  using Bell = void (*)(const void* context) noexcept;
  void set_peer_bell(Bell ring, const void* context) noexcept {
    ring_ = ring;
    bell_ = context;
  }
  /// A bell for peers that are trusted: an event whose handle came from the peer. Not owned. Null, the default: none.
  /// Setting it does not wait as long as the peer leaves the handle non-blocking.
  void set_peer_event(const Event* event) noexcept {
    set_peer_bell(
        event == nullptr ? Bell{} : [](const void* each) noexcept { static_cast<const Event*>(each)->set(); }, event);
  }
  /// For a side that waits for its bell: asks the peer to ring it at its next move. False: go on and wait for the bell.
  /// True: do not wait, since an operation would not wait now. The bell may ring in vain. Error: malformed.
  base::Result<bool> arm() noexcept;
  /// True if the peer has not been told otherwise since arm(): it has not moved, nor has this side slept.
  bool is_armed() const noexcept;
  /// As arm(), for one that is_armed() was true for, without looking.
  void stay_armed() noexcept;
  /// A word for the peer, by whoever uses both ends. What was done before is seen by a peer that sees the note.
  void set_note(std::uint32_t note) noexcept { own_->note.store(note, std::memory_order_seq_cst); }
  /// The peer's, 0 if it has set none. It may be another one each time.
  std::uint32_t peer_note() const noexcept { return peer_->note.load(std::memory_order_seq_cst); }
  /// Octets that this side has moved in all, modulo 2^32. For the thread that uses this end.
  std::uint32_t moved() const noexcept { return moved_; }
  /// No more will be sent or received; wakes both sides. What was sent before can still be received.
  void close() noexcept;
  /// The peer will not move any more: wakes this side, which may still receive what was sent before (then: lost).
  void peer_died() noexcept;

 protected:
  static constexpr std::size_t kHeaderSize = 128;

  struct alignas(64) Block {
    std::atomic<std::uint32_t> moved;
    std::atomic<std::uint32_t> closed;
    std::atomic<std::uint32_t> sleeps;
    std::atomic<std::uint32_t> futex;
    std::atomic<std::uint32_t> note;
  };

  RingEnd() noexcept = default;
  /// Error: bad_argument unless the area is aligned to 64 octets and area_size of a capacity.
  base::Status attach(base::ByteSpan area, bool produces) noexcept;

  /// What the other side has moved; malformed if that cannot be.
  base::Result<std::uint32_t> peer_moved(base::Stage stage) noexcept;
  void publish(std::uint32_t count) noexcept;
  /// Sleeps until the other side has moved on from `seen`, or either closed, or the deadline.
  base::Status sleep(std::uint32_t seen, base::Deadline deadline, base::Stage stage) noexcept;
  void wake_peer() noexcept;

  enum class Stop : std::uint32_t { none, peer_died, closed };
  /// Kept where the peer cannot reach it.
  Stop stopped() const noexcept { return static_cast<Stop>(std::atomic_ref(stopped_).load(std::memory_order_seq_cst)); }
  std::size_t at(std::uint32_t count) const noexcept { return count & (data_.size() - 1); }
  /// What is told to the peer at once when more is moved: so both sides of a long transfer are busy.
  std::size_t most_at_once() const noexcept { return data_.size() / 4; }

  Block* own_ = nullptr;
  Block* peer_ = nullptr;
  base::ByteSpan data_;
  std::uint32_t moved_ = 0;
  bool produces_ = false;
  bool broken_ = false;

 private:
  bool nothing_new(std::uint32_t seen) const noexcept;
  void stop(Stop why) noexcept;

  base::Spin spin_;
  Bell ring_ = nullptr;
  const void* bell_ = nullptr;
  mutable std::uint32_t stopped_ = 0;
};

/// The end that sends. Errors (stage send): lost (the consumer closed or died), cancelled (this end was closed),
/// malformed, timed_out, would_block (Deadline::now()).
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
  /// Sends all of a gather list. The consumer is told of all that there is room for at once, up to a quarter of the
  /// capacity.
  base::Status sendv_n(std::span<const ConstIoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* sent = nullptr) noexcept;

 private:
  base::Result<std::size_t> room(std::uint32_t& taken) noexcept;
  void put(std::size_t ahead, base::ConstByteSpan piece) noexcept;
};

/// The end that receives. Errors (stage receive): cancelled (this end was closed, and what had come by then is read),
/// lost (the producer died and all is read), malformed, timed_out, would_block (Deadline::now()).
class CORBEL_API RingConsumer : public RingEnd {
 public:
  RingConsumer() noexcept = default;
  /// Attaches to an area, which is not owned and must stay mapped. It must be new to the consumer.
  static base::Result<RingConsumer> attach(base::ByteSpan area) noexcept;

  /// Waits until something is there, and says how many octets. 0 means that the producer closed and all is read.
  base::Result<std::size_t> wait(base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Copies out what is there, at least one octet, waiting for it. 0 means that the producer closed and all is read.
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Fills all of `room`; as Stream::recv_n.
  base::Status recv_n(base::ByteSpan room, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* received = nullptr) noexcept;
  base::Status recvv_n(std::span<IoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* received = nullptr) noexcept;

 private:
  std::optional<std::uint32_t> last_;  // closed here: where the stream ends
};

}  // namespace corbel::ipc
