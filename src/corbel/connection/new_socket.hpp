// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace corbel::connection {

/// A descriptor over which an ORB is going to talk to a peer. A value.
struct NewSocket {
  int handle = -1;  ///< the carrier's: a socket, but of `inproc` an event; open during the call, and not the caller's
  bool accepted = false;  ///< the role of this side: server, a client connected itself; else client
  std::string transport;  ///< "tcp", "tls", "unix", ...
  std::string protocol;   ///< of messages: "giop"
  std::string local;      ///< this side's end, "tcp://127.0.0.1:4000"
  std::string peer;       ///< the peer's end
};

}  // namespace corbel::connection
