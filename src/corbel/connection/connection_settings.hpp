// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"
#include "corbel/connection/framer.hpp"
#include "corbel/connection/oneway_queue.hpp"
#include "corbel/connection/watchers.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/routing/route.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

class SocketHooks;

/// What a connection is told when it is made (`Connection::Settings`).
struct ConnectionSettings {
  messaging::Side side = messaging::Side::initiator;
  cdr::Limits limits;
  /// Octets from which on data of the application is sent from where it lies (ConnectionOptions::gather_threshold).
  int gather_threshold = transport::ConnectionOptions().gather_threshold;
  messaging::Version version;                              ///< client: the version to speak
  ior::CodeSetChoice code_sets;                            ///< client: what was negotiated
  std::uint64_t first_token = 2;                           ///< client: even; tokens are its lower half and go on
  base::Duration send_timeout = std::chrono::seconds(30);  ///< server: without the peer taking anything of a reply
  InputMemory* input_memory = nullptr;                     ///< what its framers use; outlives the connection
  policy::OnewayBuffering oneways;                         ///< client
  OnewayCounters* oneway_counters = nullptr;               ///< client: outlives the connection
  const base::Log* log = &base::Log::none();
  Watchers* watchers = nullptr;         ///< hear of its beginning and end; outlive the connection
  SocketHooks* socket_hooks = nullptr;  ///< see its socket; outlive the connection
};

}  // namespace corbel::connection
