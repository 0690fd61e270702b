// SPDX-License-Identifier: Apache-2.0
// For what links with this room; libcorbel.so has library/loading.cpp instead.
#include "corbel/transport/tls_openssl/engine.hpp"

namespace corbel::transport::tls {

base::Result<const Engine*> engine(base::Stage, const base::Log&) {
  return &kOpenSsl;
}

}  // namespace corbel::transport::tls
