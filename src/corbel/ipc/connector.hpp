// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "corbel/ipc/stream.hpp"

namespace corbel::ipc {

/// What is set on a socket before it connects.
template <class Address>
struct ConnectOptions {
  const Address* local = nullptr;          ///< bind to this address first; not owned
  std::optional<int> send_buffer = {};     ///< octets; before connecting because TCP's window scale is fixed then
  std::optional<int> receive_buffer = {};  ///< octets
};

namespace detail {

struct ConnectParameters {
  const sockaddr* remote;
  socklen_t remote_size;
  const sockaddr* local;
  socklen_t local_size;
  std::optional<int> send_buffer;
  std::optional<int> receive_buffer;
  int type;  ///< of socket
};
template <class Product, class Address>
ConnectParameters connect_parameters(const Address& remote, const ConnectOptions<Address>& options) noexcept {
  return {remote.native(),
          remote.size(),
          options.local != nullptr ? options.local->native() : nullptr,
          options.local != nullptr ? options.local->size() : 0,
          options.send_buffer,
          options.receive_buffer,
          Product::kSocketType};
}
/// A socket that is ready to connect; `extra_type`: SOCK_NONBLOCK or 0.
CORBEL_API base::Result<Handle> prepare_connect(const ConnectParameters& parameters, int extra_type) noexcept;
CORBEL_API base::Result<Handle> connect(const ConnectParameters& parameters, base::Deadline deadline) noexcept;
/// A non-blocking handle; `completed` tells whether the connection is already there.
CORBEL_API base::Result<Handle> start_connect(const ConnectParameters& parameters, bool& completed) noexcept;
CORBEL_API base::Status finish_connect(int descriptor, base::Deadline deadline) noexcept;

}  // namespace detail

/// A connection under way. Wait for handle() to become writable (or let finish() wait), then finish(). Dropping it
/// gives up.
template <class Address, class Product = Stream<Address>>
class PendingConnect {
 public:
  PendingConnect(Handle handle, bool completed) noexcept : handle_(std::move(handle)), completed_(completed) {}
  int handle() const noexcept { return handle_.get(); }
  bool completed() const noexcept { return completed_; }
  /// The connection, in blocking mode. Errors: would_block or timed_out (call again), or why the connection failed.
  base::Result<Product> finish(base::Deadline deadline = base::Deadline::now()) noexcept {
    if (!completed_) CORBEL_CHECK(detail::finish_connect(handle_.get(), deadline));
    completed_ = true;
    CORBEL_CHECK(set_non_blocking(handle_.get(), false));
    return Product(std::move(handle_));
  }

 private:
  Handle handle_;
  bool completed_;
};

/// The active role: makes Products (streams by default). Has no state; any thread may use it. Errors (stage connect):
/// refused, unreachable, timed_out, out_of_resources.
template <class Address, class Product = Stream<Address>>
class Connector {
 public:
  using AddressType = Address;
  using StreamType = Product;
  using Options = ConnectOptions<Address>;

  /// Connects, waiting until the deadline. The result is in blocking mode. Deadline::now() reports would_block unless
  /// the connection is there at once (as with local sockets).
  base::Result<Product> connect(const Address& remote, base::Deadline deadline = base::Deadline::none(),
                                const Options& options = {}) const noexcept {
    CORBEL_TRY(Handle handle, detail::connect(detail::connect_parameters<Product>(remote, options), deadline));
    return Product(std::move(handle));
  }
  /// Tries addresses one after the other (as from InetAddress::resolve) within one deadline; the last error if none
  /// answers, bad_argument for an empty list.
  base::Result<Product> connect(std::span<const Address> remotes, base::Deadline deadline = base::Deadline::none(),
                                const Options& options = {}) const noexcept {
    base::Error last = base::error(base::Stage::connect, base::Code::bad_argument);
    for (const Address& remote : remotes) {
      auto stream = connect(remote, deadline, options);
      if (stream) return stream;
      last = stream.error();
      if (deadline.expired()) break;
    }
    return last;
  }
  /// Begins to connect and returns at once. Errors as connect(); would_block when a local acceptor's queue is full.
  base::Result<PendingConnect<Address, Product>> start_connect(const Address& remote,
                                                               const Options& options = {}) const noexcept {
    bool completed = false;
    CORBEL_TRY(Handle handle, detail::start_connect(detail::connect_parameters<Product>(remote, options), completed));
    return PendingConnect<Address, Product>(std::move(handle), completed);
  }
};

using TcpConnector = Connector<InetAddress>;
using UnixConnector = Connector<UnixAddress>;

}  // namespace corbel::ipc
