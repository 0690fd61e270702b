// SPDX-License-Identifier: Apache-2.0
// One direction of a line: packets leave one after the other, as long as their octets take, and arrive later by what
// the distance takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace line {

/// What a line is like.
struct Nature {
  double bits_per_second = 0;
  std::uint64_t delay_ns = 0;  ///< propagation
  std::size_t overhead = 0;    ///< octets that framing adds to a packet
  std::size_t least = 0;       ///< octets that a frame has at least
  bool in_cells = false;       ///< frames go in cells of 53 octets with 48 of theirs each
  std::size_t queue = 0;       ///< octets that may wait to be sent; what comes then is lost
};

/// Octets that a packet takes on the line.
std::size_t octets_on(const Nature& nature, std::size_t packet);

/// Used by one thread. Times are nanoseconds of one clock that never goes back.
class Wire {
 public:
  explicit Wire(const Nature& nature) : nature_(nature) {}

  /// A packet comes in at `now`. False if there was no room for it.
  bool put(std::vector<char> packet, std::uint64_t now);
  /// When the next packet comes out; nothing if none is under way.
  std::optional<std::uint64_t> next() const;
  /// The next packet; one must be under way.
  std::vector<char> take();

  /// What has gone over it: packets, and octets without and with framing.
  std::uint64_t packets() const noexcept { return packets_; }
  std::uint64_t octets() const noexcept { return octets_; }
  std::uint64_t framed() const noexcept { return framed_; }

 private:
  struct Sent {
    std::uint64_t leaves;  ///< when its last octet is on the line
    std::vector<char> packet;
  };

  Nature nature_;
  std::deque<Sent> under_way_;
  std::uint64_t free_ = 0;  ///< when the line has sent all
  std::uint64_t packets_ = 0;
  std::uint64_t octets_ = 0;
  std::uint64_t framed_ = 0;
};

}  // namespace line
