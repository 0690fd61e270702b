// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/transport/multicast/packets.hpp"

namespace corbel::transport::multicast {

/// Puts messages together from packets of many senders, none of which is trusted: what it keeps is bounded by octets
/// that have come, by their number for each sender and in all, and by time; never by what a packet announces. One
/// thread at a time; the counts by any.
class Reassembly {
 public:
  struct Limits {
    std::size_t message = 64U << 10;               ///< octets of one message
    std::uint32_t packets = 1024;                  ///< of one message
    std::size_t of_sender = 8;                     ///< messages that are incomplete
    std::size_t messages = 64;                     ///< those of all senders
    std::size_t octets = 1U << 20;                 ///< of these
    base::Duration age = std::chrono::seconds(2);  ///< from its first packet to come to its last
  };
  /// What was not delivered, and why.
  struct Counts {
    std::atomic<std::uint64_t> malformed{0};   ///< packets that are none, or contradict others of their message
    std::atomic<std::uint64_t> duplicates{0};  ///< packets that have come before
    std::atomic<std::uint64_t> overdue{0};     ///< messages whose rest has not come in time
    std::atomic<std::uint64_t> displaced{0};   ///< messages that made room for others
  };

  explicit Reassembly(const Limits& limits);

  /// A datagram from `from`. If it completes a message, the message's octets: in `datagram` if it was a single packet,
  /// else in here until the next call. Empty otherwise. `now`: Deadline::clock_now().
  base::ConstByteSpan take(base::ConstByteSpan datagram, const ipc::InetAddress& from, std::int64_t now);
  const Counts& counts() const noexcept { return counts_; }
  /// What is kept of messages that are not complete.
  std::size_t incomplete() const noexcept { return open_.size(); }
  std::size_t octets() const noexcept { return octets_; }

 private:
  struct Message {
    ipc::InetAddress from;
    base::Bytes id;
    std::int64_t until = 0;
    std::uint32_t of = 0;  // 0: not known
    std::uint32_t received = 0;
    std::size_t octets = 0;
    std::vector<base::Bytes> pieces;
    std::vector<bool> there;
  };
  using Messages = std::list<Message>;

  std::uint64_t name_of(const Packet& packet, const ipc::InetAddress& from) const noexcept;
  bool was_completed(std::uint64_t name) const noexcept;
  void note_completed(std::uint64_t name) noexcept;
  void forget(Messages::iterator message, std::atomic<std::uint64_t>& why) noexcept;
  void drop_overdue(std::int64_t now) noexcept;
  void make_room(const ipc::InetAddress& from, std::size_t octets) noexcept;
  Messages::iterator find(const Packet& packet, const ipc::InetAddress& from);
  bool agrees(const Message& message, const Packet& packet) const noexcept;
  void add(Message& message, const Packet& packet);
  base::ConstByteSpan complete(Messages::iterator message);

  const Limits limits_;
  const std::uint64_t seed_;
  Messages open_;  // the one that was begun first in front
  std::size_t octets_ = 0;
  base::Bytes whole_;
  std::array<std::uint64_t, 256> completed_{};  // names of the last ones: copies of their packets may still come
  std::size_t next_ = 0;                        // in these
  Counts counts_;
};

}  // namespace corbel::transport::multicast
