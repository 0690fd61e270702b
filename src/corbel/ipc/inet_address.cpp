// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/inet_address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

/// A terminated copy of text for C interfaces; empty if it does not fit or holds NUL (no valid name does either).
template <std::size_t kSize>
std::array<char, kSize> terminated(std::string_view text) noexcept {
  std::array<char, kSize> copy{};
  if (text.size() < kSize && text.find('\0') == std::string_view::npos) text.copy(copy.data(), text.size());
  return copy;
}

/// The interface index of an IPv6 zone ("eth0" or "2"); 0 if there is none.
std::uint32_t scope_of(std::string_view zone) noexcept {
  std::uint32_t index = 0;
  const auto [end, failed] = std::from_chars(zone.data(), zone.data() + zone.size(), index);
  if (failed == std::errc() && end == zone.data() + zone.size()) return index;
  return ::if_nametoindex(terminated<IF_NAMESIZE>(zone).data());
}

base::Error resolver_failure(int failure_code, int os_error) noexcept {
  switch (failure_code) {
    case EAI_MEMORY:
      return base::error(Stage::resolve, Code::out_of_resources);
    case EAI_SYSTEM:
      return failure(Stage::resolve, os_error);
    default:
      return base::error(Stage::resolve, Code::unreachable, failure_code);  // negative: see resolver_text
  }
}

}  // namespace

const char* resolver_text(int failure) noexcept {
  return ::gai_strerror(failure);
}

InetAddress::InetAddress() noexcept : InetAddress(in_addr{INADDR_ANY}, 0) {}

InetAddress::InetAddress(const in_addr& address, std::uint16_t port) noexcept : size_(sizeof(sockaddr_in)) {
  std::memset(&storage_, 0, sizeof storage_);
  storage_.v4.sin_family = AF_INET;
  storage_.v4.sin_addr = address;
  storage_.v4.sin_port = htons(port);
}

InetAddress::InetAddress(const in6_addr& address, std::uint16_t port, std::uint32_t scope) noexcept
    : size_(sizeof(sockaddr_in6)) {
  std::memset(&storage_, 0, sizeof storage_);
  storage_.v6.sin6_family = AF_INET6;
  storage_.v6.sin6_addr = address;
  storage_.v6.sin6_port = htons(port);
  storage_.v6.sin6_scope_id = scope;
}

InetAddress InetAddress::any_v4(std::uint16_t port) noexcept {
  return InetAddress(in_addr{INADDR_ANY}, port);
}
InetAddress InetAddress::any_v6(std::uint16_t port) noexcept {
  return InetAddress(in6addr_any, port);
}
InetAddress InetAddress::loopback_v4(std::uint16_t port) noexcept {
  return InetAddress(in_addr{htonl(INADDR_LOOPBACK)}, port);
}
InetAddress InetAddress::loopback_v6(std::uint16_t port) noexcept {
  return InetAddress(in6addr_loopback, port);
}

base::Result<InetAddress> InetAddress::parse(std::string_view host, std::uint16_t port) noexcept {
  in_addr v4{};
  if (::inet_pton(AF_INET, terminated<INET_ADDRSTRLEN>(host).data(), &v4) == 1) return InetAddress(v4, port);
  const std::size_t percent = host.find('%');
  std::uint32_t scope = 0;
  if (percent != std::string_view::npos) {
    scope = scope_of(host.substr(percent + 1));
    if (scope == 0) return base::error(Stage::resolve, Code::bad_argument);
  }
  in6_addr v6{};
  const auto text = terminated<INET6_ADDRSTRLEN>(host.substr(0, percent));
  if (::inet_pton(AF_INET6, text.data(), &v6) == 1) return InetAddress(v6, port, scope);
  return base::error(Stage::resolve, Code::bad_argument);
}

base::Result<std::vector<InetAddress>> InetAddress::resolve(std::string_view host, std::uint16_t port) {
  if (auto numeric = parse(host, port)) return std::vector{*numeric};
  if (host.empty() || host.find('\0') != std::string_view::npos) {
    return base::error(Stage::resolve, Code::unreachable);
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(std::string(host).c_str(), nullptr, &hints, &list);
  if (failed != 0) return resolver_failure(failed, errno);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, ::freeaddrinfo);
  std::vector<InetAddress> addresses;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    const InetAddress address = from_native(each->ai_addr, each->ai_addrlen).with_port(port);
    if (addresses.empty() || !(addresses.back() == address)) addresses.push_back(address);
  }
  if (addresses.empty()) return base::error(Stage::resolve, Code::unreachable);
  alternate_families(addresses);
  return addresses;
}

