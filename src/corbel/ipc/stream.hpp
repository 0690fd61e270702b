// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <span>
#include <utility>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/ipc/io_vector.hpp"
#include "corbel/ipc/socket.hpp"
#include "corbel/ipc/unix_address.hpp"

namespace corbel::ipc {

/// How to send. MSG_NOSIGNAL is always added: a broken connection is an Error, never a SIGPIPE.
enum class SendFlags : int {
  none = 0,
  dont_wait = MSG_DONTWAIT,  ///< report would_block instead of waiting
  more = MSG_MORE,           ///< more follows at once: do not push a short segment yet
  interruptible = 1 << 28,   ///< report a signal as would_block instead of starting again (with a send_timeout)
};
/// How to receive.
enum class RecvFlags : int {
  none = 0,
  dont_wait = MSG_DONTWAIT,  ///< report would_block instead of waiting
  peek = MSG_PEEK,           ///< leave what is read in the queue
  wait_all = MSG_WAITALL,    ///< fill the whole buffer unless the stream ends, fails or a signal comes
  interruptible = 1 << 28,   ///< report a signal as would_block instead of starting again (with a receive_timeout)
};
constexpr SendFlags operator|(SendFlags a, SendFlags b) noexcept {
  return static_cast<SendFlags>(static_cast<int>(a) | static_cast<int>(b));
}
constexpr RecvFlags operator|(RecvFlags a, RecvFlags b) noexcept {
  return static_cast<RecvFlags>(static_cast<int>(a) | static_cast<int>(b));
}

/// Which direction of a stream to shut down.
enum class Direction : int { receive = SHUT_RD, send = SHUT_WR, both = SHUT_RDWR };

namespace detail {

/// Lists longer than this are sent or received in several system calls.
inline constexpr std::size_t kMaxVectors = 1024;
/// Not a flag of the system's: never passed on.
inline constexpr int kInterruptible = 1 << 28;

CORBEL_API base::Status send_n(int descriptor, base::ConstByteSpan data, base::Deadline deadline, std::size_t* sent);
CORBEL_API base::Status recv_n(int descriptor, base::ByteSpan room, base::Deadline deadline, std::size_t* received);
CORBEL_API base::Status sendv_n(int descriptor, std::span<ConstIoVector> list, base::Deadline deadline,
                                std::size_t* sent);
CORBEL_API base::Status recvv_n(int descriptor, std::span<IoVector> list, base::Deadline deadline,
                                std::size_t* received);
CORBEL_API base::Status make_pair(int type, Handle& first, Handle& second) noexcept;

[[gnu::always_inline]] inline base::Result<std::size_t> send(int descriptor, base::ConstByteSpan data,
                                                             int flags) noexcept {
  for (;;) {
    CORBEL_PROBE("system send");
    const ssize_t count = ::send(descriptor, data.data(), data.size(), (flags & ~kInterruptible) | MSG_NOSIGNAL);
    CORBEL_PROBE("transport adapter");
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::send);
  }
}

[[gnu::always_inline]] inline base::Result<std::size_t> recv(int descriptor, base::ByteSpan room, int flags) noexcept {
  for (;;) {
    CORBEL_PROBE("system receive");
    const ssize_t count = ::recv(descriptor, room.data(), room.size(), flags & ~kInterruptible);
    CORBEL_PROBE("transport adapter");
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::receive);
  }
}

[[gnu::always_inline]] inline base::Result<std::size_t> sendv(int descriptor, std::span<const ConstIoVector> list,
                                                              int flags) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<ConstIoVector*>(list.data());
  message.msg_iovlen = list.size() < kMaxVectors ? list.size() : kMaxVectors;
  for (;;) {
    CORBEL_PROBE("system send");
    const ssize_t count = ::sendmsg(descriptor, &message, (flags & ~kInterruptible) | MSG_NOSIGNAL);
    CORBEL_PROBE("transport adapter");
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::send);
  }
}

[[gnu::always_inline]] inline base::Result<std::size_t> recvv(int descriptor, std::span<const IoVector> list,
                                                              int flags) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<IoVector*>(list.data());
  message.msg_iovlen = list.size() < kMaxVectors ? list.size() : kMaxVectors;
  for (;;) {
    CORBEL_PROBE("system receive");
    const ssize_t count = ::recvmsg(descriptor, &message, flags & ~kInterruptible);
    CORBEL_PROBE("transport adapter");
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::receive);
  }
}

}  // namespace detail

