// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "corbel/connection/registry.hpp"
#include "corbel/connection/server.hpp"

namespace corbel::connection {

/// The open listening endpoints of one ORB. Thread-safe.
class AcceptorRegistry {
 public:
  AcceptorRegistry(const Registry& registry, const transport::Options& options);
  ~AcceptorRegistry();

  /// Listens at `point` and hands accepted connections to `server`, which outlives this. Errors: stage listen;
  /// cancelled after close().
  base::Status open(const ListenPoint& point, Server& server);
  /// What to publish: every open endpoint, resolved.
  std::vector<ListenPoint> published() const;
  /// Stops listening.
  void close() noexcept;

 private:
  class Handler;

  const Registry& registry_;
  const transport::Options options_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<base::IntrusivePtr<Handler>> handlers_;
  bool closed_ = false;
};

}  // namespace corbel::connection
