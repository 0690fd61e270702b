// SPDX-License-Identifier: Apache-2.0
// Texts and URLs to endpoints; which protocol fits which transport.
#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "corbel/routing/registry.hpp"
#include "corbel/routing/route_options.hpp"
#include "corbel/routing/unmet.hpp"

namespace corbel::routing {

using base::Code;
using base::Stage;

namespace {

/// What stands behind an address.
struct Behind {
  std::optional<std::uint32_t> bandwidth = 0;  ///< nothing if what is said is no number
  policy::TransportOptions options{};
};

/// Takes "?name=value&name=value" off the end. Addresses may have question marks of their own.
Behind take_behind(std::string_view& text) {
  Behind behind;
  const std::size_t at = text.rfind('?');
  if (at == std::string_view::npos) return behind;
  std::string_view rest = text.substr(at + 1);
  const std::size_t name = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (name == 0 || name == std::string_view::npos || rest[name] != '=') return behind;
  text = text.substr(0, at);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t end = std::min(one.find('='), one.size());
    const std::string_view value = one.substr(std::min(end + 1, one.size()));
    if (one.substr(0, end) == "bandwidth") {
      behind.bandwidth = read_bandwidth(value);
    } else {
      behind.options.push_back({std::string(one.substr(0, end)), std::string(value)});
    }
  }
  return behind;
}

/// Empty if the transport does what is wanted.
std::string why_no_options(const transport::Factory& factory, const policy::TransportOptionsPtr& wanted) {
  transport::Options unused;
  return wanted == nullptr ? std::string() : set_endpoint_options(factory, *wanted, unused);
}

}  // namespace

std::optional<std::uint32_t> read_bandwidth(std::string_view text) noexcept {
  std::uint32_t kbit_s = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kbit_s);
  if (error != std::errc() || end != text.data() + text.size() || kbit_s == 0) return std::nullopt;
  return kbit_s;
}

std::string_view unmet(const messaging::Protocol& protocol, const transport::Traits& gives) noexcept {
  const messaging::Requirements needs = protocol.requirements();
  // A stream whose octets are lost or change places cannot be cut into messages.
  if ((needs.reliable || gives.byte_stream) && !gives.reliable) return "loses nothing";
  if ((needs.ordered || gives.byte_stream) && !gives.ordered) return "keeps the order";
  if (needs.whole_messages && gives.byte_stream) return "keeps message boundaries";
  if (gives.group_profile != 0 && !protocol.offers().groups) return "has one peer at its other end";
  if (!gives.byte_stream && gives.largest_message == 0) return "says how large its messages may be";
  return {};
}

/// Error: bad_argument.
base::Result<Registry::Named> Registry::find(const Parts& parts, std::string_view text) {
  const base::Error bad = base::error(Stage::resolve, Code::bad_argument);
  Behind behind = take_behind(text);
  if (!behind.bandwidth) return bad;
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return bad;
  std::string_view scheme = text.substr(0, colon);
  std::string_view protocol_name = kDefaultProtocol;
  if (const std::size_t plus = scheme.find('+'); plus != std::string_view::npos) {
    // A decorating transport ("faulty+tcp") has a plus of its own: only a protocol's name is taken off.
    if (parts.find_protocol(scheme.substr(0, plus)) != nullptr) {
      protocol_name = scheme.substr(0, plus);
      scheme = scheme.substr(plus + 1);
    }
  }
  const ProtocolPtr* protocol = parts.find_protocol(protocol_name);
  const TransportPtr* transport = parts.find_transport_of_endpoint(scheme);
  if (protocol == nullptr || transport == nullptr) return bad;
  Named named{*protocol, *transport, text.substr(colon + 3), *behind.bandwidth};
  if (!behind.options.empty()) {
    named.options = std::make_shared<const policy::TransportOptions>(std::move(behind.options));
  }
  return named;
}

base::Result<ListenPoint> Registry::parse(const Parts& parts, std::string_view text) {
  auto named = find(parts, text);
  if (!named) return named.error();
  const transport::Factory& transport = named->transport->factory();
  if (!unmet(*named->protocol, transport.traits()).empty()) {
    return base::error(Stage::configure, Code::unsupported);
  }
  if (!why_no_options(transport, named->options).empty()) return base::error(Stage::resolve, Code::bad_argument);
  CORBEL_TRY(auto endpoint, transport.parse(named->address));
  return ListenPoint{std::move(named->protocol), std::move(named->transport), std::move(endpoint), named->bandwidth,
                     std::move(named->options)};
}

