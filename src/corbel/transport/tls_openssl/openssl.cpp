// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/openssl.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <system_error>

namespace corbel::transport::tls {

namespace {

std::string reason_of(unsigned long number) {
  if (ERR_SYSTEM_ERROR(number)) return std::generic_category().message(ERR_GET_REASON(number));
  const char* reason = ERR_reason_error_string(number);
  return reason != nullptr ? reason : "error " + std::to_string(ERR_GET_REASON(number));
}

}  // namespace

std::string take_reasons() {
  std::string text;
  while (const unsigned long number = ERR_get_error()) {
    const std::string word = reason_of(number);
    // Many layers say only which layer below them failed.
    const bool says_nothing = word.ends_with(" lib") && !text.empty();
    if (says_nothing || text == word || text.starts_with(word + ", ")) continue;
    text = text.empty() ? word : word + ", " + text;
  }
  return text;
}

std::string text_of(const X509_NAME* name) {
  std::string text;
  BIO* memory = name != nullptr ? BIO_new(BIO_s_mem()) : nullptr;
  if (memory == nullptr) return text;
  X509_NAME_print_ex(memory, name, 0, XN_FLAG_RFC2253);
  char* octets = nullptr;
  const long size = BIO_get_mem_data(memory, &octets);
  if (size > 0) text.assign(octets, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

}  // namespace corbel::transport::tls
