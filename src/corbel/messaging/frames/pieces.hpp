// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corbel/messaging/frames/tally.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// One piece of a frame that its carrier could not take at once.
struct Piece {
  std::uint32_t sequence = 0;
  std::uint32_t total = 0;   ///< octets of the frame
  std::uint32_t unit = 0;    ///< octets of every piece but the last
  std::uint32_t number = 0;  ///< from 0 on
  base::ConstByteSpan data;
  std::int64_t came = 0;  ///< when, in nanoseconds

  std::uint32_t count() const noexcept { return (total - 1) / unit + 1; }
  /// True if the numbers agree with each other.
  bool makes_sense() const noexcept;
};

/// Cuts a frame into messages of at most `most` octets. `head`: of each, of which the flags and the size are filled in;
/// and room for what pieces say besides, after `head_size` octets. Fails with too_large if `most` is too little.
base::Status cut_frame(std::span<const cdr::Segment> frame, std::span<base::Octet> head, std::size_t most,
                       base::FunctionRef<base::Status(std::span<const cdr::Segment>)> send);

/// Frames of one sender of which only a part has come, in any order. Their number and their octets are bounded, and
/// `memory` pays for what they take; of those that cannot be kept the oldest go. For the reader.
class Pieces {
 public:
  /// `born`: how many frames were begun, of all senders together.
  Pieces(Counts& counts, const cdr::Limits& limits, Memory* memory, std::uint64_t& born) noexcept
      : counts_(counts), most_octets_(limits.max_message_size), memory_(memory), born_(born) {}
  ~Pieces() { clear(); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// True if the frame is whole now: `joined` holds it then, which `memory` goes on paying for until it is used again.
  /// Fails (stage receive) with malformed if what the piece says of its frame is not what others said.
  base::Result<bool> add(const Piece& piece, Joined& joined);
  void clear() noexcept;
  /// Gives up the frames that would not be served any more, and those of which nothing has come since `silent`
  /// (nanoseconds): what is missing of them was lost.
  void give_up_old(const Tally& tally, std::int64_t silent) noexcept;

  std::size_t octets() const noexcept { return octets_; }
  /// When a frame was begun first of those that are not whole, counted in frames, from 1 on; 0: there is none.
  std::uint64_t oldest() const noexcept { return open_.empty() ? 0 : open_.front().born; }

 private:
  struct Aside {
    std::uint32_t number;
    base::Bytes data;
  };
  struct Open {
    std::uint32_t sequence;
    std::uint32_t total;
    std::uint32_t unit;
    std::uint64_t born;
    std::int64_t heard;      // when a piece came last
    std::uint32_t next = 0;  // the pieces before are in `octets`
    std::size_t paid = 0;    // for both that follow
    base::Bytes octets;
    std::vector<Aside> aside;  // later ones, in order
  };
  static constexpr std::size_t kMostOpen = 4;
  using Place = std::vector<Open>::iterator;

  static bool comes_before(const Aside& aside, std::uint32_t number) noexcept;
  Place find_or_open(const Piece& piece);
  Place find(std::uint32_t sequence) noexcept;
  bool pay(std::uint32_t sequence, std::size_t octets);
  void repay(std::size_t octets) noexcept;
  bool keep(const Piece& piece);
  bool append(std::uint32_t sequence, base::ConstByteSpan data);
  void give_up(Place open) noexcept;

  Counts& counts_;
  const std::size_t most_octets_;
  Memory* const memory_;
  std::vector<Open> open_;  // oldest first
  std::size_t octets_ = 0;
  std::uint64_t& born_;
  base::Bytes spare_;  // of a frame that has been dealt with; its octets are paid for, and a part of octets_
};

}  // namespace corbel::messaging::frames
