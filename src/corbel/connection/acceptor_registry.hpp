// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::connection {

using routing::ListenPoint;

/// The open listening endpoints of one ORB. Thread-safe.
class AcceptorRegistry {
 public:
  explicit AcceptorRegistry(const transport::Options& options);
  ~AcceptorRegistry();

  /// Listens at `point` and hands accepted connections to `server`, which outlives this. What to publish of it. Errors:
  /// stage listen; cancelled after close(). Without memory (bad_alloc) nothing is open.
  base::Result<std::vector<ListenPoint>> open(const ListenPoint& point, Server& server);
  /// How many are open, and an end to all but the `first` so many of them, for who undoes what it opened.
  std::size_t count() const noexcept;
  void close_behind(std::size_t first) noexcept;
  /// Stops listening at those of the points, as they were opened or published; false if there is none. What was
  /// accepted there is with the server. Without memory (bad_alloc) all stay.
  bool close(base::FunctionRef<bool(const ListenPoint&)> which);
  /// True if one of the points is open, as it was opened or published.
  bool has(base::FunctionRef<bool(const ListenPoint&)> which) const;
  /// What to publish: every open endpoint, resolved; without those that close() would close.
  std::vector<ListenPoint> published() const;
  std::vector<ListenPoint> published_without(base::FunctionRef<bool(const ListenPoint&)> which) const;
  /// Stops listening.
  void close() noexcept;

 private:
  class Handler;

  const transport::Options options_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<base::IntrusivePtr<Handler>> handlers_;
  bool closed_ = false;
};

}  // namespace corbel::connection
