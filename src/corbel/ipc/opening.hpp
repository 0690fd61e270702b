// SPDX-License-Identifier: Apache-2.0
// What opening any socket needs, whatever its role.
#pragma once

#include <sys/socket.h>

#include <array>
#include <optional>

#include "corbel/ipc/handle.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/socket_file.hpp"
#include "corbel/ipc/traffic_options.hpp"

namespace corbel::ipc::detail {

/// setsockopt(2), if there is a value.
base::Status set_int(int descriptor, int level, int name, std::optional<int> value,
                     base::Stage stage = base::Stage::listen) noexcept;

base::Result<Handle> open_socket(int family, int type, base::Stage stage = base::Stage::listen) noexcept;

/// The path of an address that has one, with a NUL behind it. Not a copy: sockets are opened and closed without memory.
inline const char* path_of(const UnixAddress& address) noexcept {
  return address.name().data();
}

/// True if the address names a socket file whose owner is gone. Anything else (a live socket of whatever type, a
/// listener that has no room in its queue, a file of another kind) is left alone.
bool is_stale(const UnixAddress& address) noexcept;

/// Binds to a local address, first removing a socket file whose owner is gone if `replace_stale`. `file` remembers
/// what was made if `remove_on_close`. `mode`: permission bits of the file.
base::Status bind_local(int descriptor, const UnixAddress& address, bool replace_stale, bool remove_on_close,
                        std::optional<unsigned> mode, SocketFile& file) noexcept;

/// Keeps others that open the same socket file away, from before bind(2) until the socket can be told from one whose
/// owner is gone (after listen(2)): a file beside it, "NAME.lock", which goes with this. Every Corbel that may replace
/// a file takes it, and to remove its own.
class PathLock {
 public:
  /// Does nothing if the address has no file or `wanted` is false, or if no file can be made there (then bind(2) will
  /// tell). Error: address_in_use, if another process keeps it for seconds.
  static base::Result<PathLock> take(const UnixAddress& address, bool wanted) noexcept;
  PathLock(PathLock&&) noexcept = default;
  PathLock& operator=(PathLock&&) = delete;
  ~PathLock();

 private:
  PathLock() noexcept = default;
  static constexpr char kSuffix[] = ".lock";

  std::array<char, UnixAddress::kMaxLength + sizeof kSuffix> path_{};
  Handle handle_;
};

/// Errors that accept(2) reports for one dead connection of the queue; the listener itself is well.
bool concerns_one_connection(int os_error) noexcept;

/// An Internet socket with the options that must be set before bind(2); not yet bound.
template <class Options>
base::Result<Handle> open_inet(const InetAddress& address, int type, const Options& options) noexcept {
  CORBEL_TRY(Handle handle, open_socket(address.family(), type));
  const int descriptor = handle.get();
  if (options.reuse_address) CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_REUSEADDR, 1));
  if (options.reuse_port) CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_REUSEPORT, 1));
  if (address.is_v6()) CORBEL_CHECK(set_int(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, options.v6_only));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_SNDBUF, options.send_buffer));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_RCVBUF, options.receive_buffer));
  if (const auto set = set_traffic(descriptor, options.traffic); !set) {
    return base::error(base::Stage::listen, set.error().code, set.error().os_error);
  }
  return handle;
}

/// A bound local socket; for the unnamed address the system chooses an abstract name.
template <class Options>
base::Result<Handle> open_local(const UnixAddress& address, int type, const Options& options,
                                SocketFile& file) noexcept {
  CORBEL_TRY(Handle handle, open_socket(AF_UNIX, type));
  CORBEL_CHECK(set_int(handle.get(), SOL_SOCKET, SO_SNDBUF, options.send_buffer));
  CORBEL_CHECK(set_int(handle.get(), SOL_SOCKET, SO_RCVBUF, options.receive_buffer));
  CORBEL_CHECK(bind_local(handle.get(), address, options.replace_stale, options.remove_on_close, options.mode, file));
  return handle;
}

}  // namespace corbel::ipc::detail
