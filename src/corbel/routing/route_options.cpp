// SPDX-License-Identifier: Apache-2.0
#include "corbel/routing/route_options.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "corbel/transport/connection_options.hpp"

namespace corbel::routing {
namespace {

/// For a transport that does not know the option.
std::string known_options(const transport::Factory& factory) {
  std::string text;
  for (const auto options : {factory.connection_options(), transport::common_options()}) {
    for (const auto& known : options) text.append(text.empty() ? "it has " : ", ").append(known.name);
  }
  return text;
}

/// Null if neither the transport nor every connection has it.
const transport::ConnectionOption* find_option(const transport::Factory& factory, std::string_view name) {
  for (const auto options : {factory.connection_options(), transport::common_options()}) {
    const auto known =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.name == name; });
    if (known != options.end()) return &*known;
  }
  return nullptr;
}

/// Returns why not, as set_options().
std::string note(Route& route, const policy::TransportOptionsPtr& wanted) {
  transport::ConnectionOptions unused;
  std::string why = set_options(route.transport->factory(), *wanted, unused);
  if (!why.empty()) return why;
  route.options = wanted;
  route.key += key_of(wanted);
  return {};
}

}  // namespace

std::string set_options(const transport::Factory& factory, const policy::TransportOptions& wanted,
                        transport::ConnectionOptions& options) {
  const std::string who = "transport '" + std::string(factory.scheme()) + "'";
  for (const policy::TransportOption& one : wanted) {
    const auto* const known = find_option(factory, one.name);
    if (known == nullptr) return who + " has no option '" + one.name + "'; " + known_options(factory);
    if (known->set(options, one.value)) continue;
    return who + ": '" + one.value + "' is no value of option '" + one.name + "', which takes " +
           std::string(known->values);
  }
  return {};
}

std::string key_of(const policy::TransportOptionsPtr& options) {
  std::string key;
  if (options == nullptr) return key;
  for (const policy::TransportOption& one : *options) key += (key.empty() ? '?' : '&') + one.name + '=' + one.value;
  return key;
}

std::string keep_fitting(std::vector<Route>& routes, std::size_t first, const policy::TransportOptionsPtr& wanted) {
  std::string why;
  const auto unfit = [&](Route& route) {
    const std::string reason = note(route, wanted);
    if (reason.empty()) return false;
    if (why.find(reason) == std::string::npos) why += (why.empty() ? "" : "; ") + reason;
    return true;
  };
  std::vector<Route> fitting(std::make_move_iterator(routes.begin()),
                             std::make_move_iterator(routes.begin() + static_cast<std::ptrdiff_t>(first)));
  for (std::size_t i = first; i < routes.size(); ++i) {
    Route& route = routes[i];
    if (unfit(route)) continue;
    if (route.oneways != nullptr) {
      // Without it, what wants no reply goes with the rest.
      Route apart = *route.oneways;
      route.oneways = note(apart, wanted).empty() ? std::make_shared<const Route>(std::move(apart)) : nullptr;
    }
    fitting.push_back(std::move(route));
  }
  routes = std::move(fitting);
  return why;
}

}  // namespace corbel::routing
