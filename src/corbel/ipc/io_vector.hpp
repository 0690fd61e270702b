// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "corbel/base/bytes.hpp"

namespace corbel::ipc {

/// One piece of a gather list: octets to be sent, not owned. An array of them is an array of struct iovec.
struct ConstIoVector : iovec {
  constexpr ConstIoVector() noexcept : iovec{nullptr, 0} {}
  ConstIoVector(const void* data, std::size_t size) noexcept : iovec{const_cast<void*>(data), size} {}
  ConstIoVector(base::ConstByteSpan bytes) noexcept : ConstIoVector(bytes.data(), bytes.size()) {}

  const base::Octet* data() const noexcept { return static_cast<const base::Octet*>(iov_base); }
  std::size_t size() const noexcept { return iov_len; }
  /// Drops the first `count` octets; count <= size().
  void remove_prefix(std::size_t count) noexcept {
    iov_base = static_cast<char*>(iov_base) + count;
    iov_len -= count;
  }
};

/// One piece of a scatter list: room for octets to be received, not owned.
struct IoVector : iovec {
  constexpr IoVector() noexcept : iovec{nullptr, 0} {}
  IoVector(void* data, std::size_t size) noexcept : iovec{data, size} {}
  IoVector(base::ByteSpan bytes) noexcept : iovec{bytes.data(), bytes.size()} {}

  base::Octet* data() const noexcept { return static_cast<base::Octet*>(iov_base); }
  std::size_t size() const noexcept { return iov_len; }
  /// Drops the first `count` octets; count <= size().
  void remove_prefix(std::size_t count) noexcept {
    iov_base = static_cast<char*>(iov_base) + count;
    iov_len -= count;
  }
};

static_assert(sizeof(ConstIoVector) == sizeof(iovec) && sizeof(IoVector) == sizeof(iovec));

/// What is left of a list after `count` octets of it were transferred. Shortens the first remaining piece in place.
template <class Vector>
std::span<Vector> skip(std::span<Vector> list, std::size_t count) noexcept {
  while (!list.empty() && count >= list.front().size()) {
    count -= list.front().size();
    list = list.subspan(1);
  }
  if (!list.empty() && count != 0) list.front().remove_prefix(count);
  return list;
}

}  // namespace corbel::ipc
