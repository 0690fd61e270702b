// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/messaging/layer.hpp"
#include "corbel/orb/options.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::orb {

/// The transports as they are for an ORB with these options. What the options do not say of what a transport
/// brings is as the environment says. Throws BAD_PARAM if that makes no sense to it.
std::vector<routing::FactoryPtr> set_up(std::vector<routing::FactoryPtr> transports, const Options& options,
                                        const base::Log& log);

/// The protocols as they are below these layers, each over the one of its name. Throws as above, and BAD_PARAM if there
/// is no such protocol.
std::vector<routing::ProtocolPtr> layered(std::vector<routing::ProtocolPtr> protocols,
                                          const std::vector<std::shared_ptr<const messaging::Layer>>& layers,
                                          const Options& options, const base::Log& log);

}  // namespace corbel::orb
