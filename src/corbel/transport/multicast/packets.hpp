// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "corbel/base/bytes.hpp"

namespace corbel::transport::multicast {

/// What a packet of MIOP 1.0 says: a message is cut into packets, each of which is a datagram of its own and repeats
/// the header (MIOP::PacketHeader_1_0). Views into the datagram.
struct Packet {
  bool last = false;         ///< of its message
  std::uint32_t number = 0;  ///< from 0
  std::uint32_t of = 0;      ///< packets of the message; 0: not known yet
  base::ConstByteSpan id;    ///< of the message
  base::ConstByteSpan data;
};

/// Octets of the identifiers made here. Others may have up to 252.
inline constexpr std::size_t kIdSize = 12;
inline constexpr std::size_t kLongestId = 252;
/// Octets before the data with such an identifier: then there is no gap, about which others do not agree.
inline constexpr std::size_t kHeaderSize = 20 + kIdSize;

using MessageId = std::array<base::Octet, kIdSize>;
using Header = std::array<base::Octet, kHeaderSize>;

/// The header of one packet with `size` octets of data, at most 65,535.
Header make_header(const MessageId& id, std::uint32_t number, std::uint32_t of, std::size_t size) noexcept;

/// Reads a datagram, in either byte order, with or without a gap after the identifier; nullopt if it is none.
std::optional<Packet> read_packet(base::ConstByteSpan datagram) noexcept;

}  // namespace corbel::transport::multicast
