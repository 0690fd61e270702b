// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/udp/carrier.hpp"

namespace corbel::transport::udp {

bool Peers::admits(const ipc::InetAddress& address) {
  const std::lock_guard lock(mutex_);
  if (carriers_.contains(address)) return false;
  if (carriers_.size() < most_) return true;
  end_silent();
  return false;
}

/// Their owners let go of them soon. A look at all of them is worth it now and then only.
void Peers::end_silent() noexcept {
  if (!next_look_.is_now() && !next_look_.expired()) return;
  next_look_ = base::Deadline::after(silence_);
  for (const auto& [address, carrier] : carriers_) {
    if (!carrier->heard()) carrier->shutdown();
  }
}

void Peers::enter(const ipc::InetAddress& address, UdpCarrier& carrier) {
  const std::lock_guard lock(mutex_);
  carriers_.emplace(address, &carrier);
}

void Peers::leave(const ipc::InetAddress& address) noexcept {
  const std::lock_guard lock(mutex_);
  carriers_.erase(address);
}

}  // namespace corbel::transport::udp
