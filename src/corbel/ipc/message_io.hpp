// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <span>

#include "corbel/ipc/stream.hpp"

namespace corbel::ipc::detail {

/// MSG_TRUNC makes the system tell how long the message was, so one call both receives and finds out.
[[gnu::always_inline]] inline base::Result<std::size_t> whole(std::size_t size, std::size_t room) noexcept {
  if (size > room) [[unlikely]]
    return base::error(base::Stage::receive, base::Code::truncated);
  return size;
}

[[gnu::always_inline]] inline base::Result<std::size_t> recv_message(int descriptor, base::ByteSpan room,
                                                                     int flags) noexcept {
  CORBEL_TRY(const std::size_t size, recv(descriptor, room, flags | MSG_TRUNC));
  return whole(size, room.size());
}

[[gnu::always_inline]] inline base::Result<std::size_t> send_header(int descriptor, const msghdr& message,
                                                                    int flags) noexcept {
  for (;;) {
    const ssize_t count = ::sendmsg(descriptor, &message, (flags & ~kInterruptible) | MSG_NOSIGNAL);
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::send);
  }
}

[[gnu::always_inline]] inline base::Result<std::size_t> recv_header(int descriptor, msghdr& message,
                                                                    int flags) noexcept {
  for (;;) {
    const ssize_t count = ::recvmsg(descriptor, &message, flags & ~kInterruptible);
    if (count >= 0) [[likely]] {
      if ((message.msg_flags & MSG_TRUNC) != 0) return base::error(base::Stage::receive, base::Code::truncated);
      return static_cast<std::size_t>(count);
    }
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::receive);
  }
}

/// A message goes out whole or not at all, so a list that is too long for one call is an error.
inline base::Status fits_one_call(std::size_t pieces, base::Stage stage) noexcept {
  return pieces <= kMaxVectors ? base::Status() : base::error(stage, base::Code::too_large);
}

[[gnu::always_inline]] inline base::Result<std::size_t> sendv_message(int descriptor,
                                                                      std::span<const ConstIoVector> list,
                                                                      int flags) noexcept {
  CORBEL_CHECK(fits_one_call(list.size(), base::Stage::send));
  return sendv(descriptor, list, flags);
}

[[gnu::always_inline]] inline base::Result<std::size_t> recvv_message(int descriptor, std::span<const IoVector> list,
                                                                      int flags) noexcept {
  CORBEL_CHECK(fits_one_call(list.size(), base::Stage::receive));
  msghdr message{};
  message.msg_iov = const_cast<IoVector*>(list.data());
  message.msg_iovlen = list.size();
  return recv_header(descriptor, message, flags);
}

template <class Address>
[[gnu::always_inline]] inline base::Result<std::size_t> send_to(int descriptor, base::ConstByteSpan data,
                                                                const Address& to, int flags) noexcept {
  for (;;) {
    const ssize_t count = ::sendto(descriptor, data.data(), data.size(), (flags & ~kInterruptible) | MSG_NOSIGNAL,
                                   to.native(), to.size());
    if (count >= 0) [[likely]]
      return static_cast<std::size_t>(count);
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::send);
  }
}

template <class Address>
[[gnu::always_inline]] inline base::Result<std::size_t> recv_from(int descriptor, base::ByteSpan room, Address& from,
                                                                  int flags) noexcept {
  for (;;) {
    const ssize_t count = from.fill([&](sockaddr* address, socklen_t* size) {
      return ::recvfrom(descriptor, room.data(), room.size(), (flags & ~kInterruptible) | MSG_TRUNC, address, size);
    });
    if (count >= 0) [[likely]]
      return whole(static_cast<std::size_t>(count), room.size());
    if (errno != EINTR || (flags & kInterruptible) != 0) return last_failure(base::Stage::receive);
  }
}

template <class Address>
[[gnu::always_inline]] inline base::Result<std::size_t> sendv_to(int descriptor, std::span<const ConstIoVector> list,
                                                                 const Address& to, int flags) noexcept {
  CORBEL_CHECK(fits_one_call(list.size(), base::Stage::send));
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(to.native());
  message.msg_namelen = to.size();
  message.msg_iov = const_cast<ConstIoVector*>(list.data());
  message.msg_iovlen = list.size();
  return send_header(descriptor, message, flags);
}

template <class Address>
[[gnu::always_inline]] inline base::Result<std::size_t> recvv_from(int descriptor, std::span<const IoVector> list,
                                                                   Address& from, int flags) noexcept {
  CORBEL_CHECK(fits_one_call(list.size(), base::Stage::receive));
  msghdr message{};
  message.msg_iov = const_cast<IoVector*>(list.data());
  message.msg_iovlen = list.size();
  return from.fill([&](sockaddr* address, socklen_t* size) {
    message.msg_name = address;
    message.msg_namelen = *size;
    auto count = recv_header(descriptor, message, flags);
    *size = message.msg_namelen;
    return count;
  });
}

/// The size of the message that comes next, which stays in the queue.
[[gnu::always_inline]] inline base::Result<std::size_t> next_size(int descriptor, int flags) noexcept {
  return recv(descriptor, {}, flags | MSG_PEEK | MSG_TRUNC);
}

/// Tries without waiting, waits until `ready`, and so on until the deadline; with none() one blocking call.
template <class Transfer>
[[gnu::always_inline]] inline base::Result<std::size_t> until(base::Deadline deadline, int descriptor, Ready ready,
                                                              Transfer transfer) noexcept {
  if (deadline.is_none()) return transfer(0);
  for (;;) {
    auto count = transfer(MSG_DONTWAIT);
    if (count || count.error().code != base::Code::would_block || deadline.is_now()) return count;
    CORBEL_CHECK(wait_ready(descriptor, ready, deadline, count.error().stage));
  }
}

}  // namespace corbel::ipc::detail
