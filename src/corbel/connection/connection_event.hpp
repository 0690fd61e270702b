// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "corbel/base/error.hpp"

namespace corbel::connection {

/// What became of a connection of an ORB. A value.
struct ConnectionEvent {
  enum class What : std::uint8_t {
    opened,   ///< there is one more
    closed,   ///< one of them has ended, whichever side ended it and however
    refused,  ///< there is none: this ORB did not take a client's, or could not connect to a server
  };
  What what = What::opened;
  bool accepted = false;  ///< a client made it, not this ORB
  /// Of no other connection of the process, ever; the same when it is opened and closed, and in RequestPeer::connection
  /// (corbel/orb/peer.hpp). 0 if refused.
  std::uint64_t id = 0;
  std::string peer;      ///< the peer's end, "tcp://192.0.2.1:4711"; where it connects itself, the server's endpoint
  std::string protocol;  ///< of messages: "giop"
  /// Why it was closed or refused. When a peer or this ORB closed it in order, its code is `closed` or `cancelled`; all
  /// else is a failure, such as `lost`, `malformed` or `certificate_expired`.
  base::Error error;
  std::string why;  ///< the same in words, for people: "closed by the peer", "connection limit"; empty when opened
  std::chrono::system_clock::time_point time;
  std::uint64_t missed = 0;  ///< events before this one that were left out: the call-back was too far behind
};

}  // namespace corbel::connection
