// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/policy/transport_options.hpp"
#include "corbel/routing/route.hpp"

/// Options of single connections, as policies want them and transports declare them.
namespace corbel::routing {

/// Reads thousands of bits a second, 1 or more; nothing if it is no such number.
std::optional<std::uint32_t> read_bandwidth(std::string_view text) noexcept;

/// Sets what is wanted. Returns why the transport does not do it, in words; empty if it does.
std::string set_options(const transport::Factory& factory, const policy::TransportOptions& wanted,
                        transport::ConnectionOptions& options);
/// The same of what an endpoint wants of the connections that it accepts.
std::string set_endpoint_options(const transport::Factory& factory, const policy::TransportOptions& wanted,
                                 transport::Options& options);
/// What the keys of routes with these options end in. Empty if there are none.
std::string key_of(const policy::TransportOptionsPtr& options);
/// Leaves of the routes from `first` on those whose transports do what is wanted, and notes it there, so that they
/// share connections only with others that want the same. Options of the endpoint, not of its connections:
/// "least_bandwidth" leaves those that promise as much, "preferred_bandwidth" puts them first. Returns why the others
/// do not, in words; empty if all do.
std::string keep_fitting(std::vector<Route>& routes, std::size_t first, const policy::TransportOptionsPtr& options);

}  // namespace corbel::routing
