// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inet_endpoint.hpp"

#include <algorithm>

#include "corbel/base/option_rows.hpp"
#include "corbel/ipc/interfaces.hpp"

namespace corbel::transport {
namespace {

bool is_host(std::string_view text, bool v6) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '-' || c == '_' || c == '.' || (v6 && (c == ':' || c == '%'));
  });
}

bool read_port(std::string_view text, std::uint16_t& port) {
  std::uint64_t number = 0;
  if (!base::read_number(text, number) || number < 1 || number > 65535) return false;
  port = static_cast<std::uint16_t>(number);
  return true;
}

bool parse_published_host(std::string_view text, PublishedHost& one) {
  std::string_view host = text;
  std::string_view ports;
  const bool bracketed = text.starts_with('[');
  bool v6 = bracketed;
  if (bracketed) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return false;
    host = text.substr(1, end - 1);
    ports = text.substr(end + 1);
    if (!ports.empty() && !ports.starts_with(':')) return false;
  } else if (std::ranges::count(text, ':') == 1) {
    host = text.substr(0, text.find(':'));
    ports = text.substr(host.size());
  } else {
    v6 = text.find(':') != text.npos;
  }
  if (!is_host(host, v6)) return false;
  one.host = host;
  if (ports.empty()) return true;
  ports.remove_prefix(1);
  const std::size_t equals = ports.find('=');
  return read_port(ports.substr(0, equals), one.port) &&
         (equals == ports.npos || read_port(ports.substr(equals + 1), one.listening));
}

}  // namespace

std::vector<PublishedHost> parse_published_hosts(std::string_view text) {
  std::vector<PublishedHost> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (!parse_published_host(text.substr(begin, end - begin), hosts.emplace_back())) return {};
    begin = end + 1;
  }
  return hosts;
}

base::Result<std::vector<ior::HostPort>> published_addresses(const InetEndpoint& asked, const ipc::InetAddress& bound,
                                                             const Options& options) {
  std::vector<ior::HostPort> result;
  const auto add = [&](std::string host) { result.push_back({std::move(host), bound.port()}); };
  if (!options.publish_host.empty()) {
    const auto hosts = parse_published_hosts(options.publish_host);
    if (hosts.empty()) return base::error(base::Stage::resolve, base::Code::bad_argument);
    for (const PublishedHost& each : hosts) {
      if (each.listening != 0 && each.listening != bound.port()) continue;
      CORBEL_TRY(std::string host, canonical_host(each.host));
      result.push_back({std::move(host), each.port != 0 ? each.port : bound.port()});
    }
  }
  if (!result.empty()) return result;
  if (!bound.is_any()) {
    add(bound.host());
  } else {
    const bool v4_only = !bound.is_v6();
    const bool v6_only = bound.is_v6() && !asked.host().empty();
    for (const ipc::InetAddress& each : ipc::interface_addresses()) {
      if (!(v4_only && each.is_v6()) && !(v6_only && !each.is_v6())) add(each.host());
    }
    if (result.empty()) add(v6_only ? "::1" : "127.0.0.1");
  }
  return result;
}

}  // namespace corbel::transport
