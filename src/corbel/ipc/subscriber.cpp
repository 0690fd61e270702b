// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/subscriber.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace corbel::ipc {

InetAddress subscriber(const InetAddress& address) noexcept {
  if (!address.is_v6()) return address.with_port(0);
  sockaddr_in6 six{};
  std::memcpy(&six, address.native(), sizeof six);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    std::memcpy(&four.sin_addr, six.sin6_addr.s6_addr + 12, sizeof four.sin_addr);
    return InetAddress::from_native(reinterpret_cast<const sockaddr*>(&four), sizeof four);
  }
  std::fill(std::begin(six.sin6_addr.s6_addr) + 8, std::end(six.sin6_addr.s6_addr), 0);
  six.sin6_port = 0;
  return InetAddress::from_native(reinterpret_cast<const sockaddr*>(&six), sizeof six);
}

}  // namespace corbel::ipc
