// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/base/log.hpp"

namespace corbel::transport {

/// Whether an accepting side asks clients for their identity.
enum class VerifyClients : std::uint8_t {
  required,  ///< by a certificate that is checked
  optional,  ///< a certificate is checked if there is one
  off,       ///< is not asked for one
};

/// How connections are protected (docs/tls.md): -ORBTls... of an ORB. Files hold PEM. A value.
struct Security {
  std::string certificate;    ///< file: this side's certificate, then those of its issuers; empty: has none
  std::string key;            ///< file: its private key; empty: in the file of the certificate
  std::string key_password;   ///< file whose first line opens the key; empty: it is not locked
  std::string authorities;    ///< file or folder (as `openssl rehash` makes it); empty: the system's, for clients alone
  std::string revocations;    ///< file of revocation lists; empty: revocation is not checked
  bool verify_server = true;  ///< a client checks the server's identity
  VerifyClients verify_clients = VerifyClients::required;
  std::vector<std::string> server_names;  ///< one of which a server has to have; empty: the host that was connected to
  std::vector<std::string> client_names;  ///< one of which a client has to have; empty: any
  bool only_tls_1_3 = false;              ///< else 1.2 will do
  std::string ciphers;                    ///< as OpenSSL names them, with colons between; empty: OpenSSL's choice

  /// True if there is something to know servers by, or to show them.
  bool is_configured() const noexcept { return !certificate.empty() || !authorities.empty() || !verify_server; }
  /// True if TLS is asked for: who says how a client is to speak it, even if with the system's authorities, means that.
  bool is_wanted() const noexcept {
    return is_configured() || !key.empty() || !server_names.empty() || !revocations.empty() || only_tls_1_3 ||
           !ciphers.empty();
  }
};

/// What TLS needs to know.
struct TlsSetup {
  Security security{};
  const base::Log* log = &base::Log::none();  ///< outlives whatever is made with it
};

}  // namespace corbel::transport
