// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// The transport over UNIX-domain stream sockets. Endpoints: "unix:///path", "unix://@name" (Linux's abstract name
/// space), "unix://" (listening only: a socket in a new directory of its own, private to the user, both removed on
/// close). Publishes what other ORBs understand: a UIOP profile and, in the IIOP profile (of port 0 if tcp publishes
/// none), TAG_OMNIORB_UNIX_TRANS; reads both, addresses that name another machine excepted. Reads `uiop` addresses of
/// corbaloc URLs.
CORBEL_API std::shared_ptr<const Factory> make_unix();

}  // namespace corbel::transport
