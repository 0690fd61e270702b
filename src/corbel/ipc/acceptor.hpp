// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "corbel/ipc/socket_file.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/ipc/traffic_options.hpp"

namespace corbel::ipc {

template <class Address>
struct AcceptorOptions;

template <>
struct AcceptorOptions<InetAddress> {
  int backlog = 1024;         ///< the system may lower it (net.core.somaxconn)
  bool reuse_address = true;  ///< take the port although old connections linger in TIME_WAIT
  bool reuse_port = false;    ///< share the port with other acceptors that say so
  std::optional<bool> v6_only = {};
  std::optional<std::chrono::seconds> defer_accept = {};
  std::optional<int> send_buffer = {};     ///< octets, inherited by the streams
  std::optional<int> receive_buffer = {};  ///< octets, inherited by the streams
  TrafficOptions traffic = {};             ///< inherited by the streams, but for the priority
};

template <>
struct AcceptorOptions<UnixAddress> {
  int backlog = 1024;
  bool replace_stale = true;               ///< remove a socket file that no process listens on any more
  bool remove_on_close = true;             ///< remove the socket file, if it is still ours, when the acceptor closes
  std::optional<unsigned> mode = {};       ///< permission bits of the socket file (less the umask), e.g. 0600
  std::optional<int> send_buffer = {};     ///< octets
  std::optional<int> receive_buffer = {};  ///< octets
};

namespace detail {

CORBEL_API base::Result<Handle> open_acceptor(const InetAddress& address, const AcceptorOptions<InetAddress>& options,
                                              NoFile& file, int type) noexcept;
CORBEL_API base::Result<Handle> open_acceptor(const UnixAddress& address, const AcceptorOptions<UnixAddress>& options,
                                              SocketFile& file, int type) noexcept;
/// `peer`: where its address goes, of `*size` octets; or null, and so is `size`.
CORBEL_API base::Result<Handle> accept(int descriptor, base::Deadline deadline, sockaddr* peer,
                                       socklen_t* size) noexcept;
/// From now on no SYN reaches the listening TCP socket; hand-shakes that are under way come to their end. Best effort.
CORBEL_API void drop_syns(int descriptor) noexcept;

}  // namespace detail

/// The passive role: listens and makes Products (streams, or what else has connections: PacketStream). Move-only,
/// closes itself. Several threads may accept() at once.
template <class Address, class Product = Stream<Address>>
class Acceptor : public Socket<Product::kAcceptorRole> {
  using Base = Socket<Product::kAcceptorRole>;
  using File = detail::FileOf<Address>;

 public:
  using AddressType = Address;
  using StreamType = Product;
  using Options = AcceptorOptions<Address>;

  Acceptor() noexcept = default;
  Acceptor(Acceptor&& other) noexcept
      : Base(static_cast<Base&&>(other)), file_(std::move(other.file_)), non_blocking_(other.non_blocking_.load()) {}
  Acceptor& operator=(Acceptor&& other) noexcept {
    close();
    Base::operator=(static_cast<Base&&>(other));
    file_ = std::move(other.file_);
    non_blocking_ = other.non_blocking_.load();
    return *this;
  }
  ~Acceptor() { close(); }

  /// Binds and listens, in blocking mode. Port 0 lets the system choose: ask local_address(). A local socket's file
  /// that no process listens on is replaced, one with a live listener (or that is no socket) is address_in_use. Errors
  /// (stage listen): address_in_use, refused (permission), unreachable (not an address of this host, no such
  /// directory), out_of_resources.
  static base::Result<Acceptor> open(const Address& address, const Options& options = {}) noexcept {
    Acceptor acceptor;
    CORBEL_TRY(acceptor.handle_, detail::open_acceptor(address, options, acceptor.file_, Product::kSocketType));
    return acceptor;
  }
  /// Becomes owner of a socket that already listens (inherited from another process).
  static Acceptor adopt(Handle handle) noexcept {
    Acceptor acceptor;
    acceptor.handle_ = std::move(handle);
    return acceptor;
  }
  /// Gives the handle away; a socket file stays.
  [[nodiscard]] Handle release() noexcept {
    file_.forget();
    return std::move(this->handle_);
  }

  /// Waits for a connection; the stream is close-on-exec and in blocking mode. With none() on a blocking handle it is
  /// one accept4(2). A finite deadline (now(): do not wait) first makes the handle non-blocking for good. Connections
  /// that died while queued are skipped. Errors (stage accept): would_block, timed_out, out_of_resources (descriptors
  /// ran out: the connection stays queued, so wait a little before trying again), cancelled (after shutdown()).
  base::Result<Product> accept(base::Deadline deadline = base::Deadline::none()) noexcept {
    if (!deadline.is_none() && !non_blocking_.load(std::memory_order_relaxed)) CORBEL_CHECK(set_non_blocking(true));
    CORBEL_TRY(Handle handle, detail::accept(this->handle(), deadline, nullptr, nullptr));
    return Product(std::move(handle));
  }
  /// The same, and the peer's address, which the stream itself does not know any more once the peer has gone. It costs
  /// no system call.
  base::Result<Product> accept(base::Deadline deadline, Address& peer) noexcept {
    if (!deadline.is_none() && !non_blocking_.load(std::memory_order_relaxed)) CORBEL_CHECK(set_non_blocking(true));
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    CORBEL_TRY(Handle handle, detail::accept(this->handle(), deadline, reinterpret_cast<sockaddr*>(&name), &size));
    peer = Address::from_native(reinterpret_cast<sockaddr*>(&name), size);
    return Product(std::move(handle));
  }

  base::Status set_non_blocking(bool on) noexcept {
    CORBEL_CHECK(Base::set_non_blocking(on));
    non_blocking_.store(on, std::memory_order_relaxed);
    return {};
  }

  base::Result<Address> local_address() const noexcept {
    return detail::socket_name<Address>(this->handle(), ::getsockname);
  }
  /// Stops listening and wakes every thread blocked in accept(); the handle stays open. Any thread may call it.
  void shutdown() noexcept { (void)::shutdown(this->handle(), SHUT_RDWR); }
  /// Nobody who comes from now on is let in; who has been is still accepted. Before close(), so that nobody is let in
  /// and then cut off: local peers are refused, and over TCP they are when they try again, about a second later, if
  /// this is closed by then. Nobody comes to another process that listens on the same socket either.
  void refuse_more() noexcept {
    if constexpr (Address::kInternet) {
      detail::drop_syns(this->handle());
    } else {
      shutdown();
    }
  }
  /// Closes, and removes the socket file that open() made.
  void close() noexcept {
    file_.remove();
    this->handle_.reset();
  }

 private:
  [[no_unique_address]] File file_;
  std::atomic<bool> non_blocking_{false};  // atomic because several threads may find out at once
};

/// Removes a socket file whose owner is gone; false if it is none.
CORBEL_API bool remove_stale(const UnixAddress& address);

using TcpAcceptor = Acceptor<InetAddress>;
using UnixAcceptor = Acceptor<UnixAddress>;

}  // namespace corbel::ipc
