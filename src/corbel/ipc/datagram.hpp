// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "corbel/ipc/datagram_batch.hpp"
#include "corbel/ipc/message_io.hpp"
#include "corbel/ipc/socket_file.hpp"
#include "corbel/ipc/traffic_options.hpp"

namespace corbel::ipc {

template <class Address>
struct DatagramOptions;

template <>
struct DatagramOptions<InetAddress> {
  bool reuse_address = false;  ///< several sockets that say so may take one port (multicast receivers do)
  bool reuse_port = false;     ///< the system spreads datagrams over the sockets that say so
  std::optional<bool> v6_only = {};
  std::optional<int> send_buffer = {};     ///< octets
  std::optional<int> receive_buffer = {};  ///< octets; what does not fit is dropped
  TrafficOptions traffic = {};
};

template <>
struct DatagramOptions<UnixAddress> {
  bool replace_stale = true;               ///< remove a socket file that no process owns any more
  bool remove_on_close = true;             ///< remove the socket file, if it is still ours, when the socket closes
  std::optional<unsigned> mode = {};       ///< permission bits of the socket file (less the umask), e.g. 0600
  std::optional<int> send_buffer = {};     ///< octets
  std::optional<int> receive_buffer = {};  ///< octets
};

template <class Address>
inline constexpr Role kDatagramRole = Address::kInternet ? Role::inet_datagram : Role::unix_datagram;

/// Datagrams that were received as one.
struct Segments {
  std::size_t octets = 0;
  std::size_t size = 0;  ///< of each but the last, which may have fewer; of a single one, all of them
};

namespace detail {

CORBEL_API base::Result<Handle> open_datagram(const InetAddress& address, const DatagramOptions<InetAddress>& options,
                                              NoFile& file) noexcept;
CORBEL_API base::Result<Handle> open_datagram(const UnixAddress& address, const DatagramOptions<UnixAddress>& options,
                                              SocketFile& file) noexcept;
CORBEL_API base::Status connect_datagram(int descriptor, const sockaddr* peer, socklen_t size) noexcept;
/// poll(2) says that an unconnected local socket is writable although the receiver's queue is full; only a blocking
/// send with a time-out waits for room there.
CORBEL_API base::Result<std::size_t> send_to_local(int descriptor, const msghdr& message,
                                                   base::Deadline deadline) noexcept;
CORBEL_API bool cuts_segments(int descriptor) noexcept;
CORBEL_API base::Result<std::size_t> send_segments(int descriptor, base::ConstByteSpan data, std::uint16_t size,
                                                   int flags) noexcept;
CORBEL_API bool join_segments(int descriptor, bool on) noexcept;
CORBEL_API base::Result<Segments> recv_segments(int descriptor, base::ByteSpan room, int flags) noexcept;

/// What every datagram socket has. One thread may send while another receives.
template <class Address, Role kRole>
class DatagramBase : public Socket<kRole> {
 public:
  using AddressType = Address;

  /// Waits until a receive or a send would not block. Errors: timed_out, would_block for Deadline::now().
  base::Status wait_readable(base::Deadline deadline) const noexcept {
    return wait_ready(this->handle(), Ready::readable, deadline, base::Stage::receive);
  }
  base::Status wait_writable(base::Deadline deadline) const noexcept {
    return wait_ready(this->handle(), Ready::writable, deadline, base::Stage::send);
  }
  /// The size in octets of the datagram that will be received next; it stays in the queue.
  base::Result<std::size_t> next_size(base::Deadline deadline = base::Deadline::none()) const noexcept {
    return until(deadline, this->handle(), Ready::readable,
                 [&](int flags) { return detail::next_size(this->handle(), flags); });
  }
  base::Result<Address> local_address() const noexcept { return socket_name<Address>(this->handle(), ::getsockname); }
  /// Makes the socket readable for good, so that a thread that waits returns, and finds nothing; any thread.
  void wake() noexcept { (void)::shutdown(this->handle(), SHUT_RDWR); }
  /// Closes, and removes the socket file that open() made.
  void close() noexcept {
    file_.remove();
    this->handle_.reset();
  }
  /// Gives the handle away; a socket file stays.
  [[nodiscard]] Handle release() noexcept {
    file_.forget();
    return std::move(this->handle_);
  }

