// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"

namespace corbel::ipc {

/// The address of a local (UNIX-domain) socket: a path, a Linux abstract name, or unnamed (the default, and what a
/// client's end has). A value.
class CORBEL_API UnixAddress {
 public:
  static constexpr bool kInternet = false;
  /// Longest path and longest abstract name, in octets.
  static constexpr std::size_t kMaxLength = sizeof(sockaddr_un::sun_path) - 1;

  UnixAddress() noexcept;
  /// A socket in the file system. Errors: bad_argument (empty, or holds NUL), too_large (beyond kMaxLength).
  static base::Result<UnixAddress> path(std::string_view path) noexcept;
  /// A name in Linux's abstract name space: any octets, no file, gone with its last socket. Errors as path().
  static base::Result<UnixAddress> abstract(std::string_view name) noexcept;
  /// From what a system call filled in; unnamed if it is of another family.
  static UnixAddress from_native(const sockaddr* address, socklen_t size) noexcept;

  /// Lets a system call fill in this address: `call(sockaddr*, socklen_t*)`, whose result is returned. Unnamed if it
  /// filled in nothing.
  template <class Call>
  auto fill(Call call) noexcept {
    sockaddr_storage room{};
    socklen_t size = sizeof room;
    auto result = call(reinterpret_cast<sockaddr*>(&room), &size);
    *this = from_native(reinterpret_cast<const sockaddr*>(&room), size);
    return result;
  }

  const sockaddr* native() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const noexcept { return size_; }
  int family() const noexcept { return AF_UNIX; }

  bool is_unnamed() const noexcept;
  bool is_abstract() const noexcept;
  /// The path, or the abstract name without its leading NUL.
  std::string_view name() const noexcept;
  /// The path; "@name" for an abstract one (octets that do not print as "\xhh"); "" if unnamed.
  std::string to_string() const;

  friend CORBEL_API bool operator==(const UnixAddress& a, const UnixAddress& b) noexcept;
  std::size_t hash() const noexcept;

 private:
  sockaddr_un storage_;
  socklen_t size_;
};

}  // namespace corbel::ipc

template <>
struct std::hash<corbel::ipc::UnixAddress> {
  std::size_t operator()(const corbel::ipc::UnixAddress& address) const noexcept { return address.hash(); }
};
