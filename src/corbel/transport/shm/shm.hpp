// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// What an ORB may be told of it: -ORBShm... (docs/options.md).
struct ShmSettings {
  /// The users whose processes may be at the other end, besides this user: names and numbers with commas between them;
  /// "*": all users.
  std::string users{};
  /// Octets of memory that this process lends to the server of each connection which takes it, and takes from each
  /// client; rounded up to a multiple of 256 KiB. 0: none. Only for peers that are trusted: a client can change what a
  /// servant of this process has been lent while it looks at that.
  std::uint32_t lent_memory = 0;
};

/// The transport over shared memory, between processes of one host: a byte stream through two rings in sealed anonymous
/// memory, which the server passes over a local socket. Endpoints: "shm:///path", "shm://@name", either behind the
/// machine's name, and "shm://" (listening only: a generated path in the user's private folder). While both sides are
/// busy it makes no system call, else one to sleep and one to wake. Processes of other users get in, on either side,
/// only if the settings say so. ConnectionOptions::send_buffer and receive_buffer of the server are the sizes
/// of the rings, unless ConnectionOptions::ring of either side says so; the client's, if its user is the server's.
CORBEL_API std::shared_ptr<const Factory> make_shm(ShmSettings settings = {});

}  // namespace corbel::transport
