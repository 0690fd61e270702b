// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/succession.hpp"

#include <functional>

namespace corbel::bridge {

Succession::Place Succession::find(const connection::Connection& client, const routing::Route& route) {
  Place place;
  const std::uint64_t of_client = std::hash<const void*>()(&client);
  place.identity = std::hash<std::string>()(route.key) ^ (of_client * 0x9e3779b97f4a7c15U);
  if (!used()) return place;
  const std::lock_guard lock(mutex_);
  const Place& known = slot(place.identity);
  return known.identity == place.identity ? known : place;
}

void Succession::note_oneway(const Place& place, const connection::Connection& server) {
  used_.store(true, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  slot(place.identity) = {place.identity, &server, ++oneways_};
}

void Succession::note_answer(const Place& place) {
  if (place.follows == nullptr) return;
  const std::lock_guard lock(mutex_);
  Place& known = slot(place.identity);
  if (known.identity == place.identity && known.number == place.number) known = {};
}

}  // namespace corbel::bridge
