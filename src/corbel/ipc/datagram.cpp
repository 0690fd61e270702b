// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/datagram.hpp"

#include "corbel/ipc/opening.hpp"

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

unsigned int batch_length(std::size_t count) noexcept {
  return static_cast<unsigned int>(count < kMaxVectors ? count : kMaxVectors);
}

base::Status set_send_timeout(int descriptor, base::Duration timeout) noexcept {
  const timeval native = OptionCodec<base::Duration>::encode(timeout);
  if (::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &native, sizeof native) != 0) return last_failure(Stage::send);
  return {};
}

}  // namespace

base::Result<Handle> open_datagram(const InetAddress& address, const DatagramOptions<InetAddress>& options,
                                   NoFile&) noexcept {
  CORBEL_TRY(Handle handle, open_inet(address, SOCK_DGRAM, options));
  if (::bind(handle.get(), address.native(), address.size()) != 0) return last_failure(Stage::listen);
  return handle;
}

base::Result<Handle> open_datagram(const UnixAddress& address, const DatagramOptions<UnixAddress>& options,
                                   SocketFile& file) noexcept {
  return open_local(address, SOCK_DGRAM, options, file);
}

base::Status connect_datagram(int descriptor, const sockaddr* peer, socklen_t size) noexcept {
  return ::connect(descriptor, peer, size) == 0 ? base::Status() : last_failure(Stage::connect);
}

base::Result<std::size_t> send_to_local(int descriptor, const msghdr& message, Deadline deadline) noexcept {
  for (;;) {
    const base::Duration left = deadline.remaining();
    if (left == base::Duration::zero()) return base::error(Stage::send, Code::timed_out);
    CORBEL_CHECK(set_send_timeout(descriptor, left));
    auto count = send_header(descriptor, message, 0);
    CORBEL_CHECK(set_send_timeout(descriptor, base::Duration::zero()));
    if (count || count.error().code != Code::would_block) return count;
  }
}

base::Result<std::size_t> send_messages(int descriptor, std::span<const mmsghdr> messages, int flags) noexcept {
  for (;;) {
    const int count = ::sendmmsg(descriptor, const_cast<mmsghdr*>(messages.data()), batch_length(messages.size()),
                                 (flags & ~kInterruptible) | MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(Stage::send);
  }
}

base::Result<std::size_t> recv_messages(int descriptor, std::span<mmsghdr> messages, int flags) noexcept {
  for (;;) {
    const int count = ::recvmmsg(descriptor, messages.data(), batch_length(messages.size()),
                                 (flags & ~kInterruptible) | MSG_WAITFORONE, nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(Stage::receive);
  }
}

}  // namespace corbel::ipc::detail
