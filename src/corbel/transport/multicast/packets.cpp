// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/packets.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "corbel/cdr/encoder.hpp"

namespace corbel::transport::multicast {
namespace {

constexpr std::array<base::Octet, 4> kMagic{'M', 'I', 'O', 'P'};
constexpr base::Octet kVersion = 0x10;
constexpr base::Octet kLittleEndian = 1;
constexpr base::Octet kLast = 2;
constexpr std::size_t kBeforeId = 20;

// Where the fields are.
constexpr std::size_t kVersionAt = 4, kFlagsAt = 5, kLengthAt = 6, kNumberAt = 8, kOfAt = 12, kIdSizeAt = 16;

template <class Number>
Number get(base::ConstByteSpan octets, std::size_t at, bool swapped) noexcept {
  Number value;
  std::memcpy(&value, octets.data() + at, sizeof value);
  return swapped ? cdr::byte_swap(value) : value;
}

template <class Number>
void put(Header& header, std::size_t at, Number value) noexcept {
  std::memcpy(header.data() + at, &value, sizeof value);
}

}  // namespace

Header make_header(const MessageId& id, std::uint32_t number, std::uint32_t of, std::size_t size) noexcept {
  Header header{};
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  header[kVersionAt] = kVersion;
  header[kFlagsAt] = static_cast<base::Octet>((std::endian::native == std::endian::little ? kLittleEndian : 0) |
                                              (number + 1 == of ? kLast : 0));
  put(header, kLengthAt, static_cast<std::uint16_t>(size));
  put(header, kNumberAt, number);
  put(header, kOfAt, of);
  put(header, kIdSizeAt, static_cast<std::uint32_t>(kIdSize));
  std::copy(id.begin(), id.end(), header.begin() + kBeforeId);
  return header;
}

std::optional<Packet> read_packet(base::ConstByteSpan datagram) noexcept {
  if (datagram.size() < kBeforeId || !std::equal(kMagic.begin(), kMagic.end(), datagram.begin())) return {};
  if (datagram[kVersionAt] != kVersion) return {};
  const bool little = (datagram[kFlagsAt] & kLittleEndian) != 0;
  const bool swapped = little != (std::endian::native == std::endian::little);
  const auto size = get<std::uint16_t>(datagram, kLengthAt, swapped);
  const auto id_size = get<std::uint32_t>(datagram, kIdSizeAt, swapped);
  if (id_size > kLongestId || datagram.size() - kBeforeId < id_size) return {};
  Packet packet;
  packet.last = (datagram[kFlagsAt] & kLast) != 0;
  packet.number = get<std::uint32_t>(datagram, kNumberAt, swapped);
  packet.of = get<std::uint32_t>(datagram, kOfAt, swapped);
  packet.id = datagram.subspan(kBeforeId, id_size);
  const std::size_t plain = kBeforeId + id_size;
  const std::size_t aligned = (plain + 7) / 8 * 8;
  const bool gap = datagram.size() != plain + size;
  if (gap && datagram.size() != aligned + size) return {};
  packet.data = datagram.last(size);
  return packet;
}

}  // namespace corbel::transport::multicast