 protected:
  DatagramBase() noexcept = default;
  explicit DatagramBase(Handle handle) noexcept : Socket<kRole>(std::move(handle)) {}
  DatagramBase(DatagramBase&&) noexcept = default;
  DatagramBase& operator=(DatagramBase&&) noexcept = default;
  ~DatagramBase() = default;

  base::Status open_at(const Address& local, const DatagramOptions<Address>& options) noexcept {
    CORBEL_TRY(this->handle_, open_datagram(local, options, file_));
    return {};
  }

 private:
  [[no_unique_address]] FileOf<Address> file_;
};

/// Receiving from any address.
template <class Address, Role kRole>
class DatagramReceiving : public DatagramBase<Address, kRole> {
 public:
  /// One recvfrom(2): the next datagram's octets; `from` is set to its sender (unnamed if a local sender has no
  /// address). Errors (stage receive): truncated when the datagram was longer than `room` (which holds its beginning;
  /// the rest is gone: next_size() tells beforehand), would_block.
  base::Result<std::size_t> recv_from(base::ByteSpan room, Address& from, RecvFlags flags = RecvFlags::none) noexcept {
    return detail::recv_from(this->handle(), room, from, static_cast<int>(flags));
  }
  /// The same until a deadline; also timed_out.
  base::Result<std::size_t> recv_from(base::ByteSpan room, Address& from, base::Deadline deadline) noexcept {
    return until(deadline, this->handle(), Ready::readable,
                 [&](int flags) { return detail::recv_from(this->handle(), room, from, flags); });
  }
  /// One recvmsg(2) into a scatter list of at most 1,024 pieces; as recv_from.
  base::Result<std::size_t> recvv_from(std::span<const IoVector> list, Address& from,
                                       base::Deadline deadline = base::Deadline::none()) noexcept {
    return until(deadline, this->handle(), Ready::readable,
                 [&](int flags) { return detail::recvv_from(this->handle(), list, from, flags); });
  }
  /// One recvmmsg(2): waits for the first datagram until the deadline and takes what else is there, up to the capacity
  /// of `batch`. Number of datagrams received.
  base::Result<std::size_t> recv_batch(InputBatch<Address>& batch,
                                       base::Deadline deadline = base::Deadline::none()) noexcept {
    return until(deadline, this->handle(), Ready::readable,
                 [&](int flags) { return batch.receive(this->handle(), flags); });
  }

 protected:
  using DatagramBase<Address, kRole>::DatagramBase;
};

/// Receiving from and sending to any address.
template <class Address, Role kRole>
class DatagramExchange : public DatagramReceiving<Address, kRole> {
 public:
  /// One sendto(2): a whole datagram to `to`, or nothing. Errors (stage send): too_large, unreachable (a local path
  /// that does not exist), lost (no socket there, as far as the system knows; the socket stays usable), would_block.
  base::Result<std::size_t> send_to(base::ConstByteSpan data, const Address& to,
                                    SendFlags flags = SendFlags::none) noexcept {
    return detail::send_to(this->handle(), data, to, static_cast<int>(flags));
  }
  /// The same until a deadline; also timed_out. A finite deadline on a local socket uses its send_timeout.
  base::Result<std::size_t> send_to(base::ConstByteSpan data, const Address& to, base::Deadline deadline) noexcept {
    const ConstIoVector one(data);
    return sendv_to({&one, 1}, to, deadline);
  }
  /// One sendmsg(2): a datagram gathered from at most 1,024 pieces (too_large beyond).
  base::Result<std::size_t> sendv_to(std::span<const ConstIoVector> list, const Address& to,
                                     base::Deadline deadline = base::Deadline::none()) noexcept {
    if constexpr (!Address::kInternet) {
      if (!deadline.is_none() && !deadline.is_now()) return send_slowly(list, to, deadline);
    }
    return until(deadline, this->handle(), Ready::writable,
                 [&](int flags) { return detail::sendv_to(this->handle(), list, to, flags); });
  }
  /// One sendmmsg(2): how many datagrams of the batch went out, in order (fewer than all if one could not: the next
  /// call with batch.drop(count) tells why).
  base::Result<std::size_t> send_batch(const OutputBatch<Address>& batch, SendFlags flags = SendFlags::none) noexcept {
    return batch.send(this->handle(), static_cast<int>(flags));
  }
  /// The same until a deadline; also timed_out.
  base::Result<std::size_t> send_batch(const OutputBatch<Address>& batch, base::Deadline deadline) noexcept {
    return until(deadline, this->handle(), Ready::writable,
                 [&](int flags) { return batch.send(this->handle(), flags); });
  }

