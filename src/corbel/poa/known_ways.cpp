// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/known_ways.hpp"

#include <algorithm>

namespace corbel::poa {

KnownWays& KnownWays::make() noexcept {
  t_mine = &base::ThreadValue<KnownWays>::here();
  return *t_mine;
}

void KnownWays::replace(Way& way, const void* adapter, base::ConstByteSpan key) noexcept {
  if (way.users != 0) return;
  way.place.emplace(orb::Place::For::requests);
  way.adapter = adapter;
  way.size = static_cast<std::uint32_t>(key.size());
  std::ranges::copy(key, way.key.begin());
}

}  // namespace corbel::poa
