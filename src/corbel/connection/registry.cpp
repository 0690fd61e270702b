// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/registry.hpp"

#include <algorithm>

namespace corbel::connection {

using base::Code;
using base::Stage;

namespace {

constexpr std::string_view kDefaultProtocol = "giop";

ior::TaggedComponent orb_type() {
  cdr::Encoder encoder(cdr::Format{}, 16);
  encoder.put(static_cast<std::uint8_t>(encoder.format().little_endian ? 1 : 0));
  encoder.put(ior::kOrbType);
  return {static_cast<std::uint32_t>(ior::ComponentTag::orb_type), encoder.to_bytes()};
}

/// The first need that is not met, in words that follow "a transport that"; empty if all are.
std::string_view unmet(const messaging::Protocol& protocol, const transport::Traits& gives) noexcept {
  const messaging::Requirements needs = protocol.requirements();
  // Of octets that are lost or change places no message can be cut.
  if ((needs.reliable || gives.byte_stream) && !gives.reliable) return "loses nothing";
  if ((needs.ordered || gives.byte_stream) && !gives.ordered) return "keeps the order";
  if (needs.whole_messages && gives.byte_stream) return "keeps message boundaries";
  if (gives.group_profile != 0 && !protocol.offers().groups) return "has one peer at its other end";
  if (!gives.byte_stream && gives.largest_message == 0) return "says how large its messages may be";
  return {};
}

/// Takes out routes whose protocols have no replies, if there are others. The best of them carries what wants no reply,
/// if it comes before the others.
void set_apart_oneways(std::vector<Route>& routes, const std::vector<TransportPtr>& transports) {
  const auto is_oneway = [&](const Route& route) {
    return !route.protocol->offers().two_way || transports[route.transport]->traits().group_profile != 0;
  };
  if (std::all_of(routes.begin(), routes.end(), is_oneway)) return;
  std::shared_ptr<const Route> first;
  if (is_oneway(routes.front())) first = std::make_shared<const Route>(routes.front());
  std::erase_if(routes, is_oneway);
  if (first == nullptr) return;
  for (Route& route : routes) route.oneways = first;
}

}  // namespace

Registry::Registry(std::vector<ProtocolPtr> protocols, std::vector<TransportPtr> transports,
                   messaging::Version max_version, const cdr::Limits& limits)
    : protocols_(std::move(protocols)),
      transports_(std::move(transports)),
      max_version_(max_version),
      limits_(limits) {}

const ProtocolPtr* Registry::find_protocol(std::string_view name) const noexcept {
  for (const auto& protocol : protocols_) {
    if (protocol->name() == name) return &protocol;
  }
  return nullptr;
}

base::Result<Registry::Named> Registry::find(std::string_view text) const {
  const base::Error bad = base::error(Stage::resolve, Code::bad_argument);
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return bad;
  std::string_view scheme = text.substr(0, colon);
  std::string_view protocol_name = kDefaultProtocol;
  if (const std::size_t plus = scheme.find('+'); plus != std::string_view::npos) {
    // A decorating transport ("faulty+tcp") has a plus of its own: only a protocol's name is taken off.
    if (find_protocol(scheme.substr(0, plus)) != nullptr) {
      protocol_name = scheme.substr(0, plus);
      scheme = scheme.substr(plus + 1);
    }
  }
  if (scheme == "iiop") scheme = "tcp";
  if (scheme == "ssliop") scheme = "tls";
  if (scheme == "diop") scheme = "udp";
  const ProtocolPtr* protocol = find_protocol(protocol_name);
  if (protocol == nullptr) return bad;
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    if (transports_[i]->scheme() == scheme) return Named{*protocol, i, text.substr(colon + 3)};
  }
  return bad;
}

base::Result<ListenPoint> Registry::parse_endpoint(std::string_view text) const {
  auto named = find(text);
  if (!named) return named.error();
  const transport::Factory& transport = *transports_[named->transport];
  if (!unmet(*named->protocol, transport.traits()).empty()) {
    return base::error(Stage::configure, Code::unsupported);
  }
  CORBEL_TRY(auto endpoint, transport.parse(named->address));
  return ListenPoint{named->protocol, named->transport, std::move(endpoint)};
}

std::string Registry::why_unfit(std::string_view text) const {
  const auto named = find(text);
  if (!named) return {};
  const transport::Factory& transport = *transports_[named->transport];
  const std::string_view need = unmet(*named->protocol, transport.traits());
  if (need.empty()) return {};
  return std::string("protocol '").append(named->protocol->name()).append("' needs a transport that ").append(need) +
         std::string(", which '").append(transport.scheme()).append("' does not");
}

base::Result<ListenPoint> Registry::from_url(const ior::UrlAddress& address) const {
  const ProtocolPtr* protocol = find_protocol(kDefaultProtocol);
  if (protocol == nullptr) return base::error(Stage::resolve, Code::unsupported);
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    auto endpoint = transports_[i]->from_url(address);
    if (endpoint) return ListenPoint{*protocol, i, *std::move(endpoint)};
    if (endpoint.error().code != Code::unsupported) return endpoint.error();
  }
  return base::error(Stage::resolve, Code::unsupported);
}

