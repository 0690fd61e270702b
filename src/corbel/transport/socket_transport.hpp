// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "corbel/base/spin.hpp"
#include "corbel/ipc/socket_options.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// Bounds blocking operations of one direction of a socket by the socket's own time-out, which costs nothing per call:
/// it is set once and changed only when a deadline differs from it by more than a sixteenth. Used by one thread at a
/// time.
class SocketTimeout {
 public:
  /// Makes the next blocking operation end at about `deadline` (not now()): at most a sixteenth and the clock's
  /// resolution late. It may end early; then look at the deadline and prepare again. Error: timed_out.
  template <class Socket, class Option>
  base::Status prepare(Socket& socket, const Option& option, base::Deadline deadline, base::Stage stage) noexcept {
    const base::Duration left = deadline.remaining();
    if (left >= least_ && left <= most_) [[likely]]
      return {};
    return set(socket, option, left, stage);
  }

 private:
  static constexpr base::Duration kClockResolution = std::chrono::milliseconds(4);
  static constexpr base::Duration kNever = base::Duration::max();

  template <class Socket, class Option>
  [[gnu::noinline]] base::Status set(Socket& socket, const Option& option, base::Duration left,
                                     base::Stage stage) noexcept {
    if (left == base::Duration::zero()) return base::error(stage, base::Code::timed_out);
    if (auto status = socket.set(option, left == kNever ? base::Duration::zero() : left); !status) {
      return base::error(stage, status.error().code, status.error().os_error);
    }
    const base::Duration apart = left == kNever ? base::Duration::zero() : left / 17 + kClockResolution;
    least_ = std::max(left - apart, base::Duration(1));
    most_ = left + apart;
    return {};
  }

  // What the socket's time-out will do for; a fresh socket has none.
  base::Duration least_ = kNever;
  base::Duration most_ = kNever;
};

/// What carriers over a connected socket in blocking mode share: all but sending. A warm receive is one system call,
/// whatever the deadline. `SocketType`: an ipc::Stream or an ipc::PacketStream.
template <class SocketType>
class SocketTransport : public Transport {
 public:
  using Socket = SocketType;
  using Address = typename Socket::AddressType;

  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) final {
    if (spin_.enabled() && !deadline.is_now()) [[unlikely]] {
      base::Result<std::size_t> found = base::error(base::Stage::receive, base::Code::would_block);
      const auto look = [&] {
        found = receive_once(buffer, ipc::RecvFlags::dont_wait);
        return !would_block(found);
      };
      if (spin_.until(deadline, look)) return found;
    }
    return receive_asleep(buffer, deadline);
  }

  void abandon() noexcept final { socket_.close(); }
  void shutdown() noexcept final { (void)socket_.shutdown(ipc::Direction::both); }
  int handle() const noexcept final { return socket_.handle(); }
  int send_handle() const noexcept final { return socket_.handle(); }
  std::string local() const final { return text_of(socket_.local_address()); }
  std::string peer() const final {
    if constexpr (Address::kInternet) {
      if (peer_) return text_of(*peer_);
    }
    return text_of(socket_.peer_address());
  }
  /// Who it is, for peer(): the system does not say it any more when the peer has gone. Before others use it. (Of a
  /// local peer the address says nothing.)
  void set_peer(const Address& peer) {
    if constexpr (Address::kInternet) peer_ = peer;
  }
  PeerIdentity identity() const final {
    PeerIdentity identity;
    if constexpr (!Address::kInternet) {
      if (const auto peer = socket_.get(ipc::option::peer_credentials)) {
        identity.process = {peer->user, peer->group, peer->process};
      }
    }
    return identity;
  }

 protected:
  /// `scheme` must outlive the transport (a literal).
  SocketTransport(std::string_view scheme, Socket socket, const base::Spin& spin)
      : scheme_(scheme), socket_(std::move(socket)), spin_(spin) {}

  static bool would_block(const base::Result<std::size_t>& count) noexcept {
    return !count && count.error().code == base::Code::would_block;
  }
  bool spins() const noexcept { return spin_.enabled(); }
  Socket& socket() noexcept { return socket_; }
  const Socket& socket() const noexcept { return socket_; }
  /// Before a blocking send.
  base::Status prepare_send(base::Deadline deadline) noexcept {
    return send_timeout_.prepare(socket_, ipc::option::send_timeout, deadline, base::Stage::send);
  }

 private:
  base::Result<std::size_t> receive_once(base::ByteSpan buffer, ipc::RecvFlags flags) noexcept {
    auto count = socket_.recv(buffer, flags);
    if (count && *count == 0) [[unlikely]]
      return base::error(base::Stage::receive, base::Code::closed);
    return count;
  }

  base::Result<std::size_t> receive_asleep(base::ByteSpan buffer, base::Deadline deadline) {
    if (deadline.is_now()) return receive_once(buffer, ipc::RecvFlags::dont_wait);
    for (;;) {
      CORBEL_CHECK(receive_timeout_.prepare(socket_, ipc::option::receive_timeout, deadline, base::Stage::receive));
      auto count = receive_once(buffer, ipc::RecvFlags::interruptible);
      if (!would_block(count)) [[likely]]
        return count;
    }
  }

  std::string text_of(const base::Result<Address>& address) const {
    return std::string(scheme_).append("://").append(address ? address->to_string() : std::string());
  }

  struct Unknown {};

  std::string_view scheme_;
  Socket socket_;
  [[no_unique_address]] std::conditional_t<Address::kInternet, std::optional<Address>, Unknown> peer_;
  SocketTimeout send_timeout_;
  SocketTimeout receive_timeout_;
  base::Spin spin_;
};

}  // namespace corbel::transport
