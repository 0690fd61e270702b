// SPDX-License-Identifier: Apache-2.0
// References to routes, and which comes first.
#include <algorithm>
#include <utility>

#include "corbel/routing/registry.hpp"
#include "corbel/routing/unmet.hpp"

namespace corbel::routing {

using base::Code;
using base::Stage;

namespace {

/// Takes out routes whose protocols have no replies, if there are others. The best of them carries what wants no reply,
/// if it comes before the others.
void set_apart_oneways(std::vector<Route>& routes) {
  const auto is_oneway = [](const Route& route) {
    return !route.protocol->offers().two_way || route.transport->factory().traits().group_profile != 0;
  };
  if (std::all_of(routes.begin(), routes.end(), is_oneway)) return;
  std::shared_ptr<const Route> first;
  if (is_oneway(routes.front())) first = std::make_shared<const Route>(routes.front());
  std::erase_if(routes, is_oneway);
  if (first == nullptr) return;
  for (Route& route : routes) route.oneways = first;
}

/// Where one transport insists, the others are no way out when it fails: they would be taken whenever an attacker makes
/// it fail. What never leaves this host stays.
void keep_to_insistent(std::vector<Route>& routes) {
  const auto insists = [](const Route& route) { return route.transport->factory().insists(); };
  if (std::none_of(routes.begin(), routes.end(), insists)) return;
  std::erase_if(routes, [&](const Route& route) {
    return !insists(route) && route.endpoint->reach() != transport::Reach::this_host;
  });
}

/// What the profile says of one of its endpoints; 0 if nothing.
std::uint32_t bandwidth_of(const ior::ProfileBase& base, const std::string& endpoint) {
  const auto* const component = ior::find_component(base.components, ior::ComponentTag::bandwidths);
  if (component == nullptr) return 0;
  const auto all = ior::decode_bandwidths(*component);
  if (!all) return 0;
  const auto found = std::ranges::find(*all, endpoint, &ior::Bandwidth::endpoint);
  return found == all->end() ? 0 : found->kbit_s;
}

/// False if there is nothing that both sides can read.
bool choose_code_sets(const ior::ProfileBase& base, Route& route) {
  if (!route.protocol->offers().service_contexts) {
    // Both ends are Corbel: UTF-8 and UTF-16 without negotiation.
    route.code_sets = {cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, true, false};
    return true;
  }
  const auto* component =
      route.version.minor >= 1 ? ior::find_component(base.components, ior::ComponentTag::code_sets) : nullptr;
  if (component == nullptr) {
    route.code_sets = ior::choose_code_sets(nullptr);
    return true;
  }
  const auto info = ior::decode_code_sets(*component);
  if (!info) return false;
  route.code_sets = ior::choose_code_sets(&*info);
  return true;
}

}  // namespace

void Registry::add_route(const ior::ProfileBase& base, const ListenPoint& point, std::vector<Route>& routes) const {
  Route route;
  route.protocol = point.protocol;
  route.transport = point.transport;
  route.endpoint = point.endpoint;
  route.version = std::min({base.version, max_version_, route.protocol->version()});
  route.object_key = base.object_key;
  route.bandwidth = bandwidth_of(base, route.endpoint->text());
  if (!choose_code_sets(base, route)) return;
  route.key = std::string(route.protocol->name()) + '+' + route.endpoint->text() + '#' +
              std::to_string(route.version.minor) + '/' +
              std::to_string(static_cast<std::uint32_t>(route.code_sets.for_char)) + '/' +
              std::to_string(static_cast<std::uint32_t>(route.code_sets.for_wchar));
  routes.push_back(std::move(route));
}

void Registry::add_routes(const Parts& parts, const ior::TaggedProfile& profile, std::vector<Route>& routes,
                          Code& limit) const {
  const auto note = [&](Code why) {
    if (why == Code::too_many_components || why == Code::key_too_long) limit = why;
  };
  if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::corbel)) {
    auto own = ior::decode_corbel_profile(profile, limits_);
    if (!own) return note(own.error().code);
    if (const auto point = parse(parts, own->protocol + '+' + own->endpoint)) add_route(*own, *point, routes);
    return;
  }
  for (const auto& transport : parts.transports) {
    auto reachable = transport->factory().decode(profile, limits_);
    if (!reachable) {
      note(reachable.error().code);
      continue;
    }
    const transport::Traits gives = transport->factory().traits();
    const ProtocolPtr* protocol = parts.find_protocol(reachable->protocol);
    if (protocol == nullptr || !unmet(**protocol, gives).empty()) continue;
    for (const auto& endpoint : reachable->endpoints) {
      add_route(reachable->base, {*protocol, transport, endpoint}, routes);
    }
    // By which a group can be asked for replies.
    if (gives.group_profile == 0) continue;
    for (const auto& component : reachable->base.components) {
      if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::group_iiop)) continue;
      add_routes(parts, {static_cast<std::uint32_t>(ior::ProfileTag::internet_iop), component.data}, routes, limit);
    }
  }
}

base::Result<std::vector<Route>> Registry::routes(const ior::Ior& ior,
                                                  const policy::ProtocolPreference& preference) const {
  const PartsPtr now = parts();
  std::vector<Route> found;
  Code limit = Code::no_profile;
  for (std::size_t i = 0; i < ior.profiles.size(); ++i) {
    const std::size_t before = found.size();
    add_routes(*now, ior.profiles[i], found, limit);
    for (std::size_t each = before; each < found.size(); ++each) found[each].profile = static_cast<std::uint32_t>(i);
  }
  if (found.empty()) return base::error(Stage::resolve, limit);
  const auto rank = [&](const Route& route) {
    const std::size_t listed = preference.rank(route.protocol->name(), route.endpoint->scheme());
    // Transports are listed in order of preference, so local ones come before TCP.
    return listed < preference.size() ? listed : preference.size() + route.transport->order();
  };
  std::vector<std::pair<std::size_t, std::size_t>> order;  // rank, and place in what was found
  order.reserve(found.size());
  for (const Route& each : found) order.emplace_back(rank(each), order.size());
  std::ranges::sort(order);
  std::vector<Route> routes;
  routes.reserve(found.size());
  for (const auto& [unused, place] : order) routes.push_back(std::move(found[place]));
  // The same endpoint may be published in several ways.
  const auto last = std::unique(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    return a.key == b.key && a.object_key == b.object_key;
  });
  routes.erase(last, routes.end());
  keep_to_insistent(routes);
  set_apart_oneways(routes);
  return routes;
}

}  // namespace corbel::routing
