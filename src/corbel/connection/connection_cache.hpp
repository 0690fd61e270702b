// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::connection {

class SocketHooks;

class Server;

using routing::Registry;
using routing::Route;

/// What new connections to servers serve besides, and tell in their first request, so that the servers may ask, too.
/// Immutable.
struct Offer {
  Server* server = nullptr;  ///< its threads run what comes back; outlives the connections
  /// Server::share: who offers nothing is linked without it.
  base::Result<bool> (Server::*share)(const ConnectionPtr& connection) = nullptr;
  std::uint64_t generation = 0;                              ///< which offer this is; not 0
  std::uint32_t context_id = 0;                              ///< of the service context
  std::map<std::string, base::Bytes, std::less<>> contexts;  ///< by transport; others offer nothing

  /// Null: nothing is offered there.
  const base::Bytes* context(const Route& route) const;
};

/// The client connections of one ORB, by route key. Thread-safe; no lock is held while connecting.
class ConnectionCache {
 public:
  struct Settings {
    transport::ConnectionOptions transport;
    cdr::Limits limits;
    std::size_t max_per_route = 4;  ///< connections to one endpoint; beyond that calls share them
    policy::OnewayBuffering oneways = {};
    const base::Log* log = &base::Log::none();
    /// After so long, connections that nothing holds are closed, whenever another one is opened.
    base::Duration unused_after = std::chrono::minutes(1);
    /// When there are so many connections, those that no call uses are closed before another one is opened, the ones
    /// unused longest first; 0: an eighth of the descriptors that the process may open.
    std::size_t max_connections = 0;
    std::function<void()> opened = {};    ///< called for each new connection; throws nothing
    Watchers* watchers = nullptr;         ///< outlives the cache
    SocketHooks* socket_hooks = nullptr;  ///< the same
    InputMemory* input_memory = nullptr;  ///< what replies take; outlives the connections; null: it is not counted
  };

  ConnectionCache(const Registry& registry, const Settings& settings);
  /// Where asynchronous calls are finished; outlives the connections. Before any.
  void set_completions(Completions* completions) noexcept { completions_ = completions; }
  /// What connections offer from now on. Connections that should offer this and offer something else, or nothing, are
  /// not used any more as soon as other calls come.
  void set_offer(std::shared_ptr<const Offer> offer);
  /// False if calls of the route should go over a connection that offers more.
  bool offers_all(const Route& route, const Connection& connection);

  /// A connection for the route: an idle one, a new one while there are fewer than max_per_route, else the least busy.
  /// One that was not used for a second is asked first whether the peer has closed it meanwhile. `fresh` tells whether
  /// it was made for this call. `preferred` is taken if it is one of the route's, and is only compared, so it may be
  /// gone. Errors: stage resolve or connect; unsupported if the route's protocol or transport has been withdrawn.
  base::Result<ConnectionPtr> acquire(const Route& route, base::Deadline deadline, bool& fresh,
                                      const Connection* preferred = nullptr);
  /// After a call failed: if the connection has failed, drops it and closes those to the same endpoint that no call
  /// uses. If the peer has ended, they are dead, too, and each would cost a call.
  void forget(const Route& route, const Connection& connection);
  /// To be called now and then where calls may not come for long: connections that no call has used for so long keep no
  /// memory, and end as soon as their peers do; those that have failed are dropped. False once all are closed.
  bool rest(base::Duration age);
  /// Ends connections that no call has used for so long, whoever holds them: calls that had them find others. Those
  /// stay over which the peer may ask, too, and those whose reference ends with them. False once all are closed.
  bool end_unused(base::Duration age);
  /// Up to date, unless there is no memory for that: then they lag behind.
  const OnewayCounters& oneway_counters() noexcept;
  /// Counts a oneway for which there was no connection.
  void count_dropped_oneway() noexcept { ++oneway_counters_.dropped; }
  /// After something was withdrawn from the registry: no call begins on `which` of the connections any more, and each
  /// is closed when its last call has ended. Until the deadline the calling thread waits for that, and reads for
  /// callers that wait; what is left then is closed with the next one that is opened. True if none is left.
  bool withdraw(base::FunctionRef<bool(const Connection&)> which, base::Deadline deadline);
  /// The connections that are kept.
  std::vector<ConnectionPtr> all();
  /// Routes that something is kept for.
  std::size_t routes();
  /// Gives up all asynchronous requests.
  AsyncReplyList cancel_async();
  /// Sends the oneways that wait; true if all have left by the deadline.
  bool flush_oneways(base::Deadline deadline);
  /// Closes all, telling the peers, and ends what is connecting.
  void close();

 private:
  base::Result<ConnectionPtr> connect(const Route& route, const Offer* offer, base::Deadline deadline);
  ConnectionPtr choose(std::vector<ConnectionPtr>& known, std::uint64_t offered, const Connection* preferred,
                       bool& unsure);
  std::vector<ConnectionPtr> take_unused(base::Duration age);
  bool make_room(std::size_t most);
  std::size_t retire_held(std::size_t most, bool bound_for_good);
  void retire(base::FunctionRef<bool(Connection&)> which);
  bool end_retired(base::Deadline deadline);
  bool is_closed();

  const Registry& registry_;
  const Settings settings_;
  const std::size_t most_;
  OnewayCounters oneway_counters_;
  base::Cancellation connecting_;
  base::ForkMutex mutex_;  // guards what follows
  std::map<std::string, std::vector<ConnectionPtr>, std::less<>> connections_;
  std::vector<ConnectionPtr> retired_;  // calls may still be under way there
  bool closed_ = false;
  Completions* completions_ = nullptr;
  std::shared_ptr<const Offer> offer_;
};

}  // namespace corbel::connection
