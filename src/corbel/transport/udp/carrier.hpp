// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "corbel/ipc/datagram.hpp"
#include "corbel/transport/packet_transport.hpp"
#include "corbel/transport/udp/bounded.hpp"
#include "corbel/transport/udp/endpoint.hpp"
#include "corbel/transport/udp/trains.hpp"

namespace corbel::transport::udp {

constexpr std::size_t kMostAside = 256;  // datagrams, of all peers that are not accepted yet

/// A datagram of a peer that has no carrier.
struct Heard {
  ipc::InetAddress from;
  ipc::InetAddress to;  ///< which address of this host
  base::Bytes octets;
};

/// A connected datagram socket, whose end this side knows alone, and datagrams that came before it was there.
class UdpSocket : public ipc::ConnectedUdp {
  using Base = ipc::ConnectedUdp;

 public:
  using AddressType = ipc::InetAddress;

  explicit UdpSocket(ipc::ConnectedUdp socket, std::deque<base::Bytes> early = {})
      : Base(std::move(socket)), state_(std::make_unique<State>()), has_early_(!early.empty()) {
    state_->early = std::move(early);
  }

  /// One datagram, never an empty one; 0 after shutdown().
  base::Result<std::size_t> recv(base::ByteSpan room, ipc::RecvFlags flags) noexcept {
    if (has_early_) [[unlikely]]
      return take_early(room);
    auto count = trains_.recv(*this, room, flags);
    if (count && *count != 0) [[likely]] {
      if (!state_->heard.load(std::memory_order_relaxed)) state_->heard.store(true, std::memory_order_relaxed);
      return count;
    }
    if (state_->ended.load(std::memory_order_acquire)) return std::size_t{0};
    // What is larger than any message is none.
    const bool too_large = !count && count.error().code == base::Code::truncated && room.size() >= kLargest;
    if (!count && !too_large) return count;
    return base::error(base::Stage::receive, base::Code::would_block);
  }
  base::Status shutdown(ipc::Direction direction) noexcept {
    state_->ended.store(true, std::memory_order_release);
    return Base::shutdown(direction);
  }
  /// Hears its peer no more: what comes from there from now on is for whoever else is bound to the same port.
  void part() noexcept;
  /// A datagram that had come before, and nobody received; would_block when none is left. By the last who has the
  /// socket.
  base::Result<base::Bytes> next_unread();
  /// True if datagrams are here that the system has no longer.
  bool has_more() const noexcept { return has_early_ || trains_.has_more(); }
  /// True if something has come since this was asked last.
  bool heard() noexcept { return state_->heard.exchange(false, std::memory_order_relaxed); }

 private:
  struct State {
    std::atomic<bool> ended{false};
    std::atomic<bool> heard{true};
    std::deque<base::Bytes> early;
  };

  base::Result<std::size_t> take_early(base::ByteSpan room) noexcept {
    const base::Bytes octets = std::move(state_->early.front());
    state_->early.pop_front();
    has_early_ = !state_->early.empty();
    if (octets.size() > room.size()) return base::error(base::Stage::receive, base::Code::truncated);
    std::memcpy(room.data(), octets.data(), octets.size());
    return octets.size();
  }

  std::unique_ptr<State> state_;
  bool has_early_;  // the reader's, and so is this
  Trains trains_;
};

class UdpCarrier;

/// The peers of one acceptor: an address has one carrier at a time. Thread-safe; outlives the acceptor in its carriers.
class Peers {
 public:
  static constexpr std::size_t kMost = 512;
  static constexpr base::Duration kSilence = std::chrono::seconds(10);

  /// `most`: so many at a time, so that forged addresses get no further; half of them for one host (ipc::subscriber).
  /// When there is no room, peers that have been silent for `silence` have to go. Then, for each peer from a host with
  /// fewer places, the one heard least recently of the host with the most has to, and where each host has one place,
  /// the one heard least recently of all, if it has been silent for a tenth of `silence`.
  explicit Peers(std::size_t most = kMost, base::Duration silence = kSilence) : most_(most), silence_(silence) {}

  /// True if `address` is unknown and there is room; if false, perhaps soon.
  bool admits(const ipc::InetAddress& address);
  void enter(const ipc::InetAddress& address, UdpCarrier& carrier);
  /// Closes the socket. What it has, and nobody read, comes to the acceptor: the peer has been told of no end. (Not
  /// from one that had to go, nor what came before the socket was there: that has been handed on already.)
  void leave(const ipc::InetAddress& address, UdpSocket& socket) noexcept;
  /// What those who left have handed on.
  std::deque<Heard> take_unread();
  /// There is no acceptor any more.
  void close() noexcept;

 private:
  struct Peer {
    UdpCarrier* carrier;
    std::int64_t heard;    // when it was seen that it had been, Deadline::clock_now()
    bool leaving = false;  // it was shut down, and counts no more
  };
  using All = std::unordered_map<ipc::InetAddress, Peer>;

  /// With the mutex, as what follows: places taken by peers that stay.
  std::size_t staying() const noexcept { return peers_.size() - leaving_; }
  std::size_t count_of(const ipc::InetAddress& host) const noexcept;
  void end_silent() noexcept;
  bool end_one_for(const ipc::InetAddress& host) noexcept;
  void end(All::value_type& peer) noexcept;
  void gone_from(const ipc::InetAddress& host) noexcept;
  bool hand_on(const ipc::InetAddress& address, const ipc::InetAddress& here, UdpSocket& socket) noexcept;

  const std::size_t most_;
  const base::Duration silence_;
  std::mutex mutex_;  // guards what follows
  All peers_;
  std::size_t leaving_ = 0;
  std::unordered_map<ipc::InetAddress, std::size_t> hosts_;  // how many stay
  base::Deadline next_look_ = base::Deadline::now();
  Bounded<Heard> unread_{kMostAside};
  bool closed_ = false;
};

/// Sends to one address and receives from it.
class UdpCarrier final : public MessageTransport<UdpSocket> {
  using Base = MessageTransport<UdpSocket>;

 public:
  UdpCarrier(UdpSocket socket, base::Duration spin)
      : MessageTransport(kScheme, std::move(socket), base::Spin(spin), kTraits) {}
  /// One that an acceptor made.
  UdpCarrier(UdpSocket socket, base::Duration spin, std::shared_ptr<Peers> peers, const ipc::InetAddress& peer)
      : UdpCarrier(std::move(socket), spin) {
    peers->enter(peer, *this);
    peers_ = std::move(peers);
    address_ = peer;
  }
  ~UdpCarrier() override {
    if (peers_ != nullptr) peers_->leave(address_, socket());
  }

  bool pending() const noexcept override { return socket().has_more(); }
  base::Result<std::size_t> send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) override;
  bool heard() noexcept { return socket().heard(); }

 private:
  bool make_batch() noexcept;
  base::Result<std::size_t> send_segments(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes);

  std::shared_ptr<Peers> peers_;
  ipc::InetAddress address_;
  std::unique_ptr<ipc::OutputBatch<ipc::InetAddress>> batch_;  // the writer's, and so are these two
  bool segments_ = false;                                      // the system cuts datagrams of one size
  unsigned singles_ = 0;                                       // to be sent by themselves, so that errors show
};

}  // namespace corbel::transport::udp