/// A connected byte stream; made by a Connector, an Acceptor or make_stream_pair. Move-only, closes itself. One thread
/// may send while another receives; shutdown() may be called by any thread and ends both. Nothing is buffered here:
/// every operation is the system call that its C counterpart is.
///
/// Errors of sending (stage send): lost, would_block (dont_wait, a non-blocking handle, or send_timeout passed),
/// out_of_resources. Of receiving (stage receive): lost, would_block likewise.
template <class Address>
class Stream : public Socket<kStreamRole<Address>> {
  using Base = Socket<kStreamRole<Address>>;

 public:
  using AddressType = Address;
  static constexpr int kSocketType = SOCK_STREAM;
  static constexpr Role kAcceptorRole = ipc::kAcceptorRole<Address>;

  Stream() noexcept = default;
  /// Becomes owner of a connected stream socket of this family.
  explicit Stream(Handle handle) noexcept : Base(std::move(handle)) {}
  /// Gives the handle away; the stream is closed as far as it knows.
  [[nodiscard]] Handle release() noexcept { return std::move(this->handle_); }

  /// One send(2) (retried on EINTR). Number of octets sent, possibly fewer than asked for.
  base::Result<std::size_t> send(base::ConstByteSpan data, SendFlags flags = SendFlags::none) noexcept {
    return detail::send(this->handle(), data, static_cast<int>(flags));
  }
  /// One recv(2) (retried on EINTR). Number of octets received; 0 means that the peer will send no more.
  base::Result<std::size_t> recv(base::ByteSpan room, RecvFlags flags = RecvFlags::none) noexcept {
    return detail::recv(this->handle(), room, static_cast<int>(flags));
  }
  /// One sendmsg(2): a gather list in order. At most 1,024 pieces go in one call.
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list, SendFlags flags = SendFlags::none) noexcept {
    return detail::sendv(this->handle(), list, static_cast<int>(flags));
  }
  /// One recvmsg(2) into a scatter list. 0 means that the peer will send no more.
  base::Result<std::size_t> recvv(std::span<const IoVector> list, RecvFlags flags = RecvFlags::none) noexcept {
    return detail::recvv(this->handle(), list, static_cast<int>(flags));
  }

  /// Sends all of `data`. With a finite deadline it never blocks in send(2) and reports timed_out; with none() it costs
  /// one plain send(2) and a non-blocking handle or a send_timeout shows as would_block. `sent`, if given, tells how
  /// much went out, on failure too.
  base::Status send_n(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* sent = nullptr) noexcept {
    return detail::send_n(this->handle(), data, deadline, sent);
  }
  /// Fills all of `room`; deadline and `received` as for send_n. The end of the stream is closed before the first
  /// octet and lost after it.
  base::Status recv_n(base::ByteSpan room, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* received = nullptr) noexcept {
    return detail::recv_n(this->handle(), room, deadline, received);
  }
  /// Sends all of a gather list; the list is used up (its pieces are shortened as they go out).
  base::Status sendv_n(std::span<ConstIoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* sent = nullptr) noexcept {
    return detail::sendv_n(this->handle(), list, deadline, sent);
  }
  /// Fills all of a scatter list; the list is used up.
  base::Status recvv_n(std::span<IoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* received = nullptr) noexcept {
    return detail::recvv_n(this->handle(), list, deadline, received);
  }

  /// Waits until a receive or a send would not block. Errors: timed_out, would_block for Deadline::now().
  base::Status wait_readable(base::Deadline deadline) const noexcept {
    return wait_ready(this->handle(), Ready::readable, deadline, base::Stage::receive);
  }
  base::Status wait_writable(base::Deadline deadline) const noexcept {
    return wait_ready(this->handle(), Ready::writable, deadline, base::Stage::send);
  }

  /// Ends one direction or both; the handle stays open. Wakes a thread that is blocked on this stream.
  base::Status shutdown(Direction direction) noexcept {
    return ::shutdown(this->handle(), static_cast<int>(direction)) == 0 ? base::Status()
                                                                        : last_failure(base::Stage::configure);
  }
  /// Closes in the orderly way: the system delivers what was sent.
  void close() noexcept { this->handle_.reset(); }
  /// Closes so that a TCP peer sees a reset and unsent data is thrown away.
  void close_with_reset() noexcept {
    (void)this->set(option::linger, std::chrono::seconds(0));
    close();
  }

  base::Result<Address> local_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getsockname);
  }
  /// Error: lost when no longer connected.
  base::Result<Address> peer_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getpeername);
  }
};

using TcpStream = Stream<InetAddress>;
using UnixStream = Stream<UnixAddress>;

/// Two local streams connected to each other. Errors: out_of_resources.
inline base::Result<std::pair<UnixStream, UnixStream>> make_stream_pair() noexcept {
  Handle first, second;
  CORBEL_CHECK(detail::make_pair(SOCK_STREAM, first, second));
  return std::pair(UnixStream(std::move(first)), UnixStream(std::move(second)));
}

}  // namespace corbel::ipc
