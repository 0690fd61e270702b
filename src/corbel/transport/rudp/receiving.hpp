// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/transport/rudp/gap_memory.hpp"
#include "corbel/transport/rudp/wire.hpp"

namespace corbel::transport::rudp {

/// The receiving half of a conversation: puts octets into order, and keeps them until they are read. What it keeps is
/// bounded by its capacity, whatever comes, and lies in chunks that come and go with the octets. Not thread-safe.
class Receiving {
 public:
  static constexpr std::size_t kChunk = 8U << 10;  // octets

  /// `capacity`: octets. `gaps`: pays for what comes behind gaps; null: nobody counts it.
  explicit Receiving(std::size_t capacity, std::shared_ptr<GapMemory> gaps = nullptr) noexcept
      : capacity_(capacity), gaps_(std::move(gaps)) {}
  ~Receiving() { pay(0); }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

  enum class Arrival : std::uint8_t {
    in_order,  ///< and what had come behind it is so now
    apart,     ///< behind a gap
    again,     ///< all of it had come
    refused,   ///< there is no room, or the stream has ended before it
    unpaid,    ///< behind a gap, and others hold all the memory for that: it has to be sent again
  };
  Arrival take(std::uint64_t position, base::ConstByteSpan data, bool ends);
  /// Octets in order, as many as there are room and octets.
  std::size_t read(base::ByteSpan room) noexcept;
  /// What comes from now on is forgotten; what is in order already can still be read.
  void refuse_more() noexcept;
  /// Nobody reads any more: that is forgotten, too.
  void discard() noexcept;

  bool is_readable() const noexcept { return read_ < readable_end(); }
  /// All octets up to the end have come.
  bool has_ended() const noexcept { return next_ > end_; }
  /// All positions before have come.
  std::uint64_t next() const noexcept { return next_; }
  /// Octets that may follow.
  std::uint32_t window() const noexcept { return static_cast<std::uint32_t>(edge() - octets_end()); }
  std::uint64_t edge() const noexcept { return (forgets() ? octets_end() : read_) + capacity_; }
  std::size_t capacity() const noexcept { return capacity_; }
  /// What has come behind gaps, in order.
  std::span<const Range> ranges() const noexcept { return ranges_; }
  /// Octets of the account that it takes.
  std::size_t paid() const noexcept { return paid_; }
  /// Octets of the chunks that it holds.
  std::size_t held() const noexcept;

 private:
  static constexpr std::uint64_t kOpen = UINT64_MAX;
  using Chunk = std::unique_ptr<base::Octet[]>;

  std::uint64_t octets_end() const noexcept { return has_ended() ? end_ : next_; }
  std::uint64_t readable_end() const noexcept { return std::min(octets_end(), kept_); }
  bool forgets() const noexcept { return kept_ != kOpen; }
  bool has_place_for(const Range& range) const noexcept;
  void remember(Range range);
  void store(std::uint64_t position, base::ConstByteSpan octets);
  Chunk& chunk_of(std::uint64_t position) noexcept { return chunks_[position / kChunk % chunks_.size()]; }
  std::size_t octets_apart() const noexcept;
  void pay(std::size_t octets) noexcept;

  const std::size_t capacity_;
  const std::shared_ptr<GapMemory> gaps_;
  std::size_t paid_ = 0;       // to it
  std::vector<Chunk> chunks_;  // null: no octets that are still to be read; empty: none have come yet
  Chunk spare_;                // what was read last, for what comes next
  std::uint64_t read_ = 0;     // before this, the reader has them
  std::uint64_t next_ = 0;
  std::uint64_t end_ = kOpen;   // of the stream, once it is known: the position that the end takes
  std::uint64_t kept_ = kOpen;  // octets before this are for the reader
  std::vector<Range> ranges_;   // apart from each other, behind next_
};

}  // namespace corbel::transport::rudp
