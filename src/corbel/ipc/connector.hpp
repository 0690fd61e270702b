// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "corbel/base/function_ref.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/ipc/traffic_options.hpp"

namespace corbel::ipc {

/// What is set on a socket before it connects.
template <class Address>
struct ConnectOptions {
  const Address* local = nullptr;          ///< bind to this address first; not owned
  std::optional<int> send_buffer = {};     ///< octets; before connecting because TCP's window scale is fixed then
  std::optional<int> receive_buffer = {};  ///< octets
  TrafficOptions traffic = {};             ///< of Internet sockets, from the first packet on
};

namespace detail {

struct ConnectParameters {
  const sockaddr* remote;
  socklen_t remote_size;
  const sockaddr* local;
  socklen_t local_size;
  std::optional<int> send_buffer;
  std::optional<int> receive_buffer;
  TrafficOptions traffic;
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
          options.traffic,
          Product::kSocketType};
}
/// A socket that is ready to connect; `extra_type`: SOCK_NONBLOCK or 0.
CORBEL_API base::Result<Handle> prepare_connect(const ConnectParameters& parameters, int extra_type) noexcept;
CORBEL_API base::Result<Handle> connect(const ConnectParameters& parameters, base::Deadline deadline) noexcept;
/// A non-blocking handle; `completed` tells whether the connection is already there.
CORBEL_API base::Result<Handle> start_connect(const ConnectParameters& parameters, bool& completed) noexcept;
CORBEL_API base::Status finish_connect(int descriptor, base::Deadline deadline) noexcept;
/// Internet addresses alone: others cannot be waited for.
CORBEL_API base::Result<Handle> connect_any(base::FunctionRef<ConnectParameters(std::size_t)> remote, std::size_t count,
                                            base::Deadline deadline, base::Duration head_start) noexcept;

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

/// What RFC 8305 recommends (section 8).
inline constexpr base::Duration kHeadStart = std::chrono::milliseconds(250);

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
  /// Connects to whichever of some addresses (as from InetAddress::resolve) answers first, within one deadline. The
  /// next is begun when the one before has failed, or `head_start` after it, while those before go on (RFC 8305,
  /// section 5). The last error if none answers, bad_argument for an empty list. A connection that has met itself, at a
  /// port where nobody listens, counts as refused.
  base::Result<Product> connect(std::span<const Address> remotes, base::Deadline deadline = base::Deadline::none(),
                                const Options& options = {}, base::Duration head_start = kHeadStart) const noexcept
      requires(Address::kInternet) {
    const auto remote = [&](std::size_t index) { return detail::connect_parameters<Product>(remotes[index], options); };
    CORBEL_TRY(Handle handle, detail::connect_any(remote, remotes.size(), deadline, head_start));
    return Product(std::move(handle));
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
