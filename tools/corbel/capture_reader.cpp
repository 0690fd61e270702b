// SPDX-License-Identifier: Apache-2.0
// pcap and pcapng, as far as TCP over IPv4 and IPv6 goes.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "capture.hpp"

namespace corbel::tool {
namespace {

using base::ConstByteSpan;

constexpr std::size_t kLargestPacket = 1 << 20;
constexpr std::size_t kLargestBlock = 16 << 20;
constexpr std::size_t kMostStreams = 65'536;
constexpr std::size_t kMostEarly = 4 << 20;  // octets of one way that may wait for what is missing before them
constexpr std::size_t kMostPieces = 4096;
constexpr std::uint32_t kPcapng = 0x0a0d0d0a;

std::size_t big(ConstByteSpan octets, std::size_t at, std::size_t size) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | octets[at + i];
  return value;
}

ipc::InetAddress address(ConstByteSpan octets, std::size_t port) {
  if (octets.size() == 4) {
    sockaddr_in native{};
    native.sin_family = AF_INET;
    native.sin_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&native.sin_addr, octets.data(), 4);
    return ipc::InetAddress::from_native(reinterpret_cast<const sockaddr*>(&native), sizeof native);
  }
  sockaddr_in6 native{};
  native.sin6_family = AF_INET6;
  native.sin6_port = htons(static_cast<std::uint16_t>(port));
  std::memcpy(&native.sin6_addr, octets.data(), 16);
  return ipc::InetAddress::from_native(reinterpret_cast<const sockaddr*>(&native), sizeof native);
}

/// Where the IP packet begins in a frame of this link type; too far if there is none.
std::size_t ip_at(std::uint32_t link_type, ConstByteSpan frame) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  constexpr std::uint32_t kNull = 0, kEthernet = 1, kRaw = 101, kSll = 113, kIpv4 = 228, kIpv6 = 229, kSll2 = 276;
  switch (link_type) {
    case kNull:
      return 4;
    case kEthernet: {
      std::size_t at = 12;
      while (at + 4 <= frame.size() && (big(frame, at, 2) == 0x8100 || big(frame, at, 2) == 0x88a8)) at += 4;
      if (at + 2 > frame.size()) return kNone;
      return big(frame, at, 2) == 0x0800 || big(frame, at, 2) == 0x86dd ? at + 2 : kNone;
    }
    case kRaw:
    case 12:
    case 14:
    case kIpv4:
    case kIpv6:
      return 0;
    case kSll:
      return 16;
    case kSll2:
      return 20;
    default:
      return kNone;
  }
}

}  // namespace

CaptureReader::CaptureReader(const std::string& path) : file_(path, std::ios::binary), path_(path) {
  if (!file_ || !fill(base::ByteSpan(head_).first(4))) throw std::runtime_error("cannot read " + path);
  std::uint32_t magic = 0;
  std::memcpy(&magic, head_.data(), 4);
  const std::uint32_t turned = __builtin_bswap32(magic);
  constexpr std::uint32_t kMicro = 0xa1b2c3d4, kNano = 0xa1b23c4d;
  if (magic == kPcapng) return;
  swapped_ = turned == kMicro || turned == kNano;
  const std::uint32_t known = swapped_ ? turned : magic;
  if (known != kMicro && known != kNano) throw std::runtime_error(path + " is neither a pcap nor a pcapng file");
  nanoseconds_ = known == kNano;
}

bool CaptureReader::fill(base::ByteSpan room) {
  file_.read(reinterpret_cast<char*>(room.data()), static_cast<std::streamsize>(room.size()));
  return static_cast<std::size_t>(file_.gcount()) == room.size();
}

std::uint32_t CaptureReader::number(ConstByteSpan octets, std::size_t at, std::size_t size) const {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = (std::endian::native == std::endian::little) != swapped_ ? size - 1 - i : i;
    value = value << 8 | octets[at + place];
  }
  return value;
}

void CaptureReader::read(const std::function<void(const Piece&)>& take) {
  take_ = &take;
  std::uint32_t magic = 0;
  std::memcpy(&magic, head_.data(), 4);
  if (magic == kPcapng)
    read_pcapng(take);
  else
    read_pcap(take);
  // Octets that are missing in front of the rest of a connection will not come any more.
  for (Stream& stream : streams_) {
    for (const Way way : {Way::there, Way::back}) {
      while (!stream.flows[way == Way::there ? 0 : 1].early.empty()) {
        skip_gap(stream, way, last_);
        deliver_early(stream, way, last_);
      }
    }
  }
}