base::Result<ListenPoint> Registry::parse_endpoint(std::string_view text) const {
  return parse(*parts(), text);
}

/// Which part of what find() does not find there is not; empty if the text has no parts.
std::string Registry::why_unknown(const Parts& parts, std::string_view text) {
  if (!take_behind(text).bandwidth) return "'?bandwidth=' is followed by kbit/s, a number from 1 to 4294967295";
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return {};
  std::string_view scheme = text.substr(0, colon);
  const std::size_t plus = scheme.find('+');
  std::string all;
  const auto list = [&](std::string_view name) { all.append(all.empty() ? "" : ", ").append(name); };
  if (plus != std::string_view::npos && parts.find_protocol(scheme.substr(0, plus)) == nullptr) {
    for (const auto& each : parts.protocols) list(each->name());
    return "there is no protocol '" + std::string(scheme.substr(0, plus)) + "' here, but " + all;
  }
  if (plus != std::string_view::npos) scheme.remove_prefix(plus + 1);
  for (const auto& each : parts.transports) list(each->factory().scheme());
  return "there is no transport '" + std::string(scheme) + "' here, but " + all;
}

std::string Registry::why_unfit(std::string_view text) const {
  const PartsPtr now = parts();
  const auto named = find(*now, text);
  if (!named) return why_unknown(*now, text);
  const transport::Factory& transport = named->transport->factory();
  const std::string_view need = unmet(*named->protocol, transport.traits());
  if (need.empty()) return why_no_options(transport, named->options);
  return std::string("protocol '").append(named->protocol->name()).append("' needs a transport that ").append(need) +
         std::string(", which '").append(transport.scheme()).append("' does not");
}

std::string Registry::address_form(std::string_view text) const {
  const PartsPtr now = parts();
  const auto form_of = [](const TransportPtr& transport) {
    const transport::Factory& factory = transport->factory();
    return std::string(factory.scheme()).append("://").append(factory.address_form());
  };
  if (const auto named = find(*now, text)) return form_of(named->transport);
  std::string all;
  for (const auto& each : now->transports) all.append(all.empty() ? "" : ", ").append(form_of(each));
  return all.empty() ? "none" : all;
}

std::string_view address_hint(std::string_view address) noexcept {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos) return {};
  std::uint16_t number = 0;
  if (std::from_chars(port.data(), port.data() + port.size(), number).ec != std::errc())
    return "a port is a number from 0 to 65535";
  if (host.starts_with('['))
    return "in brackets stands an IPv6 address, with an interface of this host behind it if it has a '%'";
  return host.find(':') != std::string_view::npos ? "an IPv6 address stands in brackets, as in [::1]:4000"
                                                  : std::string_view();
}

bool lacks_interface(std::string_view endpoint) noexcept {
  const std::size_t begin = endpoint.find("://[fe");  // fe80::/10
  if (begin == std::string_view::npos) return false;
  const std::string_view rest = endpoint.substr(begin + 6);
  const std::string_view address = rest.substr(0, rest.find(']'));
  return !address.empty() && std::string_view("89ab").find(address.front()) != std::string_view::npos &&
         address.find('%') == std::string_view::npos;
}

std::string Registry::why_bad_url(const ior::UrlAddress& address) const {
  const PartsPtr now = parts();
  for (const auto& transport : now->transports) {
    const transport::Factory& factory = transport->factory();
    if (const auto endpoint = factory.from_url(address); endpoint || endpoint.error().code == Code::unsupported)
      continue;
    std::string why = factory.why_bad_url(address);
    if (why.empty()) why = address_hint(address.host);
    if (!why.empty()) why += "; ";
    return why.append("write corbaloc:").append(address.scheme).append(1, ':') +
           (factory.url_form().empty() ? std::string(factory.address_form()) + "/key"
                                       : std::string(factory.url_form()));
  }
  return "no transport is called '" + address.scheme + "', write corbaloc::host:port/key for IIOP";
}

base::Result<ListenPoint> Registry::from_url(const ior::UrlAddress& address) const {
  const PartsPtr now = parts();
  const ProtocolPtr* protocol = now->find_protocol(kDefaultProtocol);
  if (protocol == nullptr) return base::error(Stage::resolve, Code::unsupported);
  for (const auto& transport : now->transports) {
    auto endpoint = transport->factory().from_url(address);
    if (endpoint) return ListenPoint{*protocol, transport, *std::move(endpoint)};
    if (endpoint.error().code != Code::unsupported) return endpoint.error();
  }
  return base::error(Stage::resolve, Code::unsupported);
}

}  // namespace corbel::routing
