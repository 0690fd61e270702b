// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::connection {

using routing::Registry;
using routing::Route;

/// The client connections of one ORB, by route key. Thread-safe; no lock is held while connecting.
class ConnectionCache {
 public:
  struct Settings {
    transport::ConnectionOptions transport;
    cdr::Limits limits;
    std::size_t max_per_route = 4;  ///< connections to one endpoint; beyond that calls share them
    policy::OnewayBuffering oneways = {};
    const base::Log* log = &base::Log::none();
    /// After so long connections that nobody holds are closed, whenever another one is opened.
    base::Duration unused_after = std::chrono::minutes(1);
  };

  ConnectionCache(const Registry& registry, const Settings& settings);
  /// Where asynchronous calls are finished; outlives the connections. Before any.
  void set_completions(Completions* completions) noexcept { completions_ = completions; }

  /// A connection for the route: an idle one, a new one while there are fewer than max_per_route, else the least busy.
  /// `fresh` tells whether it was made for this call. Errors: stage resolve or connect; unsupported if the route's
  /// protocol or transport has been withdrawn.
  base::Result<ConnectionPtr> acquire(const Route& route, base::Deadline deadline, bool& fresh);
  /// After a call failed: if the connection has failed, drops it and closes those to the same endpoint that nobody
  /// uses. If the peer has ended, they are dead, too, and each would cost a call.
  void forget(const Route& route, const Connection& connection);
  const OnewayCounters& oneway_counters() const noexcept { return oneway_counters_; }
  /// Of what has been withdrawn from the registry: no call begins on `which` of the connections any more, and each is
  /// closed when its last call has ended. Until the deadline the calling thread waits for that, and reads for those who
  /// wait; what is left then is closed with the next one that is opened. True if none is left.
  bool withdraw(base::FunctionRef<bool(const Connection&)> which, base::Deadline deadline);
  /// The connections that are kept.
  std::vector<ConnectionPtr> all();
  /// Routes that something is kept for.
  std::size_t routes();
  /// Gives up all asynchronous requests.
  AsyncReplyList cancel_async();
  /// Closes all, telling the peers.
  void close();

 private:
  ConnectionPtr choose(std::vector<ConnectionPtr>& known);
  std::vector<ConnectionPtr> take_unused();
  bool end_retired(base::Deadline deadline);
  base::Result<ConnectionPtr> connect(const Route& route, base::Deadline deadline);

  const Registry& registry_;
  const Settings settings_;
  OnewayCounters oneway_counters_;
  base::ForkMutex mutex_;  // guards what follows
  std::map<std::string, std::vector<ConnectionPtr>, std::less<>> connections_;
  std::vector<ConnectionPtr> retired_;  // calls may still be under way there
  bool closed_ = false;
  Completions* completions_ = nullptr;
};

}  // namespace corbel::connection
