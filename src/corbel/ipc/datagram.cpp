// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/datagram.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>

#include <cstring>

#include "corbel/ipc/opening.hpp"

#ifndef UDP_SEGMENT  // Linux 4.18
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO  // Linux 5.0
#define UDP_GRO 104
#endif

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
  CORBEL_TRY(const PathLock lock, PathLock::take(address, options.replace_stale));
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
    auto count = send_header(descriptor, message, kInterruptible);  // which is would_block: what is left is waited
    CORBEL_CHECK(set_send_timeout(descriptor, base::Duration::zero()));
    if (count || count.error().code != Code::would_block) return count;
  }
}

bool cuts_segments(int descriptor) noexcept {
  int size = 0;
  socklen_t length = sizeof size;
  return ::getsockopt(descriptor, IPPROTO_UDP, UDP_SEGMENT, &size, &length) == 0;
}

base::Result<std::size_t> send_segments(int descriptor, base::ConstByteSpan data, std::uint16_t size,
                                        int flags) noexcept {
  iovec piece{const_cast<base::Octet*>(data.data()), data.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof size)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr& header = *CMSG_FIRSTHDR(&message);
  header.cmsg_level = IPPROTO_UDP;
  header.cmsg_type = UDP_SEGMENT;
  header.cmsg_len = CMSG_LEN(sizeof size);
  std::memcpy(CMSG_DATA(&header), &size, sizeof size);
  auto sent = send_header(descriptor, message, flags);
  if (sent) return sent;
  // Larger than packets of the network; or what sends there, or ciphers for it, takes no more than one.
  const int why = sent.error().os_error;
  if (why != EINVAL && why != EMSGSIZE && why != EIO) return sent;
  return base::error(Stage::send, Code::unsupported, why);
}

bool join_segments(int descriptor, bool on) noexcept {
  const int value = on ? 1 : 0;
  return ::setsockopt(descriptor, IPPROTO_UDP, UDP_GRO, &value, sizeof value) == 0;
}

base::Result<Segments> recv_segments(int descriptor, base::ByteSpan room, int flags) noexcept {
  iovec piece{room.data(), room.size()};
  int size = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof size)];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  CORBEL_TRY(const std::size_t octets, recv_header(descriptor, message, flags));
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == IPPROTO_UDP && header->cmsg_type == UDP_GRO) {
    std::memcpy(&size, CMSG_DATA(header), sizeof size);
  }
  const bool several = size > 0 && static_cast<std::size_t>(size) < octets;
  return Segments{octets, several ? static_cast<std::size_t>(size) : octets};
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
