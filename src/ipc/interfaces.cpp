// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/interfaces.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <memory>

namespace corbel::ipc {
namespace {

bool is_link_local(const InetAddress& address) noexcept {
  if (!address.is_v6()) return false;
  return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address.native())->sin6_addr);
}

}  // namespace

std::vector<InetAddress> interface_addresses() {
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(raw, ::freeifaddrs);
  std::vector<InetAddress> found;
  for (const ifaddrs* each = raw; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    const InetAddress address = InetAddress::from_native(each->ifa_addr, size);
    if (!is_link_local(address)) found.push_back(address);
  }
  const bool all_loopback = std::ranges::all_of(found, &InetAddress::is_loopback);
  if (!all_loopback) std::erase_if(found, [](const InetAddress& address) { return address.is_loopback(); });
  std::stable_partition(found.begin(), found.end(), [](const InetAddress& address) { return !address.is_v6(); });
  return found;
}

}  // namespace corbel::ipc
