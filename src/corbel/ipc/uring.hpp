// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

namespace corbel::ipc {

/// Whether this system lets this thread use io_uring(7). Error: unsupported (stage configure) with what the kernel
/// said: ENOSYS (too old), EPERM (switched off by sysctl kernel.io_uring_disabled, or by a sandbox).
CORBEL_API base::Status uring_available() noexcept;

namespace detail {

/// One operation as io_uring wants it; the fields are those of its submission queue entry.
struct UringOperation {
  std::uint8_t opcode;
  int descriptor;
  const void* address;
  std::uint32_t length;
  std::uint64_t offset;
  std::uint32_t flags;
};
CORBEL_API UringOperation uring_send(int descriptor, base::ConstByteSpan data) noexcept;
CORBEL_API UringOperation uring_recv(int descriptor, base::ByteSpan room) noexcept;
CORBEL_API UringOperation uring_sendv(int descriptor, const msghdr& message) noexcept;
CORBEL_API UringOperation uring_recvv(int descriptor, msghdr& message) noexcept;
CORBEL_API UringOperation uring_poll(int descriptor, Ready ready) noexcept;
/// Submits the operation and waits for its end, in one system call on the ring of the calling thread.
CORBEL_API base::Result<std::size_t> perform(const UringOperation& operation, base::Deadline deadline,
                                             base::Stage stage) noexcept;

CORBEL_API base::Status uring_send_n(int descriptor, std::span<ConstIoVector> list, base::Deadline deadline,
                                     std::size_t* sent) noexcept;
CORBEL_API base::Status uring_recv_n(int descriptor, std::span<IoVector> list, base::Deadline deadline,
                                     std::size_t* received) noexcept;
CORBEL_API base::Result<Handle> uring_accept(int descriptor, base::Deadline deadline) noexcept;
CORBEL_API base::Result<Handle> uring_connect(const ConnectParameters& parameters, base::Deadline deadline) noexcept;

}  // namespace detail

/// A connected byte stream whose operations go through io_uring(7) instead of the socket calls: the other network
/// programming interface, with the interface of Stream, so that one template takes either. Each operation is one
/// io_uring_enter(2) on a ring that belongs to the calling thread (made with its first operation, gone with the
/// thread). Threads, errors and ends of stream as Stream; unsupported (stage configure) where io_uring is forbidden.
template <class Address>
class UringStream : public Socket<kStreamRole<Address>> {
  using Base = Socket<kStreamRole<Address>>;

 public:
  using AddressType = Address;
  static constexpr int kSocketType = SOCK_STREAM;
  static constexpr Role kAcceptorRole = ipc::kAcceptorRole<Address>;

  UringStream() noexcept = default;
  /// Becomes owner of a connected stream socket of this family (Stream::release gives one).
  explicit UringStream(Handle handle) noexcept : Base(std::move(handle)) {}
  [[nodiscard]] Handle release() noexcept { return std::move(this->handle_); }

