// SPDX-License-Identifier: Apache-2.0
#include "etcd_login.hpp"

#include <array>
#include <fstream>

#include "etcd_json.hpp"
#include "store.hpp"

namespace corbel::naming {
namespace {

/// The first line of a file; nothing more of it is read than a password may have.
std::string first_line(const std::string& file) {
  std::array<char, 1024> line{};
  std::ifstream in(file, std::ios::binary);
  in.getline(line.data(), line.size());
  std::string text = line.data();
  if (text.ends_with('\r')) text.pop_back();
  if ((in.fail() && !in.eof()) || text.empty()) {
    throw StoreError("--store-password-file: " + file + ": cannot be read, or its first line is no password",
                     StoreError::Fault::broken);
  }
  return text;
}

}  // namespace

EtcdLogin::Token EtcdLogin::token() const {
  const std::lock_guard lock(mutex_);
  return token_;
}

EtcdLogin::Token EtcdLogin::renew(const Token& stale, const Ask& ask) {
  {
    const std::lock_guard lock(mutex_);
    if (token_.number != stale.number) return token_;
  }
  std::string given = ask(body());
  const std::lock_guard lock(mutex_);
  token_ = {std::move(given), token_.number + 1};
  return token_;
}

std::string EtcdLogin::body() const {
  return login_to_json(security_.user,
                       security_.password_file.empty() ? security_.password : first_line(security_.password_file));
}

}  // namespace corbel::naming
