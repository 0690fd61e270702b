// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/carriers.hpp"

#include <cstring>
#include <new>
#include <random>

namespace corbel::transport::multicast {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kLargestDatagram = 65'507;
constexpr std::size_t kMostPieces = 1023;  // of one message that is sent from where it lies; and a header
constexpr unsigned kMostAtOnce = 64;       // datagrams looked at before the clock

/// True if so many datagrams were no message that the time is over: a flood of them never ends by itself.
bool is_enough(unsigned looked, base::Deadline deadline) noexcept {
  return looked >= kMostAtOnce && (deadline.is_now() || deadline.expired());
}

base::Error nothing_by(base::Deadline deadline) noexcept {
  return base::error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
}

/// Data that fit into one packet of an Ethernet beside the headers of IP, UDP and MIOP.
std::size_t most_data(const ipc::InetAddress& group) noexcept {
  return group.is_v6() ? 1416 : 1440;
}

MessageId random_id() {
  std::random_device device;
  MessageId id{};
  for (std::size_t i = 0; i < 8; i += 4) {
    const std::uint32_t word = device();
    std::memcpy(id.data() + i, &word, sizeof word);
  }
  return id;
}

std::string text(const ipc::InetAddress& address) {
  return std::string(kScheme) + "://" + address.to_string();
}

}  // namespace

base::Result<std::size_t> GroupSocket::receive(base::ByteSpan room, ipc::InetAddress& from,
                                               base::Deadline deadline) noexcept {
  for (;;) {
    auto size = socket_.recv_from(room, from, ipc::RecvFlags::dont_wait);
    if (ended_.load(std::memory_order_acquire)) return base::error(Stage::receive, Code::closed);
    if (size || size.error().code != Code::would_block || deadline.is_now()) return size;
    if (auto ready = socket_.wait_readable(deadline); !ready) return ready.error();
  }
}

GroupSender::GroupSender(ipc::MulticastSocket socket, const ipc::InetAddress& group)
    : socket_(std::move(socket)),
      group_(group),
      most_data_(most_data(group)),
      local_(text(socket_.socket().local_address() ? *socket_.socket().local_address() : ipc::InetAddress())),
      peer_(text(group)),
      id_(random_id()),
      batch_((kLargest + most_data_ - 1) / most_data_) {}

base::Result<std::size_t> GroupSender::send(std::span<const cdr::Segment> data, base::Deadline deadline) try {
  std::size_t size = 0;
  for (const cdr::Segment& segment : data) size += segment.size;
  if (size > kLargest) return base::error(Stage::send, Code::too_large);
  if (size == 0) return size;
  if (data.size() <= kMostPieces) {
    cut(data, size);
    return send_packets(size, deadline);
  }
  joined_.clear();
  for (const cdr::Segment& segment : data) {
    const auto* octets = static_cast<const base::Octet*>(segment.data);
    joined_.insert(joined_.end(), octets, octets + segment.size);
  }
  const cdr::Segment whole{joined_.data(), size};
  cut({&whole, 1}, size);
  return send_packets(size, deadline);
} catch (const std::bad_alloc&) {
  return base::error(Stage::send, Code::out_of_resources);
}

/// Lays out the packets of a message; warm, it takes no memory.
void GroupSender::cut(std::span<const cdr::Segment> data, std::size_t size) {
  const auto of = static_cast<std::uint32_t>((size + most_data_ - 1) / most_data_);
  ++messages_;
  std::memcpy(id_.data() + 8, &messages_, sizeof messages_);
  pieces_.clear();
  ends_.clear();
  headers_.resize(of);   // they stay where they are from here on
  std::size_t left = 0;  // of the packet at hand
  std::size_t rest = size;
  for (const cdr::Segment& segment : data) {
    const auto* octets = static_cast<const base::Octet*>(segment.data);
    for (std::size_t at = 0; at < segment.size;) {
      if (left == 0) {
        if (rest != size) ends_.push_back(pieces_.size());
        const auto number = static_cast<std::uint32_t>((size - rest) / most_data_);
        left = std::min(rest, most_data_);
        headers_[number] = make_header(id_, number, of, left);
        pieces_.emplace_back(base::ConstByteSpan(headers_[number]));
      }
      const std::size_t part = std::min(left, segment.size - at);
      pieces_.emplace_back(base::ConstByteSpan(octets + at, part));
      at += part;
      left -= part;
      rest -= part;
    }
  }
  ends_.push_back(pieces_.size());
}

/// Once one packet has left, an error with those behind it counts as a loss on the way.
base::Result<std::size_t> GroupSender::send_packets(std::size_t size, base::Deadline deadline) {
  const std::span<const ipc::ConstIoVector> pieces(pieces_);
  if (ends_.size() == 1) {
    CORBEL_CHECK(socket_.socket().sendv_to(pieces, group_, deadline));
    return size;
  }
  batch_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    (void)batch_.add(pieces.subspan(begin, end - begin), group_);
    begin = end;
  }
  while (batch_.size() != 0) {
    auto sent = socket_.socket().send_batch(batch_, deadline);
    const bool begun = batch_.size() != ends_.size();
    if (!sent && begun && (sent.error().code == Code::would_block || sent.error().code == Code::timed_out)) break;
    if (!sent) return sent;
    batch_.drop(*sent);
  }
  return size;
}

base::Result<std::size_t> GroupSender::receive(base::ByteSpan buffer, base::Deadline deadline) {
  for (unsigned looked = 0; !is_enough(looked, deadline); ++looked) {
    ipc::InetAddress from;
    const auto size = socket_.receive(buffer, from, deadline);
    if (!size && size.error().code != Code::truncated) return size.error();
  }
  return nothing_by(deadline);
}

base::Result<std::size_t> GroupEar::receive(base::ByteSpan buffer, base::Deadline deadline) try {
  if (buffer.size() < kLargestDatagram && room_.empty()) room_.resize(kLargestDatagram);
  const base::ByteSpan room = buffer.size() < kLargestDatagram ? base::ByteSpan(room_) : buffer;
  for (unsigned looked = 0; !is_enough(looked, deadline); ++looked) {
    ipc::InetAddress from;
    const auto size = socket_.receive(room, from, deadline);
    if (!size) {
      if (size.error().code == Code::truncated) continue;
      return size.error();
    }
    const auto message = reassembly_.take(room.first(*size), from, base::Deadline::clock_now());
    if (message.empty()) continue;
    if (message.size() > buffer.size()) return base::error(Stage::receive, Code::truncated);
    std::memmove(buffer.data(), message.data(), message.size());
    return message.size();
  }
  return nothing_by(deadline);
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources);
}

}  // namespace corbel::transport::multicast
