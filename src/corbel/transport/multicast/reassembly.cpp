// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/reassembly.hpp"

#include <algorithm>
#include <random>

namespace corbel::transport::multicast {
namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) ^ device();
}

void count(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Reassembly::Reassembly(const Limits& limits) : limits_(limits), seed_(random_seed()) {}

base::ConstByteSpan Reassembly::take(base::ConstByteSpan datagram, const ipc::InetAddress& from, std::int64_t now) {
  const auto packet = read_packet(datagram);
  const bool sound =
      packet && packet->number < limits_.packets && packet->of <= limits_.packets &&
      (packet->of == 0 || (packet->number < packet->of && packet->last == (packet->number + 1 == packet->of)));
  if (!sound || packet->data.size() > limits_.message) {
    count(counts_.malformed);
    return {};
  }
  const std::uint64_t name = name_of(*packet, from);
  if (was_completed(name)) {
    count(counts_.duplicates);
    return {};
  }
  drop_overdue(now);
  if (packet->number == 0 && packet->last) {
    note_completed(name);
    return packet->data;
  }
  auto message = find(*packet, from);
  if (message == open_.end()) {
    make_room(from, packet->data.size());
    message = open_.insert(open_.end(), Message{});
    message->from = from;
    message->id.assign(packet->id.begin(), packet->id.end());
    message->until = now + limits_.age.count();
  } else if (packet->number < message->there.size() && message->there[packet->number]) {
    count(counts_.duplicates);
    return {};
  }
  if (!agrees(*message, *packet)) {
    forget(message, counts_.malformed);
    return {};
  }
  add(*message, *packet);
  while (octets_ > limits_.octets && open_.begin() != message) forget(open_.begin(), counts_.displaced);
  if (message->of == 0 || message->received < message->of) return {};
  note_completed(name);
  return complete(message);
}

/// A number for sender and message, which no sender can foresee; never 0.
std::uint64_t Reassembly::name_of(const Packet& packet, const ipc::InetAddress& from) const noexcept {
  std::uint64_t hash = seed_ ^ (from.hash() * 0x9e3779b97f4a7c15ULL);
  for (const base::Octet octet : packet.id) {
    hash = (hash ^ octet) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  }
  return hash | 1;
}

bool Reassembly::was_completed(std::uint64_t name) const noexcept {
  return std::find(completed_.begin(), completed_.end(), name) != completed_.end();
}

void Reassembly::note_completed(std::uint64_t name) noexcept {
  completed_[next_++ % completed_.size()] = name;
}

void Reassembly::forget(Messages::iterator message, std::atomic<std::uint64_t>& why) noexcept {
  count(why);
  octets_ -= message->octets;
  open_.erase(message);
}

void Reassembly::drop_overdue(std::int64_t now) noexcept {
  while (!open_.empty() && open_.front().until < now) forget(open_.begin(), counts_.overdue);
}

/// A sender displaces its own messages, the oldest first. If there are too many in all, the oldest of all goes: an
/// honest sender's message is complete soon.
void Reassembly::make_room(const ipc::InetAddress& from, std::size_t octets) noexcept {
  const auto is_theirs = [&](const Message& message) { return message.from == from; };
  const auto own = std::count_if(open_.begin(), open_.end(), is_theirs);
  if (static_cast<std::size_t>(own) >= limits_.of_sender) {
    forget(std::find_if(open_.begin(), open_.end(), is_theirs), counts_.displaced);
  }
  while (!open_.empty() && (open_.size() >= limits_.messages || octets_ + octets > limits_.octets)) {
    forget(open_.begin(), counts_.displaced);
  }
}

Reassembly::Messages::iterator Reassembly::find(const Packet& packet, const ipc::InetAddress& from) {
  return std::find_if(open_.begin(), open_.end(), [&](const Message& message) {
    return message.from == from && std::equal(packet.id.begin(), packet.id.end(), message.id.begin(), message.id.end());
  });
}

/// All packets of a message say the same about how many there are.
bool Reassembly::agrees(const Message& message, const Packet& packet) const noexcept {
  const std::uint32_t of = packet.of != 0 ? packet.of : packet.last ? packet.number + 1 : 0;
  if (of != 0 && message.of != 0 && of != message.of) return false;
  const std::uint32_t known = of != 0 ? of : message.of;
  const std::size_t highest = std::max<std::size_t>(message.there.size(), packet.number + std::size_t{1});
  if (known != 0 && highest > known) return false;
  return message.octets + packet.data.size() <= limits_.message;
}

void Reassembly::add(Message& message, const Packet& packet) {
  if (packet.of != 0) message.of = packet.of;
  if (packet.last) message.of = packet.number + 1;
  // In this order: if memory runs out, nothing is said to be there that is not.
  if (message.there.size() <= packet.number) {
    message.pieces.resize(packet.number + std::size_t{1});
    message.there.resize(packet.number + std::size_t{1});
  }
  message.pieces[packet.number].assign(packet.data.begin(), packet.data.end());
  message.there[packet.number] = true;
  message.octets += packet.data.size();
  octets_ += packet.data.size();
  ++message.received;
}

base::ConstByteSpan Reassembly::complete(Messages::iterator message) {
  whole_.clear();
  whole_.reserve(message->octets);
  for (const base::Bytes& piece : message->pieces) whole_.insert(whole_.end(), piece.begin(), piece.end());
  octets_ -= message->octets;
  open_.erase(message);
  return whole_;
}

}  // namespace corbel::transport::multicast
