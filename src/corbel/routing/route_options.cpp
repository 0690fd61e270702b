// SPDX-License-Identifier: Apache-2.0
#include "corbel/routing/route_options.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "corbel/transport/connection_options.hpp"

namespace corbel::routing {
namespace {

using Known = std::initializer_list<std::span<const transport::ConnectionOption>>;

/// For a transport that does not know the option.
std::string list(Known known) {
  std::string text;
  for (const auto& options : known) {
    for (const auto& each : options) text.append(text.empty() ? "; it has " : ", ").append(each.name);
  }
  return text;
}

/// Null if it is none of them.
const transport::ConnectionOption* find(Known known, std::string_view name) {
  for (const auto& options : known) {
    const auto found = std::ranges::find(options, name, &transport::ConnectionOption::name);
    if (found != options.end()) return &*found;
  }
  return nullptr;
}

/// Returns why not, as set_options().
std::string set_known(Known known, const transport::Factory& factory, const policy::TransportOptions& wanted,
                      transport::ConnectionOptions& options) {
  const std::string who = "transport '" + std::string(factory.scheme()) + "'";
  for (const policy::TransportOption& one : wanted) {
    const auto* const option = find(known, one.name);
    if (option == nullptr) return who + " has no option '" + one.name + "'" + list(known);
    if (option->set(options, one.value)) continue;
    return who + ": '" + one.value + "' is no value of option '" + one.name + "', which takes " +
           std::string(option->values);
  }
  return {};
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
  return set_known({factory.connection_options(), transport::common_options()}, factory, wanted, options);
}

std::string set_endpoint_options(const transport::Factory& factory, const policy::TransportOptions& wanted,
                                 transport::Options& options) {
  return set_known({factory.endpoint_options()}, factory, wanted, options);
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
