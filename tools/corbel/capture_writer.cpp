// SPDX-License-Identifier: Apache-2.0
// pcapng (draft-ietf-opsawg-pcapng), with raw IP packets that hold what a TCP connection would have carried.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "capture.hpp"

namespace corbel::tool {
namespace {

using base::Bytes;
using base::Octet;

constexpr std::size_t kLargestPiece = 60'000;  // an IP packet has at most 65,535 octets
constexpr std::uint8_t kFin = 1, kSyn = 2, kPush = 8, kAck = 16;

/// In this machine's byte order, as the file's header says.
template <class Number>
void put(Bytes& out, Number value) {
  std::array<Octet, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  out.insert(out.end(), raw.begin(), raw.end());
}
void put16(Bytes& out, std::size_t value) {
  out.push_back(static_cast<Octet>(value >> 8));
  out.push_back(static_cast<Octet>(value));
}
void put32(Bytes& out, std::uint32_t value) {
  put16(out, value >> 16);
  put16(out, value & 0xffff);
}

/// A block with its two lengths.
Bytes block(std::uint32_t type, const Bytes& body) {
  Bytes out;
  const std::size_t padded = (body.size() + 3) / 4 * 4;
  const auto size = static_cast<std::uint32_t>(padded + 12);
  put(out, type);
  put(out, size);
  out.insert(out.end(), body.begin(), body.end());
  out.resize(8 + padded);
  put(out, size);
  return out;
}

/// The octets of an address: 16 if `wide`, IPv4 mapped into them.
Bytes octets_of(const ipc::InetAddress& address, bool wide) {
  Bytes out;
  if (address.is_v6()) {
    sockaddr_in6 native{};
    std::memcpy(&native, address.native(), std::min<std::size_t>(sizeof native, address.size()));
    out.resize(16);
    std::memcpy(out.data(), &native.sin6_addr, 16);
    return out;
  }
  sockaddr_in native{};
  std::memcpy(&native, address.native(), std::min<std::size_t>(sizeof native, address.size()));
  if (wide) {
    out.resize(10);
    out.insert(out.end(), 2, 0xff);
  }
  out.resize(out.size() + 4);
  std::memcpy(out.data() + out.size() - 4, &native.sin_addr, 4);
  return out;
}

std::uint16_t checksum(base::ConstByteSpan first, base::ConstByteSpan second) {
  std::uint32_t sum = 0;
  std::size_t at = 0;
  for (const auto part : {first, second}) {
    for (const Octet octet : part) {
      sum += at++ % 2 == 0 ? std::uint32_t{octet} << 8 : octet;
      sum = (sum & 0xffff) + (sum >> 16);
    }
  }
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace

CaptureWriter::CaptureWriter(const std::string& path, std::uint64_t most_octets)
    : file_(path), most_octets_(most_octets) {
  Bytes section;
  put(section, std::uint32_t{0x1a2b3c4d});
  put(section, std::uint16_t{1});
  put(section, std::uint16_t{0});
  put(section, std::int64_t{-1});
  write(block(0x0a0d0d0a, section));
  Bytes interface;
  constexpr std::uint16_t kRawIp = 101;
  put(interface, kRawIp);
  put(interface, std::uint16_t{0});
  put(interface, std::uint32_t{0});
  put(interface, std::uint16_t{9});  // if_tsresol: nanoseconds
  put(interface, std::uint16_t{1});
  interface.insert(interface.end(), {9, 0, 0, 0});
  put(interface, std::uint32_t{0});
  write(block(1, interface));
  if (!written()) throw std::runtime_error("cannot write " + path);
}

void CaptureWriter::write(base::ConstByteSpan block) {
  if (written_ > most_octets_) return;
  written_ += block.size();
  if (written_ > most_octets_) {
    std::cerr << "corbel: " << file_.path() << " is full (--capture-limit); what comes is not in it\n";
    return;
  }
  pending_.append(reinterpret_cast<const char*>(block.data()), block.size());
}

bool CaptureWriter::written() {
  failed_ = !file_.write(pending_);
  pending_.clear();
  return !failed_;
}

void CaptureWriter::flush() {
  if (!written()) std::cerr << "corbel: " << file_.path() << " cannot be written any more: what comes is not in it\n";
}

bool CaptureWriter::failed() {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void CaptureWriter::packet(const Ends& ends, Way way, std::uint8_t flags, base::ConstByteSpan octets,
                           std::chrono::system_clock::time_point when) {
  const auto& from = way == Way::there ? ends.client : ends.server;
  const auto& to = way == Way::there ? ends.server : ends.client;
  const bool wide = from.is_v6() || to.is_v6();
  const Bytes source = octets_of(from, wide);
  const Bytes target = octets_of(to, wide);
  Sequence& sequence = sequences_[ends.number];
  auto& own = sequence[way == Way::there ? 0 : 1];
  const std::uint32_t other = sequence[way == Way::there ? 1 : 0];

  Bytes tcp;
  put16(tcp, from.port());
  put16(tcp, to.port());
  put32(tcp, own);
  put32(tcp, (flags & kAck) != 0 ? other : 0);
  tcp.push_back(5 << 4);
  tcp.push_back(flags);
  put16(tcp, 65535);
  put32(tcp, 0);  // checksum, urgent pointer
  tcp.insert(tcp.end(), octets.begin(), octets.end());
  own += static_cast<std::uint32_t>(octets.size()) + ((flags & (kSyn | kFin)) != 0 ? 1U : 0U);

  Bytes pseudo = source;
  pseudo.insert(pseudo.end(), target.begin(), target.end());
  constexpr std::uint8_t kTcp = 6;
  if (wide)
    put32(pseudo, static_cast<std::uint32_t>(tcp.size()));
  else
    pseudo.insert(pseudo.end(), {0, kTcp, static_cast<Octet>(tcp.size() >> 8), static_cast<Octet>(tcp.size())});
  if (wide) pseudo.insert(pseudo.end(), {0, 0, 0, kTcp});
  const std::uint16_t sum = checksum(pseudo, tcp);
  tcp[16] = static_cast<Octet>(sum >> 8);
  tcp[17] = static_cast<Octet>(sum);

  Bytes ip;
  if (wide) {
    put32(ip, 0x60000000);
    put16(ip, tcp.size());
    ip.insert(ip.end(), {kTcp, 64});
  } else {
    ip.insert(ip.end(), {0x45, 0});
    put16(ip, 20 + tcp.size());
    put32(ip, 0x00004000);  // not to be fragmented
    ip.insert(ip.end(), {64, kTcp, 0, 0});
  }
  ip.insert(ip.end(), source.begin(), source.end());
  ip.insert(ip.end(), target.begin(), target.end());
  if (!wide) {
    const std::uint16_t head = checksum(ip, {});
    ip[10] = static_cast<Octet>(head >> 8);
    ip[11] = static_cast<Octet>(head);
  }
  ip.insert(ip.end(), tcp.begin(), tcp.end());

  const auto time =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count());
  Bytes body;
  put(body, std::uint32_t{0});
  put(body, static_cast<std::uint32_t>(time >> 32));
  put(body, static_cast<std::uint32_t>(time));
  put(body, static_cast<std::uint32_t>(ip.size()));
  put(body, static_cast<std::uint32_t>(ip.size()));
  body.insert(body.end(), ip.begin(), ip.end());
  write(block(6, body));
}

/// The three packets that begin a connection, so that readers know its first octet.
void CaptureWriter::begin(const Ends& ends, std::chrono::system_clock::time_point when) {
  if (sequences_.contains(ends.number)) return;
  packet(ends, Way::there, kSyn, {}, when);
  packet(ends, Way::back, kSyn | kAck, {}, when);
  packet(ends, Way::there, kAck, {}, when);
}

void CaptureWriter::octets(const Ends& ends, Way way, base::ConstByteSpan octets,
                           std::chrono::system_clock::time_point when) {
  const std::lock_guard lock(mutex_);
  if (written_ > most_octets_ || failed_) return;
  begin(ends, when);
  while (!octets.empty()) {
    const auto piece = octets.first(std::min(octets.size(), kLargestPiece));
    packet(ends, way, kPush | kAck, piece, when);
    octets = octets.subspan(piece.size());
  }
  flush();
}

void CaptureWriter::end(const Ends& ends, Way way, std::chrono::system_clock::time_point when) {
  const std::lock_guard lock(mutex_);
  if (written_ > most_octets_ || failed_) return;
  begin(ends, when);
  packet(ends, way, kFin | kAck, {}, when);
  flush();
}

}  // namespace corbel::tool
