// SPDX-License-Identifier: Apache-2.0
#include "connection/connection_cache.hpp"

#include <algorithm>

namespace corbel::connection {

using base::Code;
using base::Stage;

ConnectionCache::ConnectionCache(const Registry& registry, const Settings& settings) : settings_(settings) {
  for (const auto& transport : registry.transports()) {
    connectors_.push_back(transport->make_connector(settings.transport));
  }
}

base::Result<ConnectionPtr> ConnectionCache::acquire(const Route& route, base::Deadline deadline, bool& fresh) {
  fresh = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(Stage::connect, Code::cancelled);
    auto& known = connections_[route.key];
    std::erase_if(known,
                  [](const ConnectionPtr& connection) { return connection->load() == static_cast<std::size_t>(-1); });
    const auto best = std::min_element(known.begin(), known.end(), [](const ConnectionPtr& a, const ConnectionPtr& b) {
      return a->load() < b->load();
    });
    if (best != known.end() && ((*best)->load() == 0 || known.size() >= settings_.max_per_route)) return *best;
  }
  auto transport = connectors_[route.transport]->connect(*route.endpoint, deadline);
  if (!transport) return transport.error();
  Connection::Settings settings;
  settings.limits = settings_.limits;
  settings.version = route.version;
  settings.code_sets = route.code_sets;
  ConnectionPtr connection(new Connection(*std::move(transport), route.protocol, settings));
  connection->set_completions(completions_);
  fresh = true;
  const std::lock_guard lock(mutex_);
  if (closed_) return base::error(Stage::connect, Code::cancelled);
  connections_[route.key].push_back(connection);
  return connection;
}

void ConnectionCache::forget(const Route& route, const Connection& connection) {
  const std::lock_guard lock(mutex_);
  const auto known = connections_.find(route.key);
  if (known == connections_.end()) return;
  std::erase_if(known->second,
                [&](const ConnectionPtr& other) { return other.get() == &connection || other->load() == 0; });
  if (known->second.empty()) connections_.erase(known);
}

AsyncReplyList ConnectionCache::cancel_async() {
  const std::lock_guard lock(mutex_);
  AsyncReplyList cancelled;
  for (const auto& [key, known] : connections_) {
    for (const auto& connection : known) connection->cancel_async(cancelled);
  }
  return cancelled;
}

void ConnectionCache::close() {
  std::map<std::string, std::vector<ConnectionPtr>, std::less<>> connections;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    connections.swap(connections_);
  }
  for (const auto& [key, known] : connections) {
    for (const auto& connection : known) connection->close();
  }
}

}  // namespace corbel::connection