void CaptureReader::read_pcap(const std::function<void(const Piece&)>&) {
  if (!fill(base::ByteSpan(head_).subspan(4))) throw std::runtime_error(path_ + " is cut off");
  const std::uint32_t link_type = number(head_, 20, 4) & 0xffff;
  std::array<base::Octet, 16> header{};
  base::Bytes packet;
  while (fill(header)) {
    const std::uint32_t size = number(header, 8, 4);
    if (size > kLargestPacket)
      throw std::runtime_error(path_ + " is damaged: a packet of " + std::to_string(size) + " octets");
    packet.resize(size);
    if (!fill(packet)) throw std::runtime_error(path_ + " is cut off");
    const auto part = std::chrono::nanoseconds(number(header, 4, 4) * (nanoseconds_ ? 1LL : 1000LL));
    frame(link_type, packet,
          When(std::chrono::duration_cast<When::duration>(std::chrono::seconds(number(header, 0, 4)) + part)));
  }
}

bool CaptureReader::next_block(base::Bytes& block) {
  std::array<base::Octet, 8> header{};
  if (interfaces_.empty() && block.empty()) {  // the first: its type has been read
    std::copy_n(head_.begin(), 4, header.begin());
    if (!fill(base::ByteSpan(header).subspan(4))) throw std::runtime_error(path_ + " is cut off");
  } else if (!fill(header)) {
    return false;
  }
  base::Bytes start(header.begin(), header.end());
  std::uint32_t type = 0;
  std::memcpy(&type, header.data(), 4);
  if (type == kPcapng) {  // the byte order of a section is in its header
    start.resize(12);
    if (!fill(base::ByteSpan(start).subspan(8))) throw std::runtime_error(path_ + " is cut off");
    std::uint32_t order = 0;
    std::memcpy(&order, start.data() + 8, 4);
    swapped_ = order == 0x4d3c2b1a;
    if (order != 0x1a2b3c4d && !swapped_) throw std::runtime_error(path_ + " is damaged: a section in no byte order");
    interfaces_.clear();
  }
  const std::uint32_t size = number(start, 4, 4);
  if (size < start.size() + 4 || size % 4 != 0 || size > kLargestBlock)
    throw std::runtime_error(path_ + " is damaged: a block of " + std::to_string(size) + " octets");
  block = std::move(start);
  const std::size_t had = block.size();
  block.resize(size);
  if (!fill(base::ByteSpan(block).subspan(had))) throw std::runtime_error(path_ + " is cut off");
  return true;
}

void CaptureReader::read_pcapng(const std::function<void(const Piece&)>&) {
  constexpr std::uint32_t kInterface = 1, kEnhanced = 6;
  base::Bytes block;
  while (next_block(block)) {
    const std::uint32_t type = number(block, 0, 4);
    if (type == kInterface && block.size() >= 20) {
      std::uint64_t ticks = 1'000'000;
      for (std::size_t at = 16; at + 8 <= block.size() - 4;) {  // options
        const std::uint32_t code = number(block, at, 2);
        const std::uint32_t length = number(block, at + 2, 2);
        if (code == 9 && length == 1) {
          const unsigned power = block[at + 4] & 0x7f;
          ticks = 1;
          for (unsigned i = 0; i < std::min(power, (block[at + 4] & 0x80) != 0 ? 62U : 18U); ++i)
            ticks *= (block[at + 4] & 0x80) != 0 ? 2 : 10;
        }
        at += 4 + (length + 3) / 4 * 4;
      }
      if (interfaces_.size() < 1024) interfaces_.emplace_back(number(block, 8, 2), ticks);
    } else if (type == kEnhanced && block.size() >= 32) {
      const std::uint32_t interface = number(block, 8, 4);
      const std::uint32_t size = number(block, 20, 4);
      if (interface >= interfaces_.size() || size > block.size() - 32)
        throw std::runtime_error(path_ + " is damaged: a packet that does not fit its block");
      const auto [link_type, ticks] = interfaces_[interface];
      const std::uint64_t time = std::uint64_t{number(block, 12, 4)} << 32 | number(block, 16, 4);
      const auto seconds = std::chrono::seconds(std::min(time / ticks, std::uint64_t{1} << 32));
      const auto part = std::chrono::nanoseconds(
          static_cast<std::int64_t>(static_cast<double>(time % ticks) * 1e9 / static_cast<double>(ticks)));
      frame(link_type, ConstByteSpan(block).subspan(28, size),
            When(std::chrono::duration_cast<When::duration>(seconds + part)));
    }
  }
}

