// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "corbel/base/bytes.hpp"
#include "corbel/connection/request_handler.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/policy_set.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/orb/attempts.hpp"

namespace corbel::orb {

class Core;
struct CallLimits;
struct ClientRequest;

/// What of the core serves the objects of this process. An object adapter brings it (ObjectAdapter::serving_half), and
/// nothing else names it: a program without adapters is linked without it.
struct ServingHalf {
  /// What takes the requests.
  std::unique_ptr<connection::RequestHandler> (*make_dispatch)(Core& core);
  // For calls that stay here: make_local_target(), ask_here() and ask_here_seen().
  corba::TargetPtr (*make_target)(Core& core, ior::Ior ior, base::Bytes object_key, corba::PolicySetPtr overrides);
  std::optional<Attempts::Answer> (*ask)(Core& core, const base::Bytes& object_key, const corba::Call& call, bool told,
                                         const CallLimits& limits);
  std::optional<Attempts::Answer> (*ask_seen)(Core& core, const base::Bytes& object_key, const corba::Call& call,
                                              bool told, const CallLimits& limits, ClientRequest& client);
};

}  // namespace corbel::orb
