// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/wire.hpp"

#include <concepts>

namespace corbel::transport::rudp {
namespace {

constexpr base::Octet kMagic = 0xc5;
constexpr base::Octet kEnds = 1, kAsks = 2, kSource = 4, kUnsupported = 1;
constexpr std::size_t kCheckAt = 4;
/// HELLO and OPEN are no shorter than any answer to them: who forges an address gains nothing.
constexpr std::size_t kAskingSize = 64;
/// Known to all: it is against damage. Those who forge do not know the tokens.
constexpr Key kCheckKey{0x436f7262656c2052, 0x5544502076657231};

/// Of all octets but those that it stands in.
std::uint32_t check_of(base::ConstByteSpan octets) noexcept {
  KeyedHash hash(kCheckKey);
  hash.add(octets.first(kCheckAt)).add(octets.subspan(kCheckAt + 4));
  return static_cast<std::uint32_t>(hash.result());
}

class Writer {
 public:
  explicit Writer(base::ByteSpan room, Kind kind, std::uint64_t to, base::Octet flags = 0, base::Octet ranges = 0)
      : room_(room) {
    put<base::Octet>(kMagic);
    put(static_cast<base::Octet>(kVersion << 4 | static_cast<unsigned>(kind)));
    put(flags);
    put(ranges);
    put<std::uint32_t>(0);
    put(to);
  }
  template <std::unsigned_integral T>
  Writer& put(T value) noexcept {
    for (std::size_t i = sizeof(T); i-- > 0;) room_[at_++] = static_cast<base::Octet>(value >> 8 * i);
    return *this;
  }
  Writer& put(const Offer& offer) noexcept { return put(offer.token).put(offer.datagram).put(offer.window); }
  Writer& put(const Cookie& cookie) noexcept { return put(cookie.made).put(cookie.proof); }
  /// Filled up to `least` octets.
  std::size_t finish(std::size_t least = 0) noexcept {
    while (at_ < least) room_[at_++] = 0;
    return finish_with(0);
  }
  /// So many octets follow that are there already.
  std::size_t finish_with(std::size_t size) noexcept {
    seal(room_.first(at_ + size));
    return at_ + size;
  }

 private:
  base::ByteSpan room_;
  std::size_t at_ = 0;
};

/// Reads no octet that is not there: zeros instead, and is short then.
class Reader {
 public:
  explicit Reader(base::ConstByteSpan octets) noexcept : octets_(octets) {}
  template <std::unsigned_integral T>
  T get() noexcept {
    if (octets_.size() - at_ < sizeof(T)) {
      short_ = true;
      return 0;
    }
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(std::uint64_t{value} << 8 | octets_[at_++]);
    return value;
  }
  Offer offer() noexcept {
    Offer offer;
    offer.token = get<std::uint64_t>();
    offer.datagram = get<std::uint32_t>();
    offer.window = get<std::uint32_t>();
    return offer;
  }
  Cookie cookie() noexcept {
    Cookie cookie;
    cookie.made = get<std::uint64_t>();
    cookie.proof = get<std::uint64_t>();
    return cookie;
  }
  bool is_short() const noexcept { return short_; }
  base::ConstByteSpan rest() const noexcept { return octets_.subspan(at_); }