 protected:
  using DatagramReceiving<Address, kRole>::DatagramReceiving;

 private:
  base::Result<std::size_t> send_slowly(std::span<const ConstIoVector> list, const Address& to,
                                        base::Deadline deadline) noexcept {
    CORBEL_CHECK(fits_one_call(list.size(), base::Stage::send));
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to.native());
    message.msg_namelen = to.size();
    message.msg_iov = const_cast<ConstIoVector*>(list.data());
    message.msg_iovlen = list.size();
    return send_to_local(this->handle(), message, deadline);
  }
};

}  // namespace detail

/// Sends datagrams to any address and receives from any: each operation names the other side. Delivery is what the
/// network gives: none is promised over the Internet, local ones are reliable and in order. Move-only, closes itself.
/// It neither connects, listens nor accepts, and has no send() without an address.
template <class Address>
class DatagramSocket : public detail::DatagramExchange<Address, kDatagramRole<Address>> {
  using Base = detail::DatagramExchange<Address, kDatagramRole<Address>>;

 public:
  using Options = DatagramOptions<Address>;

  DatagramSocket() noexcept = default;
  /// Becomes owner of an unconnected datagram socket of this family.
  explicit DatagramSocket(Handle handle) noexcept : Base(std::move(handle)) {}
  DatagramSocket(DatagramSocket&&) noexcept = default;
  DatagramSocket& operator=(DatagramSocket&&) noexcept = default;
  ~DatagramSocket() { this->close(); }

  /// A socket bound to `local`: the default is 0.0.0.0 with a port of the system's choice, or for local sockets an
  /// abstract name of its choice. Errors (stage listen): as Acceptor::open.
  static base::Result<DatagramSocket> open(const Address& local = Address(), const Options& options = {}) noexcept {
    DatagramSocket socket;
    CORBEL_CHECK(socket.open_at(local, options));
    return socket;
  }
};

/// Exchanges datagrams with one peer, so that no operation needs an address, and none that comes from elsewhere is
/// received. Delivery as DatagramSocket. Errors of sending and receiving: as there; lost once the system learnt that
/// the peer has no socket (the socket stays usable).
template <class Address>
class ConnectedDatagram : public detail::DatagramBase<Address, kDatagramRole<Address>> {
  using Base = detail::DatagramBase<Address, kDatagramRole<Address>>;

 public:
  using Options = DatagramOptions<Address>;

  ConnectedDatagram() noexcept = default;
  /// Becomes owner of a connected datagram socket of this family.
  explicit ConnectedDatagram(Handle handle) noexcept : Base(std::move(handle)) {}
  ConnectedDatagram(ConnectedDatagram&&) noexcept = default;
  ConnectedDatagram& operator=(ConnectedDatagram&&) noexcept = default;
  ~ConnectedDatagram() { this->close(); }

  /// A socket bound to `local` (by default as the system chooses) that talks to `peer`. Errors: as
  /// DatagramSocket::open; stage connect: refused (a local path without owner), unreachable.
  static base::Result<ConnectedDatagram> open(const Address& peer, const Options& options = {}) noexcept {
    return open(peer, wildcard(peer), options);
  }
  static base::Result<ConnectedDatagram> open(const Address& peer, const Address& local,
                                              const Options& options = {}) noexcept {
    ConnectedDatagram socket;
    CORBEL_CHECK(socket.open_at(local, options));
    CORBEL_CHECK(detail::connect_datagram(socket.handle(), peer.native(), peer.size()));
    return socket;
  }

  /// Talks to this peer from now on. What the one before has sent is still received; what it sends goes to other
  /// sockets at the same port. Error: stage connect.
  base::Status connect(const Address& peer) noexcept {
    return detail::connect_datagram(this->handle(), peer.native(), peer.size());
  }

