// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/peer_of.hpp"

#include <utility>

#include "corbel/connection/connection.hpp"
#include "corbel/connection/serving_here.hpp"

namespace corbel {

std::optional<RequestPeer> request_peer() {
  connection::Connection* const from = connection::serving_here();
  if (from == nullptr) return std::nullopt;
  return orb::peer_of(*from);
}

RequestPeer orb::peer_of(connection::Connection& connection) {
  transport::PeerIdentity identity = connection.transport().identity();
  RequestPeer peer;
  peer.address = connection.peer();
  peer.protocol = connection.protocol().name();
  peer.connection = connection.watched.id;
  peer.closed = (connection.watched.told.load() & connection::Watched::kEnded) != 0;
  if (identity.process) peer.process = {identity.process->user, identity.process->group, identity.process->id};
  peer.subject = std::move(identity.subject);
  peer.encrypted = identity.encrypted;
  return peer;
}

}  // namespace corbel
