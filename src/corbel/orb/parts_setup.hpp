// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/orb/options.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::orb {

/// The transports as they are for an ORB with these options. What the options do not say of what a transport
/// brings is as the environment says. Throws BAD_PARAM if that makes no sense to it.
std::vector<routing::FactoryPtr> set_up(std::vector<routing::FactoryPtr> transports, const Options& options,
                                        const base::Log& log);

}  // namespace corbel::orb
