// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/base/export.hpp"

namespace corbel {
struct RequestPeer;
}  // namespace corbel

namespace corbel::poa {

/// Whose requests an object adapter takes, by what the transport vouches for (orb/peer.hpp). Where one of the lists is
/// not empty, a caller has to be in one of them.
struct Callers {
  enum class Least : std::uint8_t {
    anybody,
    encrypted,   ///< what they say leaves no host in the clear: by TLS, or processes of this host (unix, packet, shm)
    identified,  ///< by a certificate that was checked, or as processes of this host
  };
  Least least = Least::anybody;
  /// Of certificates: whole ones, "CN=alice,O=Example", as the log has them; a "*" for a whole value stands for any
  /// one, "CN=*,OU=Operators,O=Example".
  std::vector<std::string> subjects = {};
  std::vector<std::uint32_t> users = {};   ///< of processes of this host, by number
  std::vector<std::uint32_t> groups = {};  ///< the groups of these processes, not those that their users are in besides

  /// True if the adapter takes requests of this peer.
  bool take(const RequestPeer& peer) const;
  /// False if one of the subjects is none.
  bool is_sound() const;
};

}  // namespace corbel::poa
