// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/function_ref.hpp"
#include "corbel/orb/peer.hpp"

namespace corbel::connection {
class Connection;
}  // namespace corbel::connection

namespace corbel::orb {

/// Who is at the other end. Allocates, and may cost a system call.
RequestPeer peer_of(connection::Connection& connection);

/// Says who has sent a message, for what seldom wants to know it.
using Sender = base::FunctionRef<RequestPeer()>;

}  // namespace corbel::orb
