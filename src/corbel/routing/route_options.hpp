// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/policy/transport_options.hpp"
#include "corbel/routing/route.hpp"

/// Options of single connections, as policies want them and transports declare them.
namespace corbel::routing {

/// Sets what is wanted. Returns why the transport does not do it, in words; empty if it does.
std::string set_options(const transport::Factory& factory, const policy::TransportOptions& wanted,
                        transport::ConnectionOptions& options);
/// What the keys of routes with these options end in. Empty if there are none.
std::string key_of(const policy::TransportOptionsPtr& options);
/// Leaves of the routes from `first` on those whose transports do what is wanted, and notes it there, so that they
/// share connections only with others that want the same. Returns why the others do not, in words; empty if all do.
std::string keep_fitting(std::vector<Route>& routes, std::size_t first, const policy::TransportOptionsPtr& wanted);

}  // namespace corbel::routing