 private:
  base::ConstByteSpan octets_;
  std::size_t at_ = 0;
  bool short_ = false;
};

/// Sizes that a peer may have.
bool makes_sense(const Offer& offer) noexcept {
  return offer.token != 0 && offer.datagram >= kSmallestDatagram && offer.window >= kSmallestDatagram;
}

bool read_segment(Reader& reader, base::Octet flags, std::size_t ranges, Segment& segment) noexcept {
  segment.position = reader.get<std::uint64_t>();
  segment.acknowledged = reader.get<std::uint64_t>();
  segment.window = reader.get<std::uint32_t>();
  segment.ends = (flags & kEnds) != 0;
  segment.asks = (flags & kAsks) != 0;
  if ((flags & kSource) != 0) segment.source = reader.get<std::uint64_t>();
  if (ranges > kMostRanges) return false;
  std::uint64_t before = segment.acknowledged;
  for (std::size_t i = 0; i < ranges; ++i) {
    Range& range = segment.ranges[i];
    range.begin = segment.acknowledged + reader.get<std::uint32_t>();
    range.end = segment.acknowledged + reader.get<std::uint32_t>();
    // In order, apart from each other, and behind a gap.
    if (range.begin <= before || range.end <= range.begin) return false;
    before = range.end;
  }
  segment.range_count = ranges;
  segment.data = reader.rest();
  // The stream would have to be centuries old: no sum of these overflows.
  constexpr std::uint64_t kFarthest = std::uint64_t{1} << 62;
  return !reader.is_short() && segment.position < kFarthest && segment.acknowledged < kFarthest;
}

}  // namespace

std::optional<Datagram> read(base::ConstByteSpan octets) noexcept {
  if (octets.size() < kHeaderSize || octets[0] != kMagic) return std::nullopt;
  if (Reader(octets.subspan(kCheckAt)).get<std::uint32_t>() != check_of(octets)) return std::nullopt;
  Datagram datagram;
  datagram.kind = static_cast<Kind>(octets[1] & 0xf);
  const base::Octet flags = octets[2];
  const std::size_t ranges = octets[3];
  Reader reader(octets.subspan(8));
  datagram.to = reader.get<std::uint64_t>();
  if (octets[1] >> 4 != kVersion) {
    // In every version a HELLO begins like this; all others follow one of this version.
    if (datagram.kind != Kind::hello || octets.size() < kAskingSize) return std::nullopt;
    datagram.offer.token = reader.get<std::uint64_t>();
    datagram.unsupported = true;
    return datagram;
  }
  bool legal = true;
  switch (datagram.kind) {
    case Kind::hello:
    case Kind::open:
      datagram.offer = reader.offer();
      if (datagram.kind == Kind::open) datagram.cookie = reader.cookie();
      legal = octets.size() >= kAskingSize && makes_sense(datagram.offer);
      break;
    case Kind::cookie:
      datagram.cookie = reader.cookie();
      break;
    case Kind::accept:
      datagram.offer = reader.offer();
      legal = makes_sense(datagram.offer);
      break;
    case Kind::refuse:
      datagram.unsupported = (flags & kUnsupported) != 0;
      break;
    case Kind::segment:
      legal = read_segment(reader, flags, ranges, datagram.segment);
      break;
    case Kind::reset:
      break;
    default:
      legal = false;
  }
  if (!legal || reader.is_short()) return std::nullopt;
  return datagram;
}

void seal(base::ByteSpan datagram) noexcept {
  const std::uint32_t check = check_of(datagram);
  for (unsigned i = 0; i < 4; ++i) datagram[kCheckAt + i] = static_cast<base::Octet>(check >> (24 - 8 * i));
}

std::size_t write_hello(base::ByteSpan room, const Offer& offer) noexcept {
  return Writer(room, Kind::hello, 0).put(offer).finish(kAskingSize);
}
std::size_t write_cookie(base::ByteSpan room, std::uint64_t to, const Cookie& cookie) noexcept {
  return Writer(room, Kind::cookie, to).put(cookie).finish();
}
std::size_t write_open(base::ByteSpan room, const Offer& offer, const Cookie& cookie) noexcept {
  return Writer(room, Kind::open, 0).put(offer).put(cookie).finish(kAskingSize);
}
std::size_t write_accept(base::ByteSpan room, std::uint64_t to, const Offer& offer) noexcept {
  return Writer(room, Kind::accept, to).put(offer).finish();
}
std::size_t write_refuse(base::ByteSpan room, std::uint64_t to, bool unsupported) noexcept {
  return Writer(room, Kind::refuse, to, unsupported ? kUnsupported : 0).finish();
}
std::size_t write_reset(base::ByteSpan room, std::uint64_t to) noexcept {
  return Writer(room, Kind::reset, to).finish();
}

std::size_t header_size(const Segment& segment) noexcept {
  return kSegmentHeaderSize + (segment.source != 0 ? 8 : 0) + 8 * segment.range_count;
}

std::size_t write_segment(base::ByteSpan room, std::uint64_t to, const Segment& segment, std::size_t size) noexcept {
  const auto flags = static_cast<base::Octet>((segment.ends ? kEnds : 0) | (segment.asks ? kAsks : 0) |
                                              (segment.source != 0 ? kSource : 0));
  Writer writer(room, Kind::segment, to, flags, static_cast<base::Octet>(segment.range_count));
  writer.put(segment.position).put(segment.acknowledged).put(segment.window);
  if (segment.source != 0) writer.put(segment.source);
  for (std::size_t i = 0; i < segment.range_count; ++i) {
    writer.put(static_cast<std::uint32_t>(segment.ranges[i].begin - segment.acknowledged));
    writer.put(static_cast<std::uint32_t>(segment.ranges[i].end - segment.acknowledged));
  }
  return writer.finish_with(size);
}

}  // namespace corbel::transport::rudp