  base::Result<std::size_t> send(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none()) noexcept {
    return detail::perform(detail::uring_send(this->handle(), data), deadline, base::Stage::send);
  }
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline = base::Deadline::none()) noexcept {
    return detail::perform(detail::uring_recv(this->handle(), room), deadline, base::Stage::receive);
  }
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    msghdr message{};
    message.msg_iov = const_cast<ConstIoVector*>(list.data());
    message.msg_iovlen = list.size() < detail::kMaxVectors ? list.size() : detail::kMaxVectors;
    return detail::perform(detail::uring_sendv(this->handle(), message), deadline, base::Stage::send);
  }
  base::Result<std::size_t> recvv(std::span<const IoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    msghdr message{};
    message.msg_iov = const_cast<IoVector*>(list.data());
    message.msg_iovlen = list.size() < detail::kMaxVectors ? list.size() : detail::kMaxVectors;
    return detail::perform(detail::uring_recvv(this->handle(), message), deadline, base::Stage::receive);
  }
  base::Status send_n(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* sent = nullptr) noexcept {
    ConstIoVector one(data);
    return detail::uring_send_n(this->handle(), {&one, 1}, deadline, sent);
  }
  base::Status recv_n(base::ByteSpan room, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* received = nullptr) noexcept {
    IoVector one(room);
    return detail::uring_recv_n(this->handle(), {&one, 1}, deadline, received);
  }
  base::Status sendv_n(std::span<ConstIoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* sent = nullptr) noexcept {
    return detail::uring_send_n(this->handle(), list, deadline, sent);
  }
  base::Status recvv_n(std::span<IoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* received = nullptr) noexcept {
    return detail::uring_recv_n(this->handle(), list, deadline, received);
  }
  base::Status wait_readable(base::Deadline deadline) const noexcept {
    return wait(Ready::readable, deadline, base::Stage::receive);
  }
  base::Status wait_writable(base::Deadline deadline) const noexcept {
    return wait(Ready::writable, deadline, base::Stage::send);
  }

  base::Status shutdown(Direction direction) noexcept {
    return ::shutdown(this->handle(), static_cast<int>(direction)) == 0 ? base::Status()
                                                                        : last_failure(base::Stage::configure);
  }
  void close() noexcept { this->handle_.reset(); }
  base::Result<Address> local_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getsockname);
  }
  base::Result<Address> peer_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getpeername);
  }

 private:
  base::Status wait(Ready ready, base::Deadline deadline, base::Stage stage) const noexcept {
    auto events = detail::perform(detail::uring_poll(this->handle(), ready), deadline, stage);
    return events ? base::Status() : base::Status(events.error());
  }
};

/// The passive role over io_uring. Opening and addresses as Acceptor, and unsupported where io_uring is forbidden.
template <class Address>
class UringAcceptor : public Acceptor<Address, UringStream<Address>> {
  using Base = Acceptor<Address, UringStream<Address>>;

 public:
  UringAcceptor() noexcept = default;
  static base::Result<UringAcceptor> open(const Address& address, const typename Base::Options& options = {}) noexcept {
    CORBEL_CHECK(uring_available());
    UringAcceptor acceptor;
    CORBEL_TRY(static_cast<Base&>(acceptor), Base::open(address, options));
    return acceptor;
  }
  /// As Acceptor::accept.
  base::Result<UringStream<Address>> accept(base::Deadline deadline = base::Deadline::none()) noexcept {
    CORBEL_TRY(Handle handle, detail::uring_accept(this->handle(), deadline));
    return UringStream<Address>(std::move(handle));
  }
};

/// The active role over io_uring. Errors as Connector, and unsupported where io_uring is forbidden.
template <class Address>
class UringConnector {
 public:
  using AddressType = Address;
  using StreamType = UringStream<Address>;
  using Options = ConnectOptions<Address>;

  base::Result<UringStream<Address>> connect(const Address& remote, base::Deadline deadline = base::Deadline::none(),
                                             const Options& options = {}) const noexcept {
    CORBEL_TRY(Handle handle,
               detail::uring_connect(detail::connect_parameters<UringStream<Address>>(remote, options), deadline));
    return UringStream<Address>(std::move(handle));
  }
  /// Begins to connect and returns at once, as Connector::start_connect. It begins with connect(2): an operation on a
  /// thread's ring could be finished by that thread only, and a PendingConnect by any.
  base::Result<PendingConnect<Address, UringStream<Address>>> start_connect(
      const Address& remote, const Options& options = {}) const noexcept {
    CORBEL_CHECK(uring_available());
    return Connector<Address, UringStream<Address>>().start_connect(remote, options);
  }
};

using UringTcpStream = UringStream<InetAddress>;
using UringTcpAcceptor = UringAcceptor<InetAddress>;
using UringTcpConnector = UringConnector<InetAddress>;
using UringUnixStream = UringStream<UnixAddress>;
using UringUnixAcceptor = UringAcceptor<UnixAddress>;
using UringUnixConnector = UringConnector<UnixAddress>;

}  // namespace corbel::ipc
