// SPDX-License-Identifier: Apache-2.0
// The token that etcd gives a user, which all connections share.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "etcd_connection.hpp"

namespace corbel::naming {

/// Thread-safe.
class EtcdLogin {
 public:
  /// A token and which one that is; empty as long as there was no login, and where etcd asks for none.
  struct Token {
    std::string text{};
    std::uint64_t number = 0;
  };
  /// Sends the body to /v3/auth/authenticate, and returns the token that comes back. Throws StoreError.
  using Ask = std::function<std::string(const std::string& body)>;

  explicit EtcdLogin(EtcdSecurity security) : security_(std::move(security)) {}

  bool has_user() const noexcept { return !security_.user.empty(); }
  const EtcdSecurity& security() const noexcept { return security_; }
  Token token() const;
  /// A newer one than `stale`, which etcd did not take; by `ask`, unless another thread has it already. Threads that
  /// come meanwhile do not wait for each other: the one that was given last counts. Throws StoreError.
  Token renew(const Token& stale, const Ask& ask);

 private:
  /// Throws StoreError if the password cannot be read.
  std::string body() const;

  const EtcdSecurity security_;
  mutable std::mutex mutex_;  // guards what follows, and is not held while etcd is asked
  Token token_;
};

}  // namespace corbel::naming
