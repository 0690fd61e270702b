// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/door.hpp"

#include <random>

namespace corbel::transport::rudp {

std::uint64_t random_token() {
  std::random_device source;
  std::uint64_t token = 0;
  while (token == 0) token = std::uint64_t{source()} << 32 | source();
  return token;
}

Cookie Door::cookie_for(const ipc::InetAddress& client, std::uint64_t token, Time now) const noexcept {
  const auto made = static_cast<std::uint64_t>(now.count());
  return {made, proof(made, client, token)};
}

bool Door::is_right(const Cookie& cookie, const ipc::InetAddress& client, std::uint64_t token,
                    Time now) const noexcept {
  const auto clock = static_cast<std::uint64_t>(now.count());
  if (cookie.made > clock || clock - cookie.made > static_cast<std::uint64_t>(kGoodFor.count())) return false;
  return cookie.proof == proof(cookie.made, client, token);
}

std::uint64_t Door::proof(std::uint64_t made, const ipc::InetAddress& client, std::uint64_t token) const noexcept {
  return KeyedHash(secret_)
      .add(made)
      .add(token)
      .add({reinterpret_cast<const base::Octet*>(client.native()), client.size()})
      .result();
}

}  // namespace corbel::transport::rudp
