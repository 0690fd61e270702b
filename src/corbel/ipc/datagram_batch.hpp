// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/ipc/io_vector.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/unix_address.hpp"

namespace corbel::ipc {

namespace detail {

CORBEL_API base::Result<std::size_t> send_messages(int descriptor, std::span<const mmsghdr> messages,
                                                   int flags) noexcept;
CORBEL_API base::Result<std::size_t> recv_messages(int descriptor, std::span<mmsghdr> messages, int flags) noexcept;

}  // namespace detail

/// Datagrams to be sent with one system call. Memory is taken once, when it is made; the octets are not copied and must
/// stay until they are sent. Move-only: it holds pointers into itself.
template <class Address>
class OutputBatch {
 public:
  /// `capacity`: datagrams, at least 1; the system takes at most 1,024 in one call.
  explicit OutputBatch(std::size_t capacity) : pieces_(capacity), addresses_(capacity), messages_(capacity) {}
  OutputBatch(OutputBatch&&) noexcept = default;
  OutputBatch& operator=(OutputBatch&&) noexcept = default;

  /// Adds a datagram for `to`; false if the batch is full.
  [[nodiscard]] bool add(base::ConstByteSpan data, const Address& to) noexcept {
    if (size_ == messages_.size()) return false;
    addresses_[size_] = to;
    msghdr& header = next(data);
    header.msg_name = const_cast<sockaddr*>(addresses_[size_].native());
    header.msg_namelen = to.size();
    ++size_;
    return true;
  }
  /// The same, gathered from a list of at most 1,024 pieces, which has to stay as well.
  [[nodiscard]] bool add(std::span<const ConstIoVector> list, const Address& to) noexcept {
    if (!add(base::ConstByteSpan(), to)) return false;
    msghdr& header = messages_[size_ - 1].msg_hdr;
    header.msg_iov = const_cast<ConstIoVector*>(list.data());
    header.msg_iovlen = list.size();
    return true;
  }
  /// Adds a datagram for the peer of a connected socket.
  [[nodiscard]] bool add(base::ConstByteSpan data) noexcept {
    if (size_ == messages_.size()) return false;
    next(data);
    ++size_;
    return true;
  }
  /// Datagrams that are left.
  std::size_t size() const noexcept { return size_ - first_; }
  /// Forgets the first `count` that are left, which were sent.
  void drop(std::size_t count) noexcept { first_ = std::min(size_, first_ + count); }
  void clear() noexcept { first_ = size_ = 0; }

  base::Result<std::size_t> send(int descriptor, int flags) const noexcept {
    return detail::send_messages(descriptor, std::span(messages_).subspan(first_, size()), flags);
  }

 private:
  msghdr& next(base::ConstByteSpan data) noexcept {
    pieces_[size_] = ConstIoVector(data);
    msghdr& header = messages_[size_].msg_hdr;
    header = msghdr{};
    header.msg_iov = &pieces_[size_];
    header.msg_iovlen = 1;
    return header;
  }

  std::vector<ConstIoVector> pieces_;
  std::vector<Address> addresses_;
  std::vector<mmsghdr> messages_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// Room for datagrams that are received with one system call. Memory is taken once, when it is made.
template <class Address>
class InputBatch {
 public:
  /// Room for `capacity` datagrams (1 to 1,024) of at most `room` octets each.
  InputBatch(std::size_t capacity, std::size_t room)
      : octets_(capacity * room), pieces_(capacity), addresses_(capacity), messages_(capacity) {
    for (std::size_t i = 0; i < capacity; ++i) {
      pieces_[i] = IoVector(octets_.data() + i * room, room);
      messages_[i].msg_hdr.msg_iov = &pieces_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
      messages_[i].msg_hdr.msg_name = &addresses_[i];
    }
  }
  InputBatch(InputBatch&&) noexcept = default;
  InputBatch& operator=(InputBatch&&) noexcept = default;

  /// Datagrams that the last receive brought.
  std::size_t size() const noexcept { return size_; }
  /// The octets of datagram `index` < size(), valid until the next receive. Error: truncated when it was longer than
  /// the room for one.
  base::Result<base::ConstByteSpan> data(std::size_t index) const noexcept {
    const mmsghdr& message = messages_[index];
    if ((message.msg_hdr.msg_flags & MSG_TRUNC) != 0) {
      return base::error(base::Stage::receive, base::Code::truncated);
    }
    return base::ConstByteSpan(pieces_[index].data(), message.msg_len);
  }
  /// The sender of datagram `index`.
  Address from(std::size_t index) const noexcept {
    return Address::from_native(reinterpret_cast<const sockaddr*>(&addresses_[index]),
                                messages_[index].msg_hdr.msg_namelen);
  }

  base::Result<std::size_t> receive(int descriptor, int flags) noexcept {
    size_ = 0;
    for (mmsghdr& message : messages_) message.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
    CORBEL_TRY(size_, detail::recv_messages(descriptor, messages_, flags));
    return std::size_t{size_};
  }

 private:
  base::Bytes octets_;
  std::vector<IoVector> pieces_;
  std::vector<sockaddr_storage> addresses_;
  std::vector<mmsghdr> messages_;
  std::size_t size_ = 0;
};

}  // namespace corbel::ipc
