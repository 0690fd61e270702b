// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/resumption.hpp"

#include <new>

namespace corbel::transport::tls {

void Resumption::put(const std::string& server, Owned<SSL_SESSION> session) noexcept try {
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMostServers && !sessions_.contains(server)) sessions_.erase(sessions_.begin());
  sessions_[server] = std::move(session);
} catch (const std::bad_alloc&) {  // it is only quicker with one
}

Owned<SSL_SESSION> Resumption::take(const std::string& server) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(server);
  if (found == sessions_.end()) return nullptr;
  SSL_SESSION* session = found->second.get();
  if (SSL_SESSION_is_resumable(session) != 1 || SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION) {
    Owned<SSL_SESSION> last = std::move(found->second);
    sessions_.erase(found);
    return SSL_SESSION_is_resumable(last.get()) == 1 ? std::move(last) : nullptr;
  }
  SSL_SESSION_up_ref(session);
  return Owned<SSL_SESSION>(session);
}

void Resumption::forget(const std::string& server) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(server);
}

}  // namespace corbel::transport::tls