void CaptureReader::frame(std::uint32_t link_type, ConstByteSpan octets, When when) {
  const std::size_t at = ip_at(link_type, octets);
  if (at >= octets.size()) return;
  ConstByteSpan ip = octets.subspan(at);
  const unsigned version = ip[0] >> 4;
  const std::size_t head = version == 4 ? std::size_t{4} * (ip[0] & 15) : 40;
  if ((version != 4 && version != 6) || ip.size() < head || head < 20) return;
  constexpr base::Octet kTcp = 6;
  if (ip[version == 4 ? 9 : 6] != kTcp) return;
  if (version == 4 && (big(ip, 6, 2) & 0x3fff) != 0) return;  // a piece of a packet
  const std::size_t total = version == 4 ? big(ip, 2, 2) : 40 + big(ip, 4, 2);
  if (total > head && total < ip.size()) ip = ip.first(total);  // Ethernet pads
  const ConstByteSpan tcp = ip.subspan(head);
  if (tcp.size() < 20) return;
  const std::size_t data = std::size_t{4} * (tcp[12] >> 4);
  if (data < 20 || data > tcp.size()) return;
  const std::size_t width = version == 4 ? 4 : 16;
  const std::size_t addresses = version == 4 ? 12 : 8;
  segment({address(ip.subspan(addresses, width), big(tcp, 0, 2)),
           address(ip.subspan(addresses + width, width), big(tcp, 2, 2)), static_cast<std::uint32_t>(big(tcp, 4, 4)),
           (tcp[13] & 2) != 0, tcp.subspan(data)},
          when);
}

void CaptureReader::segment(const Segment& segment, When when) {
  last_ = when;
  const std::string from = segment.from.to_string();
  const std::string to = segment.to.to_string();
  auto found = by_ends_.find({from, to});
  Way way = Way::there;
  if (found == by_ends_.end()) {
    found = by_ends_.find({to, from});
    way = Way::back;
  }
  const bool opens = segment.syn && way == Way::there && found != by_ends_.end() &&
                     streams_[found->second].flows[0].known &&
                     segment.sequence + 1 != streams_[found->second].flows[0].next;
  if (found == by_ends_.end() || opens) {
    if (!segment.syn && segment.octets.empty()) return;
    if (streams_.size() >= kMostStreams) throw std::runtime_error(path_ + " has more connections than are read");
    way = Way::there;
    found = by_ends_.insert_or_assign({from, to}, streams_.size()).first;
    streams_.push_back({{static_cast<unsigned>(streams_.size() + 1), segment.from, segment.to}, {}});
  }
  Stream& stream = streams_[found->second];
  Flow& flow = stream.flows[way == Way::there ? 0 : 1];
  if (segment.syn || !flow.known) {
    flow.next = segment.sequence + (segment.syn ? 1U : 0U);
    flow.known = true;
  }
  if (segment.octets.empty()) return;
  const auto ahead = static_cast<std::int32_t>(segment.sequence + (segment.syn ? 1U : 0U) - flow.next);
  if (ahead > 0) {
    auto& early = flow.early[segment.sequence];
    if (early.size() < segment.octets.size()) {
      flow.early_octets += segment.octets.size() - early.size();
      early.assign(segment.octets.begin(), segment.octets.end());
    }
    if (flow.early_octets <= kMostEarly && flow.early.size() < kMostPieces) return;
    skip_gap(stream, way, when);
  } else {
    const std::size_t known = static_cast<std::size_t>(-std::int64_t{ahead});
    if (known >= segment.octets.size()) return;  // sent again
    deliver(stream, way, segment.octets.subspan(known), when);
  }
  deliver_early(stream, way, when);
}

/// Octets that are missing in front of those that came early will not come any more.
void CaptureReader::skip_gap(Stream& stream, Way way, When when) {
  Flow& flow = stream.flows[way == Way::there ? 0 : 1];
  (*take_)({stream.ends, way, {}, when});
  flow.next = std::min_element(flow.early.begin(), flow.early.end(), [&](const auto& a, const auto& b) {
                return static_cast<std::int32_t>(a.first - flow.next) < static_cast<std::int32_t>(b.first - flow.next);
              })->first;
}

void CaptureReader::deliver_early(Stream& stream, Way way, When when) {
  Flow& flow = stream.flows[way == Way::there ? 0 : 1];
  for (auto at = flow.early.begin(); at != flow.early.end();) {
    const auto distance = static_cast<std::int32_t>(at->first - flow.next);
    if (distance > 0) {
      ++at;
      continue;
    }
    const base::Bytes octets = std::move(at->second);
    flow.early.erase(at);
    flow.early_octets -= octets.size();
    const std::size_t known = static_cast<std::size_t>(-std::int64_t{distance});
    if (known < octets.size()) deliver(stream, way, ConstByteSpan(octets).subspan(known), when);
    at = flow.early.begin();
  }
}

void CaptureReader::deliver(Stream& stream, Way way, ConstByteSpan octets, When when) {
  stream.flows[way == Way::there ? 0 : 1].next += static_cast<std::uint32_t>(octets.size());
  (*take_)({stream.ends, way, octets, when});
}

}  // namespace corbel::tool
