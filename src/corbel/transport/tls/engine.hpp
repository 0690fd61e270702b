// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/result.hpp"
#include "corbel/transport/tls/security.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tls {

/// What speaks TLS, for endpoints that are TlsEndpoint (room transport/tls_openssl).
struct Engine {
  std::unique_ptr<Connector> (*make_connector)(std::unique_ptr<Connector> inner, TlsSetup setup);
  /// As Factory::listen(), and bad_security_settings.
  base::Result<std::unique_ptr<Acceptor>> (*listen)(const Factory& inner, const Endpoint& endpoint,
                                                    const Options& options, TlsSetup setup);
};

/// The engine of this process. A program that links statically has it; the shared library loads libcorbel-tls when this
/// is called first: OpenSSL's libraries take each program that is linked with them a millisecond to start (ADR 33).
/// Thread-safe. Error: bad_security_settings, when that library cannot be loaded; the log says why.
base::Result<const Engine*> engine(base::Stage stage, const base::Log& log);

}  // namespace corbel::transport::tls
