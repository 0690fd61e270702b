// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/call_trace.hpp"

#include <chrono>

namespace corbel::orb {

std::int64_t CallTrace::now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void CallTrace::tell(std::string_view operation, base::ConstByteSpan key, std::string_view peer,
                     std::string_view outcome) const noexcept {
  CORBEL_LOG(log_, client, trace, "call made", {"operation", operation}, {"key", key}, {"peer", peer},
             {"outcome", outcome}, {"us", (now() - begin_) / 1000});
}

}  // namespace corbel::orb
