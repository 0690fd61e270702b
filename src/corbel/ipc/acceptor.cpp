// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/acceptor.hpp"

#include <linux/filter.h>
#include <unistd.h>

#include <array>

#include "corbel/ipc/opening.hpp"

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

base::Result<Handle> listening(Handle handle, int backlog) noexcept {
  if (::listen(handle.get(), backlog) != 0) return last_failure(Stage::listen);
  return handle;
}

}  // namespace

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

base::Result<Handle> open_acceptor(const InetAddress& address, const AcceptorOptions<InetAddress>& options, NoFile&,
                                   int type) noexcept {
  CORBEL_TRY(Handle handle, open_inet(address, type, options));
  const int descriptor = handle.get();
  if (options.defer_accept) {
    const int seconds = static_cast<int>(options.defer_accept->count());
    CORBEL_CHECK(set_int(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, seconds));
  }
  if (::bind(descriptor, address.native(), address.size()) != 0) return last_failure(Stage::listen);
  return listening(std::move(handle), options.backlog);
}

base::Result<Handle> open_acceptor(const UnixAddress& address, const AcceptorOptions<UnixAddress>& options,
                                   SocketFile& file, int type) noexcept {
  CORBEL_TRY(const PathLock lock, PathLock::take(address, options.replace_stale));
  CORBEL_TRY(Handle handle, open_local(address, type, options, file));
  return listening(std::move(handle), options.backlog);
}

base::Result<Handle> accept(int descriptor, Deadline deadline, sockaddr* peer, socklen_t* size) noexcept {
  for (;;) {
    const int accepted = ::accept4(descriptor, peer, size, SOCK_CLOEXEC);
    if (accepted >= 0) [[likely]]
      return Handle(accepted);
    if (concerns_one_connection(errno)) continue;
    const base::Error error = last_failure(Stage::accept);
    if (error.code != Code::would_block || deadline.is_now()) return error;
    CORBEL_CHECK(wait_ready(descriptor, Ready::readable, deadline, Stage::accept));
  }
}

void drop_syns(int descriptor) noexcept {
  // Offsets are those of the TCP header. Other segments have to pass: dropping the last of a hand-shake would cut a
  // peer off that believes it is connected.
  constexpr std::uint32_t kFlags = 13;
  constexpr std::uint32_t kSyn = 0x02;
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kSyn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
  }};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  (void)::setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

}  // namespace corbel::ipc::detail

namespace corbel::ipc {

bool remove_stale(const UnixAddress& address) {
  const auto lock = detail::PathLock::take(address, true);
  return lock && detail::is_stale(address) && ::unlink(detail::path_of(address)) == 0;
}

}  // namespace corbel::ipc
