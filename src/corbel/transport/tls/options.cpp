// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls/options.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace corbel::transport::tls {
namespace {

/// A comma list. A subject's whole name has commas of its own, so there is another way to write them: semicolons.
template <std::vector<std::string> Security::*kNames>
bool read_names(Security& security, std::string_view value) {
  const char separator = value.find(';') != std::string_view::npos ? ';' : ',';
  std::vector<std::string> read;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(separator, begin), value.size());
    if (end != begin) read.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  if (read.empty()) return false;
  security.*kNames = std::move(read);
  return true;
}

bool read_verify_clients(Security& security, std::string_view value) {
  if (value == "required") {
    security.verify_clients = VerifyClients::required;
  } else if (value == "optional") {
    security.verify_clients = VerifyClients::optional;
  } else if (value == "off") {
    security.verify_clients = VerifyClients::off;
  } else {
    return false;
  }
  return true;
}

bool read_version(Security& security, std::string_view value) {
  if (value != "1.2" && value != "1.3") return false;
  security.only_tls_1_3 = value == "1.3";
  return true;
}

constexpr base::OptionRow<Security> kSecurityOptions[] = {
    {"TlsCertificate", base::TextMember<Security>{base::member_v<&Security::certificate>}, 0, 0, "",
     "TLS: file with this side's certificate and those of its issuers, PEM (docs/tls.md)"},
    {"TlsKey", base::TextMember<Security>{base::member_v<&Security::key>}, 0, 0, "",
     "TLS: file with its private key, PEM; none: it is in the file of the certificate"},
    {"TlsKeyPassword", base::TextMember<Security>{base::member_v<&Security::key_password>}, 0, 0, "",
     "TLS: file whose first line is the password of the key"},
    {"TlsAuthorities", base::TextMember<Security>{base::member_v<&Security::authorities>}, 0, 0, "",
     "TLS: file (PEM) or folder with the certificates of those whose word is believed; none: clients believe whom the "
     "system believes"},
    {"TlsRevocations", base::TextMember<Security>{base::member_v<&Security::revocations>}, 0, 0, "",
     "TLS: file with revocation lists, PEM; with it, a certificate that no current list covers is refused"},
    {"TlsVerifyServer", base::SwitchMember<Security>{base::member_v<&Security::verify_server>}, 0, 0, "",
     "TLS: clients check who the server is; off: anybody between can read and change everything"},
    {"TlsVerifyClients", base::ParsedMember<Security>{read_verify_clients, "required, optional or off", "required"}, 0,
     0, "", "TLS: servers ask clients for certificates and check them"},
    {"TlsServerNames",
     base::ParsedMember<Security>{
         read_names<&Security::server_names>,
         "names, addresses or subjects; several separated by ',' or, where subjects have commas, ';'", "none"},
     0, 0, "", "TLS: the certificate of a server has one of these names; none: the host that is connected to"},
    {"TlsClientNames",
     base::ParsedMember<Security>{
         read_names<&Security::client_names>,
         "names, addresses or subjects; several separated by ',' or, where subjects have commas, ';'", "none"},
     0, 0, "", "TLS: the certificate of a client has one of these names; none: any"},
    {"TlsMinimumVersion", base::ParsedMember<Security>{read_version, "1.2 or 1.3", "1.2"}, 0, 0, "",
     "TLS: the oldest version spoken"},
    {"TlsCiphers", base::TextMember<Security>{base::member_v<&Security::ciphers>}, 0, 0, "",
     "TLS: ciphers as OpenSSL names them, separated by ':'; those of TLS 1.3 begin with TLS_; none: OpenSSL's choice"},
};

}  // namespace

std::span<const base::OptionRow<Security>> security_options() noexcept {
  return kSecurityOptions;
}

}  // namespace corbel::transport::tls
