// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/context.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corbel/transport/tls_openssl/session.hpp"
#include "corbel/transport/tls_openssl/verify.hpp"

namespace corbel::transport::tls {
namespace {

constexpr int kSecurityLevel = 2;     // keys of 112 bits of security: RSA from 2,048 on, no SHA-1; nothing anonymous
constexpr long kKeptSessions = 1024;  // of clients of TLS 1.2 that take no tickets
constexpr base::Duration kRetry = std::chrono::seconds(1);
constexpr std::string_view kSessionContext = "corbel";

std::string failure(std::string_view what, const std::string& file) {
  std::string text = std::string(what).append(" '").append(file).append("'");
  const std::string reasons = take_reasons();
  return reasons.empty() ? text : text.append(": ").append(reasons);
}

/// OpenSSL asks at the terminal unless this answers: `file` is a const char* of a name that may be empty.
int read_password(char* buffer, int size, int, void* file) noexcept try {
  const auto* name = static_cast<const std::string*>(file);
  if (name == nullptr || name->empty()) return -1;
  std::ifstream stream(*name);
  std::vector<char> line(static_cast<std::size_t>(size) + 2);  // the end of the line, and a mark of its own
  stream.getline(line.data(), size + 2);
  const auto length = static_cast<int>(std::char_traits<char>::length(line.data()));
  if (length == 0 || length > size) return -1;
  std::copy_n(line.data(), length, buffer);  // its length is told, not marked
  return length;
} catch (const std::exception&) {
  return -1;
}

/// To open anything else may take for ever, and to read it, too. Empty if all are files.
std::string irregular_file(const Security& security) {
  for (const std::string* file :
       {&security.certificate, &security.key, &security.key_password, &security.authorities, &security.revocations}) {
    std::error_code none;
    const auto status = std::filesystem::status(*file, none);
    const bool folder = file == &security.authorities && std::filesystem::is_directory(status);
    if (!folder && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      return "'" + *file + "' is no regular file";
  }
  return {};
}

/// This side's certificate and key. Empty if all is well.
std::string use_certificate(SSL_CTX* context, const Security& security, Role role) {
  if (security.certificate.empty()) {
    if (!security.key.empty()) return "a key (-ORBTlsKey) without a certificate (-ORBTlsCertificate)";
    return role == Role::server ? "a server needs a certificate (-ORBTlsCertificate)" : "";
  }
  const std::string& key = security.key.empty() ? security.certificate : security.key;
  if (SSL_CTX_use_certificate_chain_file(context, security.certificate.c_str()) != 1) {
    return failure("certificate", security.certificate);
  }
  SSL_CTX_set_default_passwd_cb(context, &read_password);
  SSL_CTX_set_default_passwd_cb_userdata(context, const_cast<std::string*>(&security.key_password));
  const bool used = SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  if (!used || SSL_CTX_check_private_key(context) != 1) return failure("key", key);
  return {};
}

/// Names rules that would not be looked at, though their author relies on them. Empty if there are none.
std::string idle_rules(const Security& security, Role role) {
  const bool asks_clients = security.verify_clients != VerifyClients::off;
  if (role == Role::client && !security.verify_server && !security.server_names.empty()) {
    return "names of servers (-ORBTlsServerNames), which are not checked (-ORBTlsVerifyServer)";
  }
  if (role == Role::server && !asks_clients && !security.client_names.empty()) {
    return "names of clients (-ORBTlsClientNames), which are not asked who they are (-ORBTlsVerifyClients)";
  }
  if (!security.revocations.empty() && !security.verify_server && !asks_clients) {
    return "revocation lists (-ORBTlsRevocations), but nobody is checked (-ORBTlsVerifyServer, -ORBTlsVerifyClients)";
  }
  return {};
}

/// The authorities that this side believes.
std::string use_authorities(SSL_CTX* context, const Security& security, Role role) {
  const std::string& place = security.authorities;
  if (place.empty()) {
    if (role == Role::client) return SSL_CTX_set_default_verify_paths(context) == 1 ? "" : take_reasons();
    return security.verify_clients == VerifyClients::off
               ? ""
               : "a server that asks for certificates has to know their authorities (-ORBTlsAuthorities)";
  }
  std::error_code error;
  const bool folder = std::filesystem::is_directory(place, error);
  const int loaded =
      folder ? SSL_CTX_load_verify_dir(context, place.c_str()) : SSL_CTX_load_verify_file(context, place.c_str());
  if (loaded != 1) return failure("authorities", place);
  if (role != Role::server || folder) return {};
  auto* names = SSL_load_client_CA_file(place.c_str());
  if (names == nullptr) return failure("authorities", place);
  SSL_CTX_set_client_CA_list(context, names);
  return {};
}

std::string use_revocations(SSL_CTX* context, const std::string& file) {
  if (file.empty()) return {};
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  X509_LOOKUP* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  if (lookup == nullptr || X509_load_crl_file(lookup, file.c_str(), X509_FILETYPE_PEM) < 1) {
    return failure("revocation lists", file);
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

/// Ciphers of TLS 1.3 begin with "TLS_", and are a list of their own.
std::string use_ciphers(SSL_CTX* context, const std::string& ciphers) {
  std::string before, of_1_3;
  for (std::size_t begin = 0; begin < ciphers.size();) {
    const std::size_t end = std::min(ciphers.find(':', begin), ciphers.size());
    const std::string_view name = std::string_view(ciphers).substr(begin, end - begin);
    std::string& list = name.starts_with("TLS_") ? of_1_3 : before;
    list.append(list.empty() ? "" : ":").append(name);
    begin = end + 1;
  }
  if (ciphers.empty()) return {};
  // A list for one version alone leaves no ciphers for the other.
  if (SSL_CTX_set_ciphersuites(context, of_1_3.c_str()) != 1) return failure("ciphers", of_1_3);
  if (before.empty()) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  } else if (SSL_CTX_set_cipher_list(context, before.c_str()) != 1) {
    return failure("ciphers", before);
  }
  if (of_1_3.empty()) SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  return {};
}

/// The system may ask for a higher level: that stays.
void raise_security_level(SSL_CTX* context, int level) {
  SSL_CTX_set_security_level(context, std::max(SSL_CTX_get_security_level(context), level));
}

void raise_min_version(SSL_CTX* context, long version) {
  SSL_CTX_set_min_proto_version(context, static_cast<int>(std::max(SSL_CTX_get_min_proto_version(context), version)));
}

void use_verification(SSL_CTX* context, const Security& security, Role role) {
  int mode = SSL_VERIFY_NONE;
  if (role == Role::client) {
    if (security.verify_server) mode = SSL_VERIFY_PEER;
  } else if (security.verify_clients != VerifyClients::off) {
    const bool required = security.verify_clients == VerifyClients::required;
    mode = SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
  }
  SSL_CTX_set_verify(context, mode, mode == SSL_VERIFY_NONE ? nullptr : &on_certificate);
}

void use_sessions(SSL_CTX* context, Role role) {
  if (role == Role::client) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &Session::on_new_ticket);
    return;
  }
  SSL_CTX_sess_set_cache_size(context, kKeptSessions);
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(kSessionContext.data()),
                                 static_cast<unsigned>(kSessionContext.size()));
  // Tickets go out with the first reply (Session::offer_ticket): a client that is not reading yet would close upon
  // octets it has not read, and the system would then take back what the client had sent.
  SSL_CTX_set_num_tickets(context, 0);
}

}  // namespace

