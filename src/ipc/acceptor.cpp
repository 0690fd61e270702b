// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/acceptor.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

base::Status set_int(int descriptor, int level, int name, std::optional<int> value) noexcept {
  if (value && ::setsockopt(descriptor, level, name, &*value, sizeof *value) != 0) return last_failure(Stage::listen);
  return {};
}

base::Result<Handle> open_socket(int family) noexcept {
  Handle handle(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!handle) return last_failure(Stage::listen);
  return handle;
}

base::Result<Handle> listening(Handle handle, int backlog) noexcept {
  if (::listen(handle.get(), backlog) != 0) return last_failure(Stage::listen);
  return handle;
}

/// True if the address names a socket file whose owner is gone. Anything else (a live listener, one that has no room in
/// its queue, a file of another kind) is left alone.
bool is_stale(const UnixAddress& address) noexcept {
  struct stat status {};
  if (::lstat(address.to_string().c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  Handle probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && ::connect(probe.get(), address.native(), address.size()) != 0 && errno == ECONNREFUSED;
}

base::Status bind_local(int descriptor, const UnixAddress& address, bool replace_stale) noexcept {
  if (::bind(descriptor, address.native(), address.size()) == 0) return {};
  const int os_error = errno;
  if (os_error != EADDRINUSE || !replace_stale || !is_stale(address)) return failure(Stage::listen, os_error);
  ::unlink(address.to_string().c_str());
  if (::bind(descriptor, address.native(), address.size()) != 0) return last_failure(Stage::listen);
  return {};
}

/// Errors that accept(2) reports for one dead connection of the queue; the listener itself is well.
bool concerns_one_connection(int os_error) noexcept {
  switch (os_error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EPERM:
      return true;
    default:
      return false;
  }
}

}  // namespace

SocketFile::SocketFile(const UnixAddress& address) noexcept : address_(address) {
  struct stat status {};
  if (::lstat(address.to_string().c_str(), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
}

void SocketFile::remove() noexcept {
  if (address_.is_unnamed()) return;
  const std::string path = address_.to_string();
  forget();
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) {
    ::unlink(path.c_str());
  }
}

base::Result<Handle> open_acceptor(const InetAddress& address, const AcceptorOptions<InetAddress>& options,
                                   NoFile&) noexcept {
  CORBEL_TRY(Handle handle, open_socket(address.family()));
  const int descriptor = handle.get();
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_REUSEADDR, options.reuse_address));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_REUSEPORT, options.reuse_port));
  if (address.is_v6()) CORBEL_CHECK(set_int(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, options.v6_only));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_SNDBUF, options.send_buffer));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_RCVBUF, options.receive_buffer));
  if (options.defer_accept) {
    const int seconds = static_cast<int>(options.defer_accept->count());
    CORBEL_CHECK(set_int(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, seconds));
  }
  if (::bind(descriptor, address.native(), address.size()) != 0) return last_failure(Stage::listen);
  return listening(std::move(handle), options.backlog);
}

base::Result<Handle> open_acceptor(const UnixAddress& address, const AcceptorOptions<UnixAddress>& options,
                                   SocketFile& file) noexcept {
  CORBEL_TRY(Handle handle, open_socket(AF_UNIX));
  const int descriptor = handle.get();
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_SNDBUF, options.send_buffer));
  CORBEL_CHECK(set_int(descriptor, SOL_SOCKET, SO_RCVBUF, options.receive_buffer));
  // Before bind(2), so that the file never exists with wider permissions.
  if (options.mode && ::fchmod(descriptor, *options.mode) != 0) return last_failure(Stage::listen);
  const bool has_file = !address.is_abstract() && !address.is_unnamed();
  CORBEL_CHECK(bind_local(descriptor, address, has_file && options.replace_stale));
  if (has_file && options.remove_on_close) file = SocketFile(address);
  return listening(std::move(handle), options.backlog);
}

base::Result<Handle> accept(int descriptor, Deadline deadline) noexcept {
  for (;;) {
    const int accepted = ::accept4(descriptor, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) [[likely]]
      return Handle(accepted);
    if (concerns_one_connection(errno)) continue;
    const base::Error error = last_failure(Stage::accept);
    if (error.code != Code::would_block || deadline.is_now()) return error;
    CORBEL_CHECK(wait_ready(descriptor, Ready::readable, deadline, Stage::accept));
  }
}

}  // namespace corbel::ipc::detail
