// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <span>
#include <utility>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/message_io.hpp"

namespace corbel::ipc {

/// A local connection that keeps message boundaries (SOCK_SEQPACKET): reliable and in order like a stream, one receive
/// per send like a datagram. Made by a PacketConnector, a PacketAcceptor or make_packet_pair. Move-only, closes itself.
/// One thread may send while another receives.
///
/// A message is sent whole or not at all. Errors of sending (stage send): too_large (send_buffer says how large one may
/// be), bad_argument (empty: the peer would take it for the end), lost, would_block, timed_out. Of receiving (stage
/// receive): closed when the peer will send no more (lost if it had not read all that it was sent), each behind all
/// that it sent; truncated when a message was longer than the room for it (whose beginning is there, the rest is gone),
/// lost, would_block, timed_out.
class PacketStream : public Socket<Role::unix_packet> {
  using Base = Socket<Role::unix_packet>;

 public:
  using AddressType = UnixAddress;
  static constexpr int kSocketType = SOCK_SEQPACKET;
  static constexpr Role kAcceptorRole = Role::unix_packet_acceptor;

  PacketStream() noexcept = default;
  /// Becomes owner of a connected sequenced-packet socket.
  explicit PacketStream(Handle handle) noexcept : Base(std::move(handle)) {}
  [[nodiscard]] Handle release() noexcept { return std::move(handle_); }

  /// One send(2).
  base::Result<std::size_t> send(base::ConstByteSpan message, SendFlags flags = SendFlags::none) noexcept {
    if (message.empty()) return empty_message();
    return detail::send(handle(), message, static_cast<int>(flags));
  }
  base::Result<std::size_t> send(base::ConstByteSpan message, base::Deadline deadline) noexcept {
    const ConstIoVector one(message);
    return sendv({&one, 1}, deadline);
  }
  /// One sendmsg(2): a message gathered from at most 1,024 pieces.
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    std::size_t size = 0;
    for (const ConstIoVector& piece : list) size += piece.size();
    if (size == 0) return empty_message();
    return detail::until(deadline, handle(), Ready::writable,
                         [&](int flags) { return detail::sendv_message(handle(), list, flags); });
  }
  /// The same in one system call, whatever the flags.
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list, SendFlags flags) noexcept {
    return detail::sendv_message(handle(), list, static_cast<int>(flags));
  }
  /// One recv(2): the size of the message.
  base::Result<std::size_t> recv(base::ByteSpan room, RecvFlags flags = RecvFlags::none) noexcept {
    return to_the_end([&] { return detail::recv_message(handle(), room, static_cast<int>(flags)); });
  }
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline) noexcept {
    const IoVector one(room);
    return recvv({&one, 1}, deadline);
  }
  /// One recvmsg(2): a message scattered into at most 1,024 pieces.
  base::Result<std::size_t> recvv(std::span<const IoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    return to_the_end([&] {
      return detail::until(deadline, handle(), Ready::readable,
                           [&](int flags) { return detail::recvv_message(handle(), list, flags); });
    });
  }
  /// The size of the message that comes next, which stays in the queue.
  base::Result<std::size_t> next_size(base::Deadline deadline = base::Deadline::none()) const noexcept {
    return to_the_end([&] {
      return detail::until(deadline, handle(), Ready::readable,
                           [&](int flags) { return detail::next_size(handle(), flags); });
    });
  }

  base::Status wait_readable(base::Deadline deadline) const noexcept {
    return wait_ready(handle(), Ready::readable, deadline, base::Stage::receive);
  }
  base::Status wait_writable(base::Deadline deadline) const noexcept {
    return wait_ready(handle(), Ready::writable, deadline, base::Stage::send);
  }
  /// Ends one direction or both; wakes a thread that is blocked on this connection.
  base::Status shutdown(Direction direction) noexcept {
    return ::shutdown(handle(), static_cast<int>(direction)) == 0 ? base::Status()
                                                                  : last_failure(base::Stage::configure);
  }
  void close() noexcept { handle_.reset(); }

  base::Result<UnixAddress> local_address() const noexcept {
    return detail::socket_name<UnixAddress>(handle(), ::getsockname);
  }
  base::Result<UnixAddress> peer_address() const noexcept {
    return detail::socket_name<UnixAddress>(handle(), ::getpeername);
  }

 private:
  static base::Error empty_message() noexcept { return base::error(base::Stage::send, base::Code::bad_argument); }
  /// That the peer closed with messages unread Linux tells once, and before what it had sent; of a stream it tells that
  /// last, and so does this.
  template <class Receive>
  [[gnu::always_inline]] base::Result<std::size_t> to_the_end(Receive receive) const noexcept {
    base::Result<std::size_t> count = receive();
    if (!count && count.error().os_error == ECONNRESET && !was_reset_) [[unlikely]] {
      was_reset_ = true;
      count = receive();  // does not wait: nothing more can come
    }
    if (count && *count == 0) [[unlikely]] {
      if (was_reset_) return base::error(base::Stage::receive, base::Code::lost, ECONNRESET);
      return base::error(base::Stage::receive, base::Code::closed);
    }
    return count;
  }

  mutable bool was_reset_ = false;  // of the side that receives
};

using PacketAcceptor = Acceptor<UnixAddress, PacketStream>;
using PacketConnector = Connector<UnixAddress, PacketStream>;

/// Two ends connected to each other. Errors: out_of_resources.
inline base::Result<std::pair<PacketStream, PacketStream>> make_packet_pair() noexcept {
  Handle first, second;
  CORBEL_CHECK(detail::make_pair(SOCK_SEQPACKET, first, second));
  return std::pair(PacketStream(std::move(first)), PacketStream(std::move(second)));
}

}  // namespace corbel::ipc
