// SPDX-License-Identifier: Apache-2.0
#include "demo/sha256.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace demo {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(std::span<const std::uint8_t> octets) {
    check(EVP_DigestUpdate(context_.get(), octets.data(), octets.size()) == 1);
  }
  std::string finish() {
    std::uint8_t value[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), value, &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[value[i] >> 4U];
      text += "0123456789abcdef"[value[i] & 15U];
    }
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) throw std::runtime_error("libcrypto does not compute SHA-256");
  }
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };

  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

std::string sha256(std::span<const std::uint8_t> octets) {
  Digest digest;
  digest.add(octets);
  return digest.finish();
}

std::string sha256(const std::vector<Block>& blocks) {
  Digest digest;
  for (const Block& block : blocks) digest.add(block);
  return digest.finish();
}

}  // namespace demo
