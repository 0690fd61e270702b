// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "corbel/ipc/unix_address.hpp"

namespace corbel::ipc::detail {

/// Remembers which socket file was made, so that only that one is removed.
class CORBEL_API SocketFile {
 public:
  SocketFile() noexcept = default;
  explicit SocketFile(const UnixAddress& address) noexcept;
  SocketFile(SocketFile&& other) noexcept
      : address_(std::exchange(other.address_, UnixAddress())), device_(other.device_), inode_(other.inode_) {}
  SocketFile& operator=(SocketFile&& other) noexcept {
    remove();
    address_ = std::exchange(other.address_, UnixAddress());
    device_ = other.device_;
    inode_ = other.inode_;
    return *this;
  }
  ~SocketFile() { remove(); }
  void remove() noexcept;
  void forget() noexcept { address_ = UnixAddress(); }

 private:
  UnixAddress address_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

struct NoFile {
  void remove() noexcept {}
  void forget() noexcept {}
};

/// What an address leaves behind in the file system.
template <class Address>
using FileOf = std::conditional_t<Address::kInternet, NoFile, SocketFile>;

}  // namespace corbel::ipc::detail
