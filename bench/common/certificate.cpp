// SPDX-License-Identifier: Apache-2.0
#include "common/certificate.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace bench {
namespace {

constexpr long kDay = 86400;

X509* make(EVP_PKEY* key) {
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kDay);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("corbel-bench"), -1, -1,
                             0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
  X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
  X509_add_ext(certificate, names, -1);
  X509_EXTENSION_free(names);
  X509_sign(certificate, key, EVP_sha256());
  return certificate;
}

}  // namespace

Certificate::Certificate() : file_((std::filesystem::temp_directory_path() / "corbel-bench-XXXXXX").string()) {
  const int handle = ::mkstemp(file_.data());  // readable by this user alone
  std::FILE* out = handle < 0 ? nullptr : ::fdopen(handle, "w");
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  if (out == nullptr || key == nullptr) throw std::runtime_error("cannot write a certificate to " + file_);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(make(key.get()), &X509_free);
  const bool written = PEM_write_X509(out, certificate.get()) == 1 &&
                       PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
  if (std::fclose(out) != 0 || !written) throw std::runtime_error("cannot write a certificate to " + file_);
}

Certificate::~Certificate() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace bench
