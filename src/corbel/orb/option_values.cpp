// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/option_values.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "corbel/base/option_rows.hpp"
#include "corbel/ior/url.hpp"
#include "corbel/transport/inet_endpoint.hpp"

namespace corbel::orb {

using policy::Concurrency;
using policy::SyncScope;

namespace {

bool is_scheme(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return false;
  }
  return true;
}

/// Several separated by commas.
bool add_paths(std::vector<std::string>& all, std::string_view value) {
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    if (end == begin) return false;
    all.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

}  // namespace

bool add_listen_endpoints(Options& options, std::string_view value) {
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(';', begin), value.size());
    const std::string_view item = value.substr(begin, end - begin);
    const std::size_t colon = item.find("://");
    if (colon == std::string_view::npos) return false;
    const std::size_t plus = item.substr(0, colon).find('+');
    const std::string_view protocol = plus == std::string_view::npos ? std::string_view() : item.substr(0, plus);
    const std::size_t at = plus == std::string_view::npos ? 0 : plus + 1;
    const std::string_view scheme = item.substr(at, colon - at);
    if (!is_scheme(scheme) || (plus != std::string_view::npos && !is_scheme(protocol))) return false;
    options.listen_endpoints.push_back({std::string(protocol), std::string(scheme).append(item.substr(colon))});
    begin = end + 1;
  }
  return true;
}

bool add_lane(Options& options, std::string_view value) {
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view head = value.substr(0, equals);
  const std::size_t colon = std::min(head.find(':'), head.size());
  LaneOptions lane;
  lane.name = head.substr(0, colon);
  std::uint64_t threads = lane.threads;
  if (colon < head.size() && !base::read_number(head.substr(colon + 1), threads)) return false;
  if (!is_scheme(lane.name) || threads < 1 || threads > 4096) return false;
  lane.threads = static_cast<std::uint32_t>(threads);
  for (const auto& each : options.lanes) {
    if (each.name == lane.name) return false;
  }
  Options read;
  if (!add_listen_endpoints(read, value.substr(equals + 1))) return false;
  lane.endpoints = std::move(read.listen_endpoints);
  options.lanes.push_back(std::move(lane));
  return true;
}

bool set_publish_host(Options& options, std::string_view value) {
  if (transport::parse_published_hosts(value).empty()) return false;
  options.transport.publish_host = value;
  return true;
}

bool add_plugin(Options& options, std::string_view value) {
  return add_paths(options.plugins, value);
}

bool add_config_file(Options& options, std::string_view value) {
  return add_paths(options.config_files, value);
}

bool add_initial_reference(Options& options, std::string_view value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string_view::npos || !ior::begins_as_reference(value.substr(equals + 1)))
    return false;
  options.initial_references.push_back({std::string(value.substr(0, equals)), std::string(value.substr(equals + 1))});
  return true;
}

bool set_default_initial_reference(Options& options, std::string_view value) {
  if (!value.empty() && !ior::begins_as_reference(value)) return false;
  options.default_initial_reference = value;
  return true;
}

bool set_giop_version(Options& options, std::string_view value) {
  if (value != "1.0" && value != "1.1" && value != "1.2") return false;
  options.giop_minor = static_cast<std::uint8_t>(value[2] - '0');
  return true;
}

bool set_concurrency(Options& options, std::string_view value) {
  if (value == "adaptive") {
    options.serving.concurrency = Concurrency::adaptive;
  } else if (value == "thread_per_connection") {
    options.serving.concurrency = Concurrency::adaptive;
    options.serving.sticky_connections = kMostSticky;
    options.serving.sticky_idle = std::chrono::minutes(1);
  } else if (value == "pool") {
    options.serving.concurrency = Concurrency::pool;
  } else if (value == "single") {
    options.serving.concurrency = Concurrency::single;
  } else {
    return false;
  }
  return true;
}

bool set_sync_scope(Options& options, std::string_view value) {
  if (value == "none") {
    options.sync_scope = SyncScope::none;
  } else if (value == "transport") {
    options.sync_scope = SyncScope::with_transport;
  } else if (value == "server") {
    options.sync_scope = SyncScope::with_server;
  } else if (value == "target") {
    options.sync_scope = SyncScope::with_target;
  } else {
    return false;
  }
  return true;
}

bool set_log_level(Options& options, std::string_view value) {
  base::LogLevels levels = Options().log_levels;
  if (!levels.read(value)) return false;
  options.log_levels = levels;
  return true;
}

bool set_log_file(Options& options, std::string_view value) {
  options.log_file = value;
  return !value.empty();
}

bool set_log_format(Options& options, std::string_view value) {
  if (value != "text" && value != "json") return false;
  options.log_format = value == "json" ? logging::Format::json : logging::Format::text;
  return true;
}

bool set_oneway_overflow(Options& options, std::string_view value) {
  if (value == "newest") {
    options.oneways.overflow = policy::OnewayOverflow::newest;
  } else if (value == "oldest") {
    options.oneways.overflow = policy::OnewayOverflow::oldest;
  } else if (value == "wait") {
    options.oneways.overflow = policy::OnewayOverflow::wait;
  } else {
    return false;
  }
  return true;
}

bool set_preference(Options& options, std::string_view value) {
  auto preference = policy::ProtocolPreference::parse(value);
  if (!preference) return false;
  options.preference = *std::move(preference);
  return true;
}

}  // namespace corbel::orb
