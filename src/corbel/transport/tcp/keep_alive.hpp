// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "corbel/ipc/socket_options.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tcp {

/// Of a stream, or of an acceptor for those that it accepts.
template <class Socket>
base::Status set_keep_alive(Socket& socket, const ConnectionOptions& options) {
  if (!options.keep_alive) return {};
  using std::chrono::seconds;
  CORBEL_CHECK(socket.set(ipc::option::keep_alive, true));
  const auto whole = [](base::Duration time) { return std::chrono::ceil<seconds>(time); };
  if (options.keep_alive_time > base::Duration::zero())
    CORBEL_CHECK(socket.set(ipc::option::keep_alive_idle, whole(options.keep_alive_time)));
  if (options.keep_alive_interval > base::Duration::zero())
    CORBEL_CHECK(socket.set(ipc::option::keep_alive_interval, whole(options.keep_alive_interval)));
  if (options.keep_alive_probes > 0) CORBEL_CHECK(socket.set(ipc::option::keep_alive_count, options.keep_alive_probes));
  return {};
}

}  // namespace corbel::transport::tcp
