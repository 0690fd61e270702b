// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/places.hpp"

#include <algorithm>
#include <iterator>

namespace corbel::orb {

using routing::Route;

Places::Places(Ways ways, std::uint32_t parts) : all_(places_of(std::move(ways), 0)), parts_(parts) {}

/// A reference may name thousands of addresses; no call gets beyond the first of them.
std::vector<Places::Place> Places::places_of(Ways ways, unsigned depth) {
  std::vector<Route>& routes = ways.routes;
  if (routes.size() > kMost) {
    routes.erase(routes.begin() + static_cast<std::ptrdiff_t>(kMost), routes.end());
  }
  std::vector<Place> places;
  places.reserve(routes.size());
  for (Route& route : routes) {
    places.push_back({std::move(route), depth, ways.first_here && places.empty(), ways.reference});
  }
  return places;
}

void Places::replace(Ways ways) {
  all_ = places_of(std::move(ways), 0);
}

void Places::splice(std::size_t index, Ways ways) {
  cut_below(index);
  auto added = places_of(std::move(ways), all_[index].depth + 1);
  all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(index + 1), std::move_iterator(added.begin()),
              std::move_iterator(added.end()));
}

void Places::cut_below(std::size_t index) {
  const auto first = all_.begin() + static_cast<std::ptrdiff_t>(index + 1);
  const auto last = std::find_if(first, all_.end(), [&](const Place& one) { return one.depth <= all_[index].depth; });
  all_.erase(first, last);
}

std::size_t Places::keep_chain(std::size_t index) {
  const auto first = static_cast<std::ptrdiff_t>(origin(index));
  auto last = static_cast<std::ptrdiff_t>(index + 1);
  const auto size = static_cast<std::ptrdiff_t>(all_.size());
  while (last < size && all_[static_cast<std::size_t>(last)].depth > 0) ++last;
  const auto forwarded = [](const Place& place) { return place.depth > 0; };
  all_.erase(std::remove_if(all_.begin() + last, all_.end(), forwarded), all_.end());
  const auto left = std::remove_if(all_.begin(), all_.begin() + first, forwarded);
  const auto cut = static_cast<std::size_t>(all_.begin() + first - left);
  all_.erase(left, all_.begin() + first);
  return index - cut;
}

std::size_t Places::origin(std::size_t index) const noexcept {
  while (all_[index].depth > 0) --index;
  return index;
}

}  // namespace corbel::orb
