// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "corbel/transport/tls_openssl/openssl.hpp"

namespace corbel::transport::tls {

/// What a client keeps of conversations so that the next one with the same server needs no certificates. Thread-safe.
class Resumption {
 public:
  /// Remembers the newest of a server.
  void put(const std::string& server, Owned<SSL_SESSION> session) noexcept;
  /// One to go on with, or null. Of TLS 1.3 each is given out once, lest listeners recognize the client.
  Owned<SSL_SESSION> take(const std::string& server);
  void forget(const std::string& server);

 private:
  static constexpr std::size_t kMostServers = 1000;

  std::mutex mutex_;
  std::map<std::string, Owned<SSL_SESSION>> sessions_;
};

}  // namespace corbel::transport::tls
