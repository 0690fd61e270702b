// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/target.hpp"

#include <algorithm>
#include <string>

#include "corbel/orb/core.hpp"

namespace corbel::bridge {
namespace {

/// The connections of the route speak in that manner, and are not shared with others that do not.
void adapt(routing::Route& route, const Manner& manner) {
  if (!route.protocol->offers().service_contexts) return;
  route.version.minor = std::min(route.version.minor, manner.minor);
  route.code_sets.for_char = manner.char_set;
  route.code_sets.for_wchar = manner.wchar_set;
  route.code_sets.negotiated = manner.told && route.version.minor != 0;
  route.code_sets.compatible = true;
  route.key = std::string(route.protocol->name()) + '+' + route.endpoint->text() + '#' +
              std::to_string(route.version.minor) + '/' + std::to_string(static_cast<std::uint32_t>(manner.char_set)) +
              '/' + std::to_string(static_cast<std::uint32_t>(manner.wchar_set)) + (manner.told ? "/told" : "/bridge");
}

}  // namespace

base::Result<Target::RoutesPtr> Target::routes(orb::Core& core, const Manner& manner) {
  const std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    if (known.manner == manner) return known.routes;
  }
  if (all_ == nullptr) {
    CORBEL_TRY(auto found, core.routes_elsewhere(ior_, {}));
    all_ = std::make_shared<const Routes>(std::move(found));
  }
  auto adapted = std::make_shared<Routes>(*all_);
  for (routing::Route& route : *adapted) adapt(route, manner);
  known_.push_back({manner, adapted});
  return RoutesPtr(std::move(adapted));
}

}  // namespace corbel::bridge
