// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"
#include "corbel/cdr/format.hpp"
#include "corbel/logging/sinks.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::orb {

/// Where a server listens, as configured.
struct ListenEndpoint {
  std::string protocol;  ///< message protocol; empty: GIOP and whatever else the registry offers by default
  std::string endpoint;  ///< "tcp://127.0.0.1:4000", "iiop://..."
  friend bool operator==(const ListenEndpoint&, const ListenEndpoint&) = default;
};

/// -ORBInitRef name=url.
struct InitialReferenceUrl {
  std::string name;
  std::string url;
  friend bool operator==(const InitialReferenceUrl&, const InitialReferenceUrl&) = default;
};

/// -ORBLane name:threads=endpoints.
struct LaneOptions {
  std::string name;
  std::uint32_t threads = 4;
  std::vector<ListenEndpoint> endpoints;
  std::size_t stack_size = 0;  ///< of its threads, in octets; 0: the system's
  friend bool operator==(const LaneOptions&, const LaneOptions&) = default;
};

/// An option that a transport brought (transport::Factory::options), as it was given.
struct TransportOption {
  std::string name;
  std::string text;
  friend bool operator==(const TransportOption&, const TransportOption&) = default;
};

/// Everything that can be configured about one ORB, with its defaults. A value; immutable once the ORB exists. The
/// table in option_table.cpp ties each member to its option, environment variable, range and help (docs/options.md).
/// What concerns single transports is theirs.
struct Options {
  std::string id;
  std::string server_id;
  std::vector<std::string> unknown_variables;  ///< CORBEL_... of the environment that are no options
  std::vector<ListenEndpoint> listen_endpoints;
  std::vector<LaneOptions> lanes;
  std::vector<InitialReferenceUrl> initial_references;
  std::string default_initial_reference;
  std::string local_services;             ///< a folder, or "none"; empty: the usual ones (local_services.hpp)
  std::vector<std::string> config_files;  ///< later ones win
  std::vector<std::string> plugins;       ///< files, in the order in which they are loaded
  policy::Timeouts timeouts;
  policy::Serving serving;
  policy::ServerLimits server_limits;
  policy::SyncScope sync_scope = policy::SyncScope::with_transport;
  policy::OnewayBuffering oneways;
  policy::ProtocolPreference preference;
  cdr::Limits limits;
  std::uint8_t giop_minor = 2;  ///< highest GIOP 1.x used as client and published as server
  std::uint32_t connections_per_endpoint = 4;
  std::uint32_t outgoing_connections = 0;  ///< 0: about an eighth of the descriptors that the process may open
  base::Duration client_idle{};            ///< after which unused connections opened from here are closed; 0: never
  std::uint32_t forward_limit = 10;
  bool collocation = true;
  base::Duration hold_timeout = std::chrono::seconds(10);  ///< longest wait of a request for a holding POA manager
  transport::Options transport;
  std::vector<TransportOption> of_transports;  ///< in the order in which they are to be set
  base::LogLevels log_levels = base::LogLevels::all(base::LogLevel::warning);
  std::string log_file = "stderr";  ///< or "syslog", "journald", or a path
  logging::Format log_format = logging::Format::text;
  bool exception_detail = false;
  std::uint32_t log_rate = 10;  ///< most records of one event in a second; 0: unlimited
};

}  // namespace corbel::orb
