// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/transport/rudp/keyed_hash.hpp"

/// The datagrams, all numbers big-endian. Sixteen octets begin each:
///
///     magic | version, kind | flags | ranges | check, 4 octets | token of the receiver, 8 octets
///
///     client                           server
///     HELLO   token, sizes   ------>            keeps nothing
///                            <------   COOKIE   made of the address, the token and a secret
///     OPEN    the same,      ------>            keeps a half-open connection
///             cookie
///                            <------   ACCEPT   token, sizes
///     SEGMENT                ------>            open
///
/// Each side chooses a random token, without which nothing is believed that comes to it. A position is the number of
/// octets of the stream before it; the end of the stream takes a position of its own.
namespace corbel::transport::rudp {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::size_t kSegmentHeaderSize = 36;
/// Of a UDP datagram: what every path of IPv6 takes, and all of IPv4 that are not older than 1990.
inline constexpr std::size_t kSafeDatagram = 1'232;
/// Between loopback addresses, where a datagram costs more than its octets.
inline constexpr std::size_t kLoopbackDatagram = 16'384;
inline constexpr std::size_t kSmallestDatagram = 512;
inline constexpr std::size_t kLargestDatagram = 65'000;
/// That a receiver tells of, and keeps: a segment that would begin another one is not taken.
inline constexpr std::size_t kMostRanges = 32;

enum class Kind : std::uint8_t { hello = 1, cookie, open, accept, refuse, segment, reset };

/// What each side says of itself.
struct Offer {
  std::uint64_t token = 0;
  std::uint32_t datagram = 0;  ///< octets of the largest one that it takes
  std::uint32_t window = 0;    ///< octets that it keeps for its reader
};

struct Cookie {
  std::uint64_t made = 0;  ///< by the clock of the one who made it
  std::uint64_t proof = 0;
  friend bool operator==(const Cookie&, const Cookie&) = default;
};

/// Positions from `begin` on, before `end`.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Segment {
  std::uint64_t position = 0;      ///< of the first octet of data
  std::uint64_t acknowledged = 0;  ///< all positions before this one have come
  std::uint32_t window = 0;        ///< so many octets may follow it
  bool ends = false;               ///< the stream ends behind the data
  bool asks = false;               ///< for an answer at once
  std::uint64_t source = 0;        ///< the sender's token, so that who has forgotten it can say so; 0: left out
  std::array<Range, kMostRanges> ranges{};  ///< that have come as well, behind a gap
  std::size_t range_count = 0;
  base::ConstByteSpan data;
};

/// What was read of a datagram; which members count says the kind.
struct Datagram {
  Kind kind = Kind::reset;
  std::uint64_t to = 0;
  bool unsupported = false;  ///< refuse: because of the version. hello: it is of another version
  Offer offer;               ///< hello, open, accept
  Cookie cookie;             ///< cookie, open
  Segment segment;           ///< its data are those of the datagram
};

/// Nothing if it is none, or was damaged on the way.
std::optional<Datagram> read(base::ConstByteSpan octets) noexcept;

/// Makes what was changed whole again: writes the check. `datagram`: kHeaderSize octets at least.
void seal(base::ByteSpan datagram) noexcept;

/// Writes one; how many octets. `room`: kSmallestDatagram at least.
std::size_t write_hello(base::ByteSpan room, const Offer& offer) noexcept;
std::size_t write_cookie(base::ByteSpan room, std::uint64_t to, const Cookie& cookie) noexcept;
std::size_t write_open(base::ByteSpan room, const Offer& offer, const Cookie& cookie) noexcept;
std::size_t write_accept(base::ByteSpan room, std::uint64_t to, const Offer& offer) noexcept;
std::size_t write_refuse(base::ByteSpan room, std::uint64_t to, bool unsupported) noexcept;
std::size_t write_reset(base::ByteSpan room, std::uint64_t to) noexcept;

/// Octets before the data of a segment.
std::size_t header_size(const Segment& segment) noexcept;
/// For a segment whose data, `size` octets, stand already where they belong, header_size() behind the beginning.
std::size_t write_segment(base::ByteSpan room, std::uint64_t to, const Segment& segment, std::size_t size) noexcept;

}  // namespace corbel::transport::rudp
