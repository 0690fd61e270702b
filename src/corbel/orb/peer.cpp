// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/peer.hpp"

#include <utility>

#include "corbel/connection/connection.hpp"
#include "corbel/connection/serving_here.hpp"

namespace corbel {

std::optional<RequestPeer> request_peer() {
  connection::Connection* const from = connection::serving_here();
  if (from == nullptr) return std::nullopt;
  transport::PeerIdentity identity = from->transport().identity();
  RequestPeer peer;
  peer.address = from->peer();
  peer.protocol = from->protocol().name();
  if (identity.process) peer.process = {identity.process->user, identity.process->group, identity.process->id};
  peer.subject = std::move(identity.subject);
  return peer;
}

}  // namespace corbel
