// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"

namespace corbel::ipc {

/// An Internet endpoint: IPv4 or IPv6 address and port. A small value; never uninitialised (the default is 0.0.0.0:0).
/// Ports are in host byte order everywhere in this interface.
class CORBEL_API InetAddress {
 public:
  static constexpr bool kInternet = true;

  InetAddress() noexcept;
  /// The wildcard address of a family ("every interface"); v6 also takes IPv4 clients unless v6_only is set.
  static InetAddress any_v4(std::uint16_t port = 0) noexcept;
  static InetAddress any_v6(std::uint16_t port = 0) noexcept;
  static InetAddress loopback_v4(std::uint16_t port = 0) noexcept;
  static InetAddress loopback_v6(std::uint16_t port = 0) noexcept;
  /// Numeric form only ("10.0.0.1", "::1", "fe80::1%eth0", no brackets); never asks a name server. Error: bad_argument.
  static base::Result<InetAddress> parse(std::string_view host, std::uint16_t port) noexcept;
  /// Every address of a host name or numeric address, in the order in which they should be tried: the system's (RFC
  /// 6724), with the families taking turns; never empty. Blocks as long as the system's resolver does. Errors (stage
  /// resolve): unreachable (no such host), out_of_resources.
  static base::Result<std::vector<InetAddress>> resolve(std::string_view host, std::uint16_t port);
  /// Has the families take turns, beginning with that of the first address; else nothing changes places (RFC 8305,
  /// section 4).
  static void alternate_families(std::vector<InetAddress>& addresses);
  /// From what a system call filled in; the empty address if it is of another family.
  static InetAddress from_native(const sockaddr* address, socklen_t size) noexcept;

  /// Lets a system call fill in this address: `call(sockaddr*, socklen_t*)`, whose result is returned. For calls that
  /// give Internet addresses. The length never leaves this class, so that no caller can forget to set it.
  template <class Call>
  auto fill(Call call) noexcept {
    size_ = sizeof storage_;
    return call(&storage_.any, &size_);
  }

  const sockaddr* native() const noexcept { return &storage_.any; }
  socklen_t size() const noexcept { return size_; }
  int family() const noexcept { return storage_.any.sa_family; }

  bool is_v6() const noexcept { return storage_.any.sa_family == AF_INET6; }
  bool is_any() const noexcept;
  /// 127.0.0.0/8, ::1 or an IPv4-mapped loopback address.
  bool is_loopback() const noexcept;
  std::uint16_t port() const noexcept;
  InetAddress with_port(std::uint16_t port) const noexcept;
  /// The number of the interface whose address this is, of IPv6 addresses that mean nothing elsewhere (fe80::, ff02::);
  /// 0 if it is not said, or another address.
  std::uint32_t scope() const noexcept;
  /// Such an address that does not say it, at that interface; others as they are.
  InetAddress with_scope(std::uint32_t interface) const noexcept;
  /// The numeric address alone: "127.0.0.1", "::1".
  std::string host() const;
  /// "127.0.0.1:80", "[::1]:80".
  std::string to_string() const;

  /// Same family, address, scope and port.
  friend CORBEL_API bool operator==(const InetAddress& a, const InetAddress& b) noexcept;
  std::size_t hash() const noexcept;

 private:
  explicit InetAddress(const in_addr& address, std::uint16_t port) noexcept;
  explicit InetAddress(const in6_addr& address, std::uint16_t port, std::uint32_t scope = 0) noexcept;

  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } storage_;
  socklen_t size_;
};

}  // namespace corbel::ipc

template <>
struct std::hash<corbel::ipc::InetAddress> {
  std::size_t operator()(const corbel::ipc::InetAddress& address) const noexcept { return address.hash(); }
};
