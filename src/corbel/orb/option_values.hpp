// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/orb/options.hpp"

/// Values of options as people write them: each function reads a text, and returns false if it is not legal.
/// Thread-safe for different targets.
namespace corbel::orb {

/// The largest value of -ORBStickyConnections.
inline constexpr std::uint32_t kMostSticky = 4096;

/// "[protocol+]scheme://address", several separated by semicolons.
bool add_listen_endpoints(Options& options, std::string_view value);
/// "name:threads=endpoint", several endpoints separated by semicolons.
bool add_lane(Options& options, std::string_view value);
/// A host's name or address; an IPv6 address also in brackets.
bool set_publish_host(Options& options, std::string_view value);
/// Paths, several separated by commas.
bool add_plugin(Options& options, std::string_view value);
/// The same.
bool add_config_file(Options& options, std::string_view value);
/// "name=url".
bool add_initial_reference(Options& options, std::string_view value);
/// Any text that begins as a reference, or none.
bool set_default_initial_reference(Options& options, std::string_view value);

// What the table names as legal, for the option of that name.

bool set_giop_version(Options& options, std::string_view value);
bool set_concurrency(Options& options, std::string_view value);
bool set_sync_scope(Options& options, std::string_view value);
bool set_log_level(Options& options, std::string_view value);
bool set_log_file(Options& options, std::string_view value);
bool set_log_format(Options& options, std::string_view value);
bool set_oneway_overflow(Options& options, std::string_view value);
bool set_preference(Options& options, std::string_view value);

}  // namespace corbel::orb