  /// One send(2): a whole datagram or nothing.
  base::Result<std::size_t> send(base::ConstByteSpan data, SendFlags flags = SendFlags::none) noexcept {
    return detail::send(this->handle(), data, static_cast<int>(flags));
  }
  base::Result<std::size_t> send(base::ConstByteSpan data, base::Deadline deadline) noexcept {
    return detail::until(deadline, this->handle(), Ready::writable,
                         [&](int flags) { return detail::send(this->handle(), data, flags); });
  }
  /// One recv(2): the next datagram. Error: truncated when it was longer than `room`.
  base::Result<std::size_t> recv(base::ByteSpan room, RecvFlags flags = RecvFlags::none) noexcept {
    return detail::recv_message(this->handle(), room, static_cast<int>(flags));
  }
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline) noexcept {
    return detail::until(deadline, this->handle(), Ready::readable,
                         [&](int flags) { return detail::recv_message(this->handle(), room, flags); });
  }
  /// A datagram gathered from, or scattered into, at most 1,024 pieces.
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    return detail::until(deadline, this->handle(), Ready::writable,
                         [&](int flags) { return detail::sendv_message(this->handle(), list, flags); });
  }
  /// The same in one system call, whatever the flags.
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list, SendFlags flags) noexcept {
    return detail::sendv_message(this->handle(), list, static_cast<int>(flags));
  }
  base::Result<std::size_t> recvv(std::span<const IoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept {
    return detail::until(deadline, this->handle(), Ready::readable,
                         [&](int flags) { return detail::recvv_message(this->handle(), list, flags); });
  }
  /// As DatagramSocket; the batch's addresses are those of the peer, those to send to are left out.
  base::Result<std::size_t> send_batch(const OutputBatch<Address>& batch, SendFlags flags = SendFlags::none) noexcept {
    return batch.send(this->handle(), static_cast<int>(flags));
  }
  base::Result<std::size_t> recv_batch(InputBatch<Address>& batch,
                                       base::Deadline deadline = base::Deadline::none()) noexcept {
    return detail::until(deadline, this->handle(), Ready::readable,
                         [&](int flags) { return batch.receive(this->handle(), flags); });
  }
  /// One sendmsg(2): `data` as at most 64 datagrams of `size` octets each, of which the last may have fewer; all or
  /// none. The system, or the network card, cuts them (UDP_SEGMENT). Only if cuts_segments(); also fails with
  /// unsupported, if they are larger than packets on this way, or it does not cut on it.
  base::Result<std::size_t> send_segments(base::ConstByteSpan data, std::uint16_t size,
                                          SendFlags flags = SendFlags::none) noexcept requires Address::kInternet {
    return detail::send_segments(this->handle(), data, size, static_cast<int>(flags));
  }
  /// True if the system has send_segments(); one system call. (One that has not would send a single datagram.)
  bool cuts_segments() const noexcept requires Address::kInternet { return detail::cuts_segments(this->handle()); }
  /// From now on datagrams that come together and are of one size may be received as one (UDP_GRO), and only
  /// recv_segments() tells where they end; or no longer: that is for when none is waiting. False if the system cannot.
  bool join_segments(bool on) noexcept requires Address::kInternet { return detail::join_segments(this->handle(), on); }
  /// One recvmsg(2): the next datagram, or several. Error: truncated when they were longer than `room`; 64 KiB are
  /// enough.
  base::Result<Segments> recv_segments(base::ByteSpan room,
                                       RecvFlags flags = RecvFlags::none) noexcept requires Address::kInternet {
    return detail::recv_segments(this->handle(), room, static_cast<int>(flags));
  }

  /// Ends one direction or both on this side; wakes a thread that is blocked in recv(), which returns 0 then. The peer
  /// is told nothing.
  base::Status shutdown(Direction direction) noexcept {
    return ::shutdown(this->handle(), static_cast<int>(direction)) == 0 ? base::Status()
                                                                        : last_failure(base::Stage::configure);
  }

  base::Result<Address> peer_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getpeername);
  }

 private:
  static Address wildcard(const Address& peer) noexcept {
    if constexpr (Address::kInternet) {
      return peer.is_v6() ? Address::any_v6() : Address::any_v4();
    } else {
      return Address();
    }
  }
};

using UdpSocket = DatagramSocket<InetAddress>;
using UnixDatagramSocket = DatagramSocket<UnixAddress>;
using ConnectedUdp = ConnectedDatagram<InetAddress>;
using ConnectedUnixDatagram = ConnectedDatagram<UnixAddress>;

/// Two local datagram sockets connected to each other. Errors: out_of_resources.
inline base::Result<std::pair<ConnectedUnixDatagram, ConnectedUnixDatagram>> make_datagram_pair() noexcept {
  Handle first, second;
  CORBEL_CHECK(detail::make_pair(SOCK_DGRAM, first, second));
  return std::pair(ConnectedUnixDatagram(std::move(first)), ConnectedUnixDatagram(std::move(second)));
}

}  // namespace corbel::ipc
