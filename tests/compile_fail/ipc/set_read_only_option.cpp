// SPDX-License-Identifier: Apache-2.0
// Some options can only be read.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UnixStream& local) {
#ifdef BAD
  return local.set(option::peer_credentials, PeerCredentials{});
#else
  return local.get(option::peer_credentials);
#endif
}
