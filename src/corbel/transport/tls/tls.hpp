// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/tls/security.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// The transport of TLS 1.2 and 1.3 (OpenSSL) over `inner`, any transport of a byte stream: "tls://" and an address of
/// that; docs/tls.md is the guide. Over hosts and ports it publishes and reads IIOP profiles of port 0 with
/// TAG_SSL_SEC_TRANS (Security Service 1.8, SSLIOP), and reads `ssliop` addresses of corbaloc URLs. Does not listen
/// unless told to. Peers are verified as `setup` says, where an ORB has no
/// options that say otherwise (-ORBTls...).
CORBEL_API std::shared_ptr<const Factory> make_tls(std::shared_ptr<const Factory> inner, TlsSetup setup = {});

}  // namespace corbel::transport
