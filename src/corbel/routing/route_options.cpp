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

/// What a policy wants, of endpoints and of connections to them.
struct Wanted {
  std::uint32_t least = 0;
  std::uint32_t preferred = 0;
  policy::TransportOptionsPtr options;  // null: none
  std::string mistake;
};

Wanted sort_out(const policy::TransportOptionsPtr& options) {
  Wanted wanted;
  auto others = std::make_shared<policy::TransportOptions>(*options);
  std::erase_if(*others, [&](const policy::TransportOption& one) {
    const bool least = one.name == "least_bandwidth";
    if (!least && one.name != "preferred_bandwidth") return false;
    const auto kbit_s = read_bandwidth(one.value);
    if (!kbit_s) wanted.mistake = "'" + one.value + "' is no value of option '" + one.name + "', which takes kbit/s";
    (least ? wanted.least : wanted.preferred) = kbit_s.value_or(0);
    return true;
  });
  if (!others->empty()) wanted.options = others->size() == options->size() ? options : std::move(others);
  return wanted;
}

/// Returns why not, as set_options().
std::string note(Route& route, const Wanted& wanted) {
  if (!wanted.mistake.empty()) return wanted.mistake;
  if (route.bandwidth < wanted.least) {
    return route.endpoint->text() + " promises " +
           (route.bandwidth == 0 ? "no bandwidth" : std::to_string(route.bandwidth) + " kbit/s") + ", not " +
           std::to_string(wanted.least) + " kbit/s";
  }
  if (wanted.options == nullptr) return {};
  transport::ConnectionOptions unused;
  std::string why = set_options(route.transport->factory(), *wanted.options, unused);
  if (!why.empty()) return why;
  route.options = wanted.options;
  route.key += key_of(wanted.options);
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

std::string keep_fitting(std::vector<Route>& routes, std::size_t first, const policy::TransportOptionsPtr& options) {
  const Wanted wanted = sort_out(options);
  std::string why;
  const auto unfit = [&](Route& route) {
    const std::string reason = note(route, wanted);
    if (reason.empty()) return false;
    if (why.find(reason) == std::string::npos) why += (why.empty() ? "" : "; ") + reason;
    return true;
  };
  std::vector<Route> fitting(std::make_move_iterator(routes.begin()),
                             std::make_move_iterator(routes.begin() + static_cast<std::ptrdiff_t>(first)));
  std::vector<Route> rest;  // without the bandwidth that is preferred: they come last
  for (std::size_t i = first; i < routes.size(); ++i) {
    Route& route = routes[i];
    if (unfit(route)) continue;
    if (route.oneways != nullptr) {
      // Without it, what wants no reply goes with the rest.
      Route apart = *route.oneways;
      route.oneways = note(apart, wanted).empty() ? std::make_shared<const Route>(std::move(apart)) : nullptr;
    }
    (route.bandwidth < wanted.preferred ? rest : fitting).push_back(std::move(route));
  }
  for (Route& route : rest) fitting.push_back(std::move(route));
  routes = std::move(fitting);
  return why;
}

}  // namespace corbel::routing