ContextPtr Context::make(const Security& security, Role role, std::string& why) {
  // The application may use OpenSSL, too: which of the two ends last is not known.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  ERR_clear_error();
  Owned<SSL_CTX> context(SSL_CTX_new(role == Role::client ? TLS_client_method() : TLS_server_method()));
  if (context == nullptr) {
    why = take_reasons();
    return nullptr;
  }
  raise_security_level(context.get(), kSecurityLevel);
  raise_min_version(context.get(), security.only_tls_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_dh_auto(context.get(), 1);
  const bool verifies = role == Role::client ? security.verify_server : security.verify_clients != VerifyClients::off;
  why = irregular_file(security);
  if (why.empty()) why = idle_rules(security, role);
  if (why.empty()) why = use_certificate(context.get(), security, role);
  if (why.empty() && verifies) why = use_authorities(context.get(), security, role);
  if (why.empty() && verifies) why = use_revocations(context.get(), security.revocations);
  const int level = SSL_CTX_get_security_level(context.get());
  if (why.empty()) why = use_ciphers(context.get(), security.ciphers);
  if (!why.empty()) return nullptr;
  raise_security_level(context.get(), level);  // a list of ciphers may say @SECLEVEL=0
  use_verification(context.get(), security, role);
  use_sessions(context.get(), role);
  return ContextPtr(new Context(std::move(context), role, security));
}

std::vector<Contexts::Stamp> Contexts::stamps() const {
  const Security& security = setup_.security;
  std::vector<Stamp> all;
  for (const std::string* file :
       {&security.certificate, &security.key, &security.key_password, &security.authorities, &security.revocations}) {
    std::error_code error;
    Stamp stamp;
    if (!file->empty()) {
      stamp.time = std::filesystem::last_write_time(*file, error);
      stamp.size = std::filesystem::file_size(*file, error);
    }
    all.push_back(stamp);
  }
  return all;
}

base::Result<ContextPtr> Contexts::current(base::Stage stage) {
  const std::string_view side = role_ == Role::client ? "client" : "server";
  const std::lock_guard lock(mutex_);
  auto now = stamps();
  const bool changed = !attempted_ || now != read_;
  if (changed || (has_failed_ && retry_.expired())) {
    const bool again = context_ != nullptr;
    std::string why;
    auto made = Context::make(setup_.security, role_, why);
    attempted_ = true;
    read_ = std::move(now);
    has_failed_ = made == nullptr;
    // Memory or descriptors may have been missing, of which the files show nothing.
    if (has_failed_) retry_ = base::Deadline::after(kRetry);
    if (made != nullptr) {
      context_ = std::move(made);
      if (again) CORBEL_LOG(log(), transport, info, "TLS settings read again", {"side", side});
    } else if (changed) {
      CORBEL_LOG(log(), transport, error, "TLS settings cannot be used", {"side", side}, {"why", why},
                 {"kept", again ? "those before" : "none"});
    }
  }
  if (context_ == nullptr) return base::error(stage, base::Code::bad_security_settings);
  return context_;
}

}  // namespace corbel::transport::tls