void InetAddress::alternate_families(std::vector<InetAddress>& addresses) {
  if (addresses.empty()) return;
  const auto is_first = [family = addresses.front().family()](const InetAddress& one) {
    return one.family() == family;
  };
  const auto others = std::stable_partition(addresses.begin(), addresses.end(), is_first);
  std::vector<InetAddress> alternate;
  alternate.reserve(addresses.size());
  for (auto first = addresses.begin(), second = others; first != others || second != addresses.end();) {
    if (first != others) alternate.push_back(*first++);
    if (second != addresses.end()) alternate.push_back(*second++);
  }
  addresses = std::move(alternate);
}

InetAddress InetAddress::from_native(const sockaddr* address, socklen_t size) noexcept {
  InetAddress result;
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    std::memcpy(&result.storage_.v4, address, sizeof(sockaddr_in));
  } else if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    std::memcpy(&result.storage_.v6, address, sizeof(sockaddr_in6));
    result.size_ = sizeof(sockaddr_in6);
  }
  return result;
}

bool InetAddress::is_any() const noexcept {
  return is_v6() ? IN6_IS_ADDR_UNSPECIFIED(&storage_.v6.sin6_addr) : storage_.v4.sin_addr.s_addr == INADDR_ANY;
}

bool InetAddress::is_loopback() const noexcept {
  if (!is_v6()) return ntohl(storage_.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  const in6_addr& address = storage_.v6.sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&address) || (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == IN_LOOPBACKNET);
}

std::uint16_t InetAddress::port() const noexcept {
  return ntohs(is_v6() ? storage_.v6.sin6_port : storage_.v4.sin_port);
}

InetAddress InetAddress::with_port(std::uint16_t port) const noexcept {
  InetAddress copy = *this;
  (is_v6() ? copy.storage_.v6.sin6_port : copy.storage_.v4.sin_port) = htons(port);
  return copy;
}

std::uint32_t InetAddress::scope() const noexcept {
  return is_v6() ? storage_.v6.sin6_scope_id : 0;
}

InetAddress InetAddress::with_scope(std::uint32_t interface) const noexcept {
  InetAddress copy = *this;
  if (!is_v6() || scope() != 0) return copy;
  const in6_addr& address = storage_.v6.sin6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&address) || IN6_IS_ADDR_MC_LINKLOCAL(&address) || IN6_IS_ADDR_MC_NODELOCAL(&address)) {
    copy.storage_.v6.sin6_scope_id = interface;
  }
  return copy;
}

std::string InetAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* octets = is_v6() ? static_cast<const void*>(&storage_.v6.sin6_addr) : &storage_.v4.sin_addr;
  ::inet_ntop(family(), octets, text.data(), text.size());
  std::string result(text.data());
  if (is_v6() && storage_.v6.sin6_scope_id != 0) {
    std::array<char, IF_NAMESIZE> zone{};
    const bool named = ::if_indextoname(storage_.v6.sin6_scope_id, zone.data()) != nullptr;
    result += '%';
    result += named ? std::string(zone.data()) : std::to_string(storage_.v6.sin6_scope_id);
  }
  return result;
}

std::string InetAddress::to_string() const {
  const std::string port_text = ':' + std::to_string(port());
  return is_v6() ? '[' + host() + ']' + port_text : host() + port_text;
}

bool operator==(const InetAddress& a, const InetAddress& b) noexcept {
  if (a.is_v6() != b.is_v6() || a.port() != b.port()) return false;
  if (!a.is_v6()) return a.storage_.v4.sin_addr.s_addr == b.storage_.v4.sin_addr.s_addr;
  return IN6_ARE_ADDR_EQUAL(&a.storage_.v6.sin6_addr, &b.storage_.v6.sin6_addr) &&
         a.storage_.v6.sin6_scope_id == b.storage_.v6.sin6_scope_id;
}

std::size_t InetAddress::hash() const noexcept {
  const auto* octets = is_v6() ? reinterpret_cast<const char*>(&storage_.v6.sin6_addr)
                               : reinterpret_cast<const char*>(&storage_.v4.sin_addr);
  const std::string_view address(octets, is_v6() ? sizeof(in6_addr) : sizeof(in_addr));
  return std::hash<std::string_view>()(address) * 31 + port();
}

}  // namespace corbel::ipc
