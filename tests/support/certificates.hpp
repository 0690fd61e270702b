// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "corbel/transport/tls/security.hpp"
#include "files.hpp"

/// Authorities, certificates and revocation lists for tests, made on the spot.
namespace corbel::tests {

/// What a certificate says. Times are seconds from now.
struct Wanted {
  std::string common_name = "server";
  std::string names = "IP:127.0.0.1,DNS:localhost,IP:::1";  ///< subjectAltName; empty: none
  long from = -3600;
  long until = 86400;
  std::string purpose = "serverAuth,clientAuth";  ///< extendedKeyUsage; empty: any
  unsigned rsa_bits = 0;                          ///< 0: an elliptic curve
};

/// A folder with an authority "ca" and whatever it issues; removed at the end.
class Certificates {
 public:
  explicit Certificates(const std::string& name = "Test authority") : Certificates(name, nullptr) {}
  /// An authority that `above`, if there is one, has issued: what it issues is shown together with its certificate.
  Certificates(const std::string& name, Certificates* above) : is_below_(above != nullptr) {
    key_ = make_key(0);
    Wanted wanted{.common_name = name, .names = "", .purpose = ""};
    certificate_ = (above != nullptr ? above : this)->make(wanted, key_, true);
    write_certificate("ca.pem", certificate_);
    if (above == nullptr) return;
    X509_up_ref(certificate_);
    above->issued_.push_back(certificate_);
  }
  ~Certificates() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
    for (X509* each : revoked_) X509_free(each);
    for (X509* each : issued_) X509_free(each);
  }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  std::string file(const std::string& name) const { return folder_ / name; }
  std::string authority() const { return file("ca.pem"); }

  /// Issues NAME.pem: certificate and key in one file, whose path is returned. One that is there is replaced.
  std::string issue(const std::string& name, const Wanted& wanted = {}) {
    EVP_PKEY* key = make_key(wanted.rsa_bits);
    X509* certificate = make(wanted, key, false);
    const std::string path = file(name + ".new");
    std::FILE* out = open(path);
    PEM_write_X509(out, certificate);
    if (is_below_) PEM_write_X509(out, certificate_);
    PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(out);
    std::filesystem::rename(path, file(name + ".pem"));
    EVP_PKEY_free(key);
    issued_.push_back(certificate);
    return file(name + ".pem");
  }
  /// The key of an issued certificate, which can be read only with the password: the path of a file of its own.
  std::string lock_key(const std::string& certificate, std::string password) {
    std::FILE* in = std::fopen(certificate.c_str(), "r");
    if (in == nullptr) throw std::runtime_error(certificate);
    EVP_PKEY* key = PEM_read_PrivateKey(in, nullptr, nullptr, nullptr);
    std::fclose(in);
    const std::string path = certificate + ".locked";
    std::FILE* out = open(path);
    PEM_write_PrivateKey(out, key, EVP_aes_128_cbc(), reinterpret_cast<unsigned char*>(password.data()),
                         static_cast<int>(password.size()), nullptr, nullptr);
    std::fclose(out);
    EVP_PKEY_free(key);
    return path;
  }
  /// Takes back what was issued last; revocations() says so from then on.
  void revoke_last() {
    revoked_.push_back(issued_.back());
    X509_up_ref(issued_.back());
  }
  /// Writes the list of what was revoked; `until`: seconds from now to the next one.
  std::string revocations(long until = 86400) {
    X509_CRL* list = X509_CRL_new();
    X509_CRL_set_version(list, 1);
    X509_CRL_set_issuer_name(list, X509_get_subject_name(certificate_));
    ASN1_TIME* time = X509_gmtime_adj(nullptr, -7200);
    X509_CRL_set1_lastUpdate(list, time);
    X509_gmtime_adj(time, until);
    X509_CRL_set1_nextUpdate(list, time);
    for (X509* each : revoked_) {
      X509_REVOKED* entry = X509_REVOKED_new();
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(each));
      X509_gmtime_adj(time, -60);
      X509_REVOKED_set_revocationDate(entry, time);
      X509_CRL_add0_revoked(list, entry);
    }
    ASN1_TIME_free(time);
    X509_CRL_sort(list);
    X509_CRL_sign(list, key_, EVP_sha256());
    const std::string path = file("revoked.pem");
    std::FILE* out = open(path);
    PEM_write_X509_CRL(out, list);
    std::fclose(out);
    X509_CRL_free(list);
    return path;
  }

  /// Settings of a side that has the certificate in that file and believes this authority.
  transport::Security security(const std::string& certificate) const {
    transport::Security security;
    security.certificate = certificate;
    security.authorities = authority();
    return security;
  }

 private:
  static std::FILE* open(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    return file;
  }
  static void write_certificate_to(const std::string& path, X509* certificate) {
    std::FILE* out = open(path);
    PEM_write_X509(out, certificate);
    std::fclose(out);
  }
  void write_certificate(const std::string& name, X509* certificate) { write_certificate_to(file(name), certificate); }
  static EVP_PKEY* make_key(unsigned rsa_bits) {
    EVP_PKEY* key = rsa_bits != 0 ? EVP_RSA_gen(rsa_bits) : EVP_EC_gen("P-256");
    if (key == nullptr) throw std::runtime_error("no key");
    return key;
  }
  void extend(X509* certificate, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate_ != nullptr ? certificate_ : certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    if (extension == nullptr) throw std::runtime_error("bad extension " + value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  X509* make(const Wanted& wanted, EVP_PKEY* key, bool authority) {
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(certificate), wanted.from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), wanted.until);
    X509_NAME* subject = X509_get_subject_name(certificate);
    const auto add = [&](const char* field, const std::string& text) {
      X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                                 static_cast<int>(text.size()), -1, 0);
    };
    add("O", "Corbel");
    add("CN", wanted.common_name);
    X509_set_issuer_name(certificate, certificate_ == nullptr ? subject : X509_get_subject_name(certificate_));
    X509_set_pubkey(certificate, key);
    extend(certificate, NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
    if (!wanted.names.empty()) extend(certificate, NID_subject_alt_name, wanted.names);
    if (!wanted.purpose.empty()) extend(certificate, NID_ext_key_usage, wanted.purpose);
    X509_sign(certificate, key_, EVP_sha256());
    return certificate;
  }

  const bool is_below_;
  const test::Folder folder_;
  EVP_PKEY* key_ = nullptr;
  X509* certificate_ = nullptr;
  std::vector<X509*> issued_;
  std::vector<X509*> revoked_;
  long serial_ = 0;
};

}  // namespace corbel::tests
