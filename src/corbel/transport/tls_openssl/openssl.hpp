// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace corbel::transport::tls {

/// Frees what OpenSSL made.
struct Free {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

/// What OpenSSL says went wrong on this thread, its last word first; forgets it. Empty if it says nothing.
std::string take_reasons();

/// The name of a certificate's subject or issuer, "CN=server,O=Corbel" (RFC 2253).
std::string text_of(const X509_NAME* name);

}  // namespace corbel::transport::tls
