// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/verify.hpp"

#include <openssl/x509v3.h>

#include <algorithm>

#include "corbel/ipc/inet_address.hpp"
#include "corbel/transport/tls_openssl/session.hpp"

namespace corbel::transport::tls {

using base::Code;

namespace {

constexpr unsigned kHostFlags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;

bool is_numeric(const std::string& name) {
  return ipc::InetAddress::parse(name, 0).ok();
}

std::string common_name(X509& certificate) {
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return {};
  unsigned char* octets = nullptr;
  const int size = ASN1_STRING_to_UTF8(&octets, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return {};
  std::string text(reinterpret_cast<const char*>(octets), static_cast<std::size_t>(size));
  OPENSSL_free(octets);
  return text;
}

bool is_made_out_to(X509& certificate, const std::string& name, bool configured) {
  // A common name may hold whatever its owner has asked the authority for, also the text of another's subject.
  if (configured && name.find('=') != std::string::npos) return name == text_of(X509_get_subject_name(&certificate));
  const unsigned flags = kHostFlags | (configured ? 0U : static_cast<unsigned>(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT));
  if (is_numeric(name)) {
    if (X509_check_ip_asc(&certificate, name.c_str(), 0) == 1) return true;
  } else if (X509_check_host(&certificate, name.data(), name.size(), flags, nullptr) == 1) {
    return true;
  }
  if (!configured) return false;
  if (X509_check_email(&certificate, name.data(), name.size(), 0) == 1) return true;
  return name == common_name(certificate);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string reason_of(int error, X509* certificate, const Expected& expected) {
  std::string text = X509_verify_cert_error_string(error);
  if (certificate == nullptr) return text;
  if (code_of(error) == Code::certificate_name) {
    text = "expected " + joined(expected.names) + ", it is made out to " + names_of(*certificate);
    if (!expected.configured && std::any_of(expected.names.begin(), expected.names.end(), is_numeric)) {
      text += "; an address needs an alternative name of its own (IP)";
    }
  } else if (code_of(error) == Code::certificate_authority) {
    text += "; its issuer is " + text_of(X509_get_issuer_name(certificate));
  }
  return text;
}

/// With full names, an authority high up need not have a list of its own.
bool is_missing_list_of_authority(int error, int depth) {
  return error == X509_V_ERR_UNABLE_TO_GET_CRL && depth > 0;
}

}  // namespace

Expected expected_at(const std::string& host, const std::vector<std::string>& names) {
  if (!names.empty()) return {names, true};
  Expected expected;
  if (!host.empty()) expected.names.push_back(host);
  return expected;
}

bool is_made_out_to(X509& certificate, const Expected& expected) {
  return expected.names.empty() || std::any_of(expected.names.begin(), expected.names.end(), [&](const auto& name) {
           return is_made_out_to(certificate, name, expected.configured);
         });
}

std::string names_of(X509& certificate) {
  std::string text;
  auto* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names) && text.size() < 500; ++i) {
    BIO* memory = BIO_new(BIO_s_mem());
    if (memory == nullptr) break;
    GENERAL_NAME_print(memory, sk_GENERAL_NAME_value(names, i));
    char* octets = nullptr;
    const long size = BIO_get_mem_data(memory, &octets);
    if (size > 0) text.append(text.empty() ? "" : ", ").append(octets, static_cast<std::size_t>(size));
    BIO_free(memory);
  }
  GENERAL_NAMES_free(names);
  return text.empty() ? "no alternative name (subject " + text_of(X509_get_subject_name(&certificate)) + ")" : text;
}

Code code_of(int error) noexcept {
  switch (error) {
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return Code::certificate_not_yet_valid;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return Code::certificate_expired;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // an authority of that name is known, but has not issued this
    case X509_V_ERR_INVALID_CA:
      return Code::certificate_authority;
    case X509_V_ERR_CERT_REVOKED:
      return Code::certificate_revoked;
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
      return Code::revocation_unknown;
    case X509_V_ERR_INVALID_PURPOSE:
    case X509_V_ERR_CERT_REJECTED:
      return Code::certificate_purpose;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_EMAIL_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return Code::certificate_name;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return Code::certificate_weak;
    default:
      return Code::certificate_invalid;
  }
}

int on_certificate(int fine, X509_STORE_CTX* store) try {
  const auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  Session& session = Session::of(ssl);
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  const int depth = X509_STORE_CTX_get_error_depth(store);
  if (fine == 0 && is_missing_list_of_authority(X509_STORE_CTX_get_error(store), depth)) {
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }
  if (fine != 0 && depth == 0 && certificate != nullptr && !is_made_out_to(*certificate, session.expected())) {
    X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
    fine = 0;
  }
  if (fine != 0) return 1;
  const int error = X509_STORE_CTX_get_error(store);
  std::string subject = certificate != nullptr ? text_of(X509_get_subject_name(certificate)) : std::string();
  session.set_verdict({error, std::move(subject), reason_of(error, certificate, session.expected())});
  return 0;
} catch (const std::bad_alloc&) {
  X509_STORE_CTX_set_error(store, X509_V_ERR_OUT_OF_MEM);
  return 0;
}

}  // namespace corbel::transport::tls
