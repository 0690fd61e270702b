// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/interfaces.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <memory>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

bool is_link_local(const InetAddress& address) noexcept {
  if (!address.is_v6()) return false;
  return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address.native())->sin6_addr);
}

using InterfaceList = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

InterfaceList list_interfaces() noexcept {
  ifaddrs* list = nullptr;
  return InterfaceList(::getifaddrs(&list) == 0 ? list : nullptr, ::freeifaddrs);
}

}  // namespace

std::vector<InetAddress> interface_addresses() {
  const InterfaceList list = list_interfaces();
  std::vector<InetAddress> found;
  for (const ifaddrs* each = list.get(); each != nullptr; each = each->ifa_next) {
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

std::vector<InetAddress> broadcast_addresses() {
  const InterfaceList list = list_interfaces();
  std::vector<InetAddress> found;
  for (const ifaddrs* each = list.get(); each != nullptr; each = each->ifa_next) {
    constexpr unsigned int kWanted = IFF_UP | IFF_BROADCAST;
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET || (each->ifa_flags & kWanted) != kWanted) {
      continue;
    }
    if (each->ifa_broadaddr != nullptr) {
      found.push_back(InetAddress::from_native(each->ifa_broadaddr, sizeof(sockaddr_in)));
    }
  }
  return found;
}

base::Result<NetworkInterface> NetworkInterface::find(std::string_view name) noexcept {
  std::array<char, IF_NAMESIZE> text{};
  if (name.size() < text.size()) name.copy(text.data(), name.size());
  const std::uint32_t index = ::if_nametoindex(text.data());
  if (index == 0) return last_failure(base::Stage::resolve);
  return NetworkInterface(index);
}

std::string NetworkInterface::name() const {
  std::array<char, IF_NAMESIZE> text{};
  return ::if_indextoname(index_, text.data()) != nullptr ? text.data() : std::string();
}

}  // namespace corbel::ipc
