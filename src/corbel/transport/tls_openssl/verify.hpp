// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/error.hpp"
#include "corbel/transport/tls_openssl/openssl.hpp"

namespace corbel::transport::tls {

/// The peer's certificate has to be made out to one of these names. None: to any that the authorities vouch for.
struct Expected {
  std::vector<std::string> names;
  /// The names were written down where this side was configured, and may be a subject's whole name or its common name,
  /// too. Else it is the host that was connected to, which has to be among the certificate's alternative names
  /// (RFC 9525).
  bool configured = false;
};

/// The server at a host (empty: at an address of another kind), if `names` does not say otherwise.
Expected expected_at(const std::string& host, const std::vector<std::string>& names);

/// What checking the peer's certificate came to.
struct Verdict {
  int error = X509_V_OK;  ///< OpenSSL's number
  std::string subject;    ///< of the certificate that is at fault
  std::string reason;     ///< in words
};

/// True if the certificate is made out to one of the names.
bool is_made_out_to(X509& certificate, const Expected& expected);
/// The names that it is made out to, for people.
std::string names_of(X509& certificate);
/// What kind of failure one of OpenSSL's X509_V_ERR numbers is.
base::Code code_of(int verify_error) noexcept;

/// What OpenSSL calls for each certificate of a chain, of a conversation whose application data is a Session. Adds the
/// check of names, and remembers the first fault there.
int on_certificate(int fine, X509_STORE_CTX* store);

}  // namespace corbel::transport::tls
