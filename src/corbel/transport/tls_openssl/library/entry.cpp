// SPDX-License-Identifier: Apache-2.0
// What libcorbel-tls exports.
#include "corbel/transport/tls_openssl/engine.hpp"

extern "C" CORBEL_API const corbel::transport::tls::Engine* corbel_tls_engine() {
  return &corbel::transport::tls::kOpenSsl;
}