void Registry::add_routes(const ior::TaggedProfile& profile, std::vector<Route>& routes) const {
  const auto add = [&](const ior::ProfileBase& base, const ProtocolPtr& protocol, std::size_t transport,
                       const transport::EndpointPtr& endpoint) {
    Route route;
    route.protocol = protocol;
    route.transport = transport;
    route.endpoint = endpoint;
    route.version = std::min({base.version, max_version_, protocol->version()});
    route.object_key = base.object_key;
    if (protocol->offers().service_contexts && route.version.minor >= 1) {
      const auto* component = ior::find_component(base.components, ior::ComponentTag::code_sets);
      if (component != nullptr) {
        if (auto info = ior::decode_code_sets(*component)) {
          route.code_sets = ior::choose_code_sets(&*info);
        } else {
          return;
        }
      } else {
        route.code_sets = ior::choose_code_sets(nullptr);
      }
    } else if (!protocol->offers().service_contexts) {
      // Both ends are Corbel: UTF-8 and UTF-16 without negotiation.
      route.code_sets = {cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, true, false};
    } else {
      route.code_sets = ior::choose_code_sets(nullptr);
    }
    route.key = std::string(protocol->name()) + '+' + endpoint->text() + '#' + std::to_string(route.version.minor) +
                '/' + std::to_string(static_cast<std::uint32_t>(route.code_sets.for_char)) + '/' +
                std::to_string(static_cast<std::uint32_t>(route.code_sets.for_wchar));
    routes.push_back(std::move(route));
  };

  if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::corbel)) {
    auto own = ior::decode_corbel_profile(profile, limits_);
    if (!own) return;
    auto point = parse_endpoint(own->protocol + '+' + own->endpoint);
    if (point) add(*own, point->protocol, point->transport, point->endpoint);
    return;
  }
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    auto reachable = transports_[i]->decode(profile, limits_);
    if (!reachable) continue;
    const ProtocolPtr* protocol = find_protocol(reachable->protocol);
    if (protocol == nullptr || !unmet(**protocol, transports_[i]->traits()).empty()) continue;
    for (const auto& endpoint : reachable->endpoints) add(reachable->base, *protocol, i, endpoint);
    // By which a group can be asked for replies.
    if (transports_[i]->traits().group_profile == 0) continue;
    for (const auto& component : reachable->base.components) {
      if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::group_iiop)) continue;
      add_routes({static_cast<std::uint32_t>(ior::ProfileTag::internet_iop), component.data}, routes);
    }
  }
}

/// Where one transport insists, the others are no way out when it fails: they would be taken whenever an attacker makes
/// it fail. What never leaves this host stays.
void Registry::keep_to_insistent(std::vector<Route>& routes) const {
  const auto insists = [&](const Route& route) { return transports_[route.transport]->insists(); };
  if (std::none_of(routes.begin(), routes.end(), insists)) return;
  std::erase_if(routes, [&](const Route& route) {
    return !insists(route) && route.endpoint->reach() != transport::Reach::this_host;
  });
}

base::Result<std::vector<Route>> Registry::routes(const ior::Ior& ior,
                                                  const policy::ProtocolPreference& preference) const {
  std::vector<Route> routes;
  for (const auto& profile : ior.profiles) add_routes(profile, routes);
  if (routes.empty()) return base::error(Stage::resolve, Code::no_profile);
  const auto rank = [&](const Route& route) {
    const std::size_t listed = preference.rank(route.protocol->name(), route.endpoint->scheme());
    // Transports are listed in order of preference, so local ones come before TCP.
    return listed < preference.size() ? listed : preference.size() + route.transport;
  };
  std::stable_sort(routes.begin(), routes.end(), [&](const Route& a, const Route& b) { return rank(a) < rank(b); });
  // The same endpoint may be published in several ways.
  const auto last = std::unique(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    return a.key == b.key && a.object_key == b.object_key;
  });
  routes.erase(last, routes.end());
  keep_to_insistent(routes);
  set_apart_oneways(routes, transports_);
  return routes;
}

std::vector<ior::TaggedProfile> Registry::publish(const std::vector<ListenPoint>& open,
                                                  base::ConstByteSpan object_key) const {
  ior::ProfileBase base;
  base.object_key.assign(object_key.begin(), object_key.end());
  std::vector<ior::TaggedProfile> profiles;
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    for (const auto& protocol : protocols_) {
      std::vector<transport::EndpointPtr> endpoints;
      for (const auto& point : open) {
        if (point.transport == i && point.protocol == protocol) endpoints.push_back(point.endpoint);
      }
      if (endpoints.empty()) continue;
      base.version = std::min(max_version_, protocol->version());
      base.components.clear();
      if (base.version.minor >= 1) {
        base.components.push_back(orb_type());
        base.components.push_back(ior::encode_code_sets(ior::own_code_sets()));
      }
      if (transports_[i]->traits().group_profile != 0) continue;  // no object is reached by what it has not joined
      if (protocol->name() == kDefaultProtocol && transports_[i]->publish(endpoints, base, profiles)) continue;
      for (const auto& endpoint : endpoints) {
        ior::CorbelProfile own;
        static_cast<ior::ProfileBase&>(own) = base;
        own.protocol = protocol->name();
        own.endpoint = endpoint->text();
        profiles.push_back(ior::encode_profile(own));
      }
    }
  }
  return profiles;
}

}  // namespace corbel::connection
