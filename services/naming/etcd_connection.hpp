// SPDX-License-Identifier: Apache-2.0
// Requests of HTTP to a member of etcd. Knows nothing of what they say.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace corbel::naming {

/// How members are made sure of, and how they make sure of us.
struct EtcdSecurity {
  std::string authorities{};    ///< PEM file of those whose certificates are believed; empty: the system's
  std::string certificate{};    ///< PEM file that is shown to members; empty: none
  std::string key{};            ///< PEM file of its key; empty: in the same file
  std::string user{};           ///< of etcd; empty: none
  std::string password{};       ///< unless it is in a file
  std::string password_file{};  ///< its first line is the password; read at each login, so that it may be changed
};

/// What is to be sent, and how long that may take.
struct HttpRequest {
  std::string url;
  const std::string& body;
  std::string token{};  ///< of the header Authorization; empty: none
  std::chrono::milliseconds connect_patience = std::chrono::seconds(5);
  std::chrono::milliseconds patience = std::chrono::seconds(10);  ///< for all of it
};

struct HttpAnswer {
  enum class Failure {
    none,
    broken_off,  ///< no connection, or no whole answer
    untrusted,   ///< one side does not believe the other's certificate, or ours cannot be read; nothing was done
  };
  Failure failure = Failure::none;
  std::string why{};  ///< it failed, for people
  bool sent = false;  ///< the member may have got some of the request
  long status = 0;    ///< if nothing failed
  std::string body{};
};

/// Keeps its connections to members open. Used by one thread at a time. Certificates and names of members are always
/// verified; requests never go through a proxy, nor where a member redirects to.
class EtcdConnection {
 public:
  /// Throws std::bad_alloc, or std::runtime_error if libcurl cannot be used.
  explicit EtcdConnection(const EtcdSecurity& security);
  ~EtcdConnection();
  EtcdConnection(const EtcdConnection&) = delete;
  EtcdConnection& operator=(const EtcdConnection&) = delete;

  /// Posts JSON, once. Throws std::bad_alloc.
  HttpAnswer post(const HttpRequest& request);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace corbel::naming
