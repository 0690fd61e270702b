// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "corbel/base/fork.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/transport/lent_memory.hpp"

/// Memory from which a client sends without a copy, in a segment of its own beside the rings, which it makes and passes
/// to the server. A piece of a message that lies there stays there: in the ring an octet stands in for it, and a note
/// beside the slots says what for. The server gives slots back in any order.
///
/// Layout of the segment: SharedSlots, in 4,096 octets, then kSteps steps of equal size. A slot is one or more steps on
/// end, and is named by its first. An area of zeros is one in which nothing has been sent.
namespace corbel::transport::shm {

inline constexpr std::size_t kSteps = 64;
/// What all steps measure is a multiple of this.
inline constexpr std::size_t kLeastLent = kSteps * 4096;

struct SharedSlots {
  /// What a piece is, and where in the ring's stream its octet stands (RingEnd::moved()).
  struct Piece {
    std::atomic<std::uint32_t> position;
    std::atomic<std::uint32_t> slot;
    std::atomic<std::uint32_t> begin;  ///< octets behind the beginning of all steps
    std::atomic<std::uint32_t> size;
  };
  static constexpr std::uint32_t kPieces = 64;

  // The client's.
  alignas(64) std::atomic<std::uint32_t> sent;  ///< pieces in all, modulo 2^32
  Piece pieces[kPieces];                        ///< the last ones, each at its number modulo kPieces
  // The server's.
  alignas(64) std::atomic<std::uint32_t> seen;    ///< pieces in all that it has read the notes of
  std::atomic<std::uint32_t> given_back[kSteps];  ///< how often the slot that begins there was, modulo 2^32
};

/// The client's side. What the server writes decides only whether a slot is free again, or a piece is copied: one that
/// says so too early has its own data changed.
class Slots final : public LentMemory::Owner {
 public:
  /// `octets`: a multiple of kLeastLent, at most 2^30. Error: out_of_resources.
  static base::Result<base::IntrusivePtr<Slots>> create(std::size_t octets) noexcept;

  /// For the server, until close_handle().
  int handle() const noexcept { return memory_.handle(); }
  void close_handle() noexcept { memory_.close_handle(); }
  /// A slot; empty if none that is large enough is free. Any thread.
  LentMemory take(std::size_t octets) noexcept;
  /// Any thread. Others get it when the server does not look at it any more, either.
  void give_back(std::uint32_t slot) noexcept override;
  /// Says that the octet which will be sent at `position` stands for these octets; false if they have to be copied,
  /// since they are in no slot that somebody has. For the sending thread.
  bool send(const void* data, std::size_t size, std::uint32_t position) noexcept;

 private:
  explicit Slots(ipc::SharedMemory memory) noexcept;
  void reclaim() noexcept;

  ipc::SharedMemory memory_;
  SharedSlots& shared_;
  const base::ByteSpan area_;
  const std::size_t step_;
  std::uint32_t sent_ = 0;  // the sending thread's
  struct Slot {
    std::uint32_t steps = 0;  // 0: none begins here
    std::uint32_t sent = 0;   // how often it was, modulo 2^32
    bool had = false;
  };
  base::ForkMutex mutex_;  // guards what follows
  std::bitset<kSteps> used_;
  std::array<Slot, kSteps> slots_;
};

/// The server's side, of the receiving thread but for give_back(). A note is copied out once, and then checked: it can
/// name no memory but the segment's. The octets may change whenever the client likes.
class PeerSlots final : public LentMemory::Owner {
 public:
  /// Error: malformed (it is no such segment, or has more than `most` octets), out_of_resources.
  static base::Result<base::IntrusivePtr<PeerSlots>> attach(ipc::Handle handle, std::size_t most) noexcept;

  /// Octets of the stream, which is at `position`, before the one that stands for the next piece; nothing if no piece
  /// is known of. 0: it comes next. Error: malformed.
  base::Result<std::optional<std::uint32_t>> ahead(std::uint32_t position) noexcept;
  /// Of the piece that comes next: octets that have not been copied.
  std::size_t left() const noexcept { return next_->size - copied_; }
  bool is_whole() const noexcept { return copied_ == 0; }
  /// Copies as many as there is room for; gives the slot back with the last one.
  std::size_t copy(base::ByteSpan room) noexcept;
  /// The piece that comes next, which is_whole().
  LentMemory take() noexcept;
  void give_back(std::uint32_t slot) noexcept override;

 private:
  struct Piece {
    std::uint32_t position = 0;
    std::uint32_t slot = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };

  explicit PeerSlots(ipc::SharedMemory memory) noexcept;

  ipc::SharedMemory memory_;
  SharedSlots& shared_;
  const base::ByteSpan area_;
  const std::uint32_t generation_;
  std::uint32_t seen_ = 0;
  std::optional<Piece> next_;
  std::size_t copied_ = 0;
};

}  // namespace corbel::transport::shm
