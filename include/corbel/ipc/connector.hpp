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
};
CORBEL_API base::Result<Handle> connect(const ConnectParameters& parameters, base::Deadline deadline) noexcept;
/// A non-blocking handle; `completed` tells whether the connection is already there.
CORBEL_API base::Result<Handle> start_connect(const ConnectParameters& parameters, bool& completed) noexcept;
CORBEL_API base::Status finish_connect(int descriptor, base::Deadline deadline) noexcept;

}  // namespace detail

/// A connection under way. Wait for handle() to become writable (or let finish() wait), then finish(). Dropping it
/// gives up.
template <class Address>
class PendingConnect {
 public:
  PendingConnect(Handle handle, bool completed) noexcept : handle_(std::move(handle)), completed_(completed) {}
  int handle() const noexcept { return handle_.get(); }
  bool completed() const noexcept { return completed_; }
  /// The stream, in blocking mode. Errors: would_block or timed_out (call again), or why the connection failed.
  base::Result<Stream<Address>> finish(base::Deadline deadline = base::Deadline::now()) noexcept {
    if (!completed_) CORBEL_CHECK(detail::finish_connect(handle_.get(), deadline));
    completed_ = true;
    CORBEL_CHECK(set_non_blocking(handle_.get(), false));
    return Stream<Address>(std::move(handle_));
  }

 private:
  Handle handle_;
  bool completed_;
};

/// The active role: makes Streams. Has no state; any thread may use it. Errors (stage connect): refused, unreachable,
/// timed_out, out_of_resources.
template <class Address>
class Connector {
 public:
  using AddressType = Address;
  using Options = ConnectOptions<Address>;

  /// Connects, waiting until the deadline. The stream is in blocking mode. Deadline::now() reports would_block unless
  /// the connection is there at once (as with local sockets).
  base::Result<Stream<Address>> connect(const Address& remote, base::Deadline deadline = base::Deadline::none(),
                                        const Options& options = {}) const noexcept {
    CORBEL_TRY(Handle handle, detail::connect(parameters(remote, options), deadline));
    return Stream<Address>(std::move(handle));
  }
  /// Tries addresses one after the other (as from InetAddress::resolve) within one deadline; the last error if none
  /// answers, bad_argument for an empty list.
  base::Result<Stream<Address>> connect(std::span<const Address> remotes,
                                        base::Deadline deadline = base::Deadline::none(),
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
  base::Result<PendingConnect<Address>> start_connect(const Address& remote,
                                                      const Options& options = {}) const noexcept {
    bool completed = false;
    CORBEL_TRY(Handle handle, detail::start_connect(parameters(remote, options), completed));
    return PendingConnect<Address>(std::move(handle), completed);
  }

 private:
  static detail::ConnectParameters parameters(const Address& remote, const Options& options) noexcept {
    return {remote.native(),
            remote.size(),
            options.local != nullptr ? options.local->native() : nullptr,
            options.local != nullptr ? options.local->size() : 0,
            options.send_buffer,
            options.receive_buffer};
  }
};

using TcpConnector = Connector<InetAddress>;
using UnixConnector = Connector<UnixAddress>;

}  // namespace corbel::ipc
