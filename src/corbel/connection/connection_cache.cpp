// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/connection_cache.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#include <utility>

#include "corbel/connection/admission.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/connection/telling.hpp"
#include "corbel/routing/route_options.hpp"

namespace corbel::connection {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kForNested = 64;  // connections to one endpoint beyond the limit, for calls inside requests
constexpr base::Duration kMoment = std::chrono::seconds(1);
constexpr base::Error kWithdrawn = base::error(Stage::connect, Code::unsupported);

/// A number for each thread, counted from 0.
std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t kNumber = next.fetch_add(1, std::memory_order_relaxed);
  return kNumber;
}

}  // namespace

ConnectionCache::ConnectionCache(const Registry& registry, const Settings& settings)
    : registry_(registry),
      settings_(settings),
      most_(settings.max_connections != 0 ? settings.max_connections : share_for_outgoing()) {}

const base::Bytes* Offer::context(const Route& route) const {
  if (!route.protocol->offers().both_ways || route.version.minor < 2) return nullptr;
  const auto found = contexts.find(route.endpoint->scheme());
  return found == contexts.end() ? nullptr : &found->second;
}

void ConnectionCache::set_offer(std::shared_ptr<const Offer> offer) {
  const std::lock_guard lock(mutex_);
  offer_ = std::move(offer);
}

bool ConnectionCache::offers_all(const Route& route, const Connection& connection) {
  const std::lock_guard lock(mutex_);
  return offer_ == nullptr || offer_->context(route) == nullptr || connection.offered() == offer_->generation;
}

base::Result<ConnectionPtr> ConnectionCache::acquire(const Route& route, base::Deadline deadline, bool& fresh,
                                                     const Connection* preferred) {
  fresh = false;
  std::vector<ConnectionPtr> unused;
  std::shared_ptr<const Offer> offer;
  // It ends because each connection that turns out to be dead is forgotten.
  for (;;) {
    ConnectionPtr chosen;
    bool unsure = false;
    bool some_retired = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return base::error(Stage::connect, Code::cancelled);
      some_retired = !retired_.empty();
      offer = offer_ != nullptr && offer_->context(route) != nullptr ? offer_ : nullptr;
      // Not operator[]: a route that never connects must leave nothing behind.
      if (const auto known = connections_.find(route.key); known != connections_.end()) {
        chosen = choose(known->second, offer ? offer->generation : 0, preferred, unsure);
        if (known->second.empty()) connections_.erase(known);
      }
      if (!chosen) unused = take_unused(settings_.unused_after);
    }
    if (some_retired) (void)end_retired(base::Deadline::now());
    if (!chosen) break;
    // A request that is sent to a peer that has gone is lost, and nobody knows whether it was executed.
    if (unsure) chosen->attend();
    if (!unsure || !chosen->failed()) return chosen;
    forget(route, *chosen);
  }
  for (const auto& each : unused) each->close();
  (void)make_room(most_);
  auto connected = connect(route, offer.get(), deadline);
  // Descriptors ran out: those that no call uses are given up.
  if (!connected && connected.error().code == Code::out_of_resources && make_room(0)) {
    connected = connect(route, offer.get(), deadline);
  }
  CORBEL_TRY(ConnectionPtr connection, std::move(connected));
  fresh = true;
  if (settings_.opened) settings_.opened();
  base::Result<ConnectionPtr> other = base::error(Stage::connect, Code::cancelled);
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      // A thread that withdrew it meanwhile has not seen this connection.
      const bool there = registry_.has(route.protocol, route.transport);
      ConnectionPtr instead;
      if (there) {
        auto& known = connections_[route.key];
        bool unsure = false;
        // Several connected at once, and there may be no more.
        instead = choose(known, connection->offered(), nullptr, unsure);
        if (!instead) {
          known.push_back(connection);
          return connection;
        }
      }
      other = there ? base::Result<ConnectionPtr>(std::move(instead)) : base::Result<ConnectionPtr>(kWithdrawn);
    }
  }
  connection->close();
  fresh = !other;
  return other;
}

base::Result<ConnectionPtr> ConnectionCache::connect(const Route& route, const Offer* offer, base::Deadline deadline) {
  if (!registry_.has(route.protocol, route.transport)) return kWithdrawn;
  const transport::ConnectionOptions* options = &settings_.transport;
  transport::ConnectionOptions own;
  if (route.options != nullptr) {
    own = settings_.transport;
    (void)routing::set_options(route.transport->factory(), *route.options, own);  // which was tried before
    options = &own;
  }
  auto transport = [&]() -> base::Result<std::unique_ptr<transport::Transport>> {
    const base::Cancellation::Scope scope(connecting_);
    try {
      return route.transport->connector().connect(*route.endpoint, *options, deadline);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {  // of a transport that others have written
      CORBEL_LOG(*settings_.log, connection, warning, "a transport failed", {"peer", route.endpoint->text()},
                 {"why", failure.what()});
      return base::error(Stage::connect, Code::unsupported);
    }
  }();
  if (!transport) {
    if (is_closed()) return base::error(Stage::connect, Code::cancelled);
    const base::Error error = transport.error();
    if (error.stage == Stage::resolve && error.code == Code::out_of_resources) {
      CORBEL_LOG(*settings_.log, connection, warning, "a thread could not be started",
                 {"wanted_for", "looking up a host's name"}, {"peer", route.endpoint->text()}, {"error", error});
    }
    tell_unreachable(settings_.watchers, route, error);
    return error;
  }
  Connection::Settings settings;
  settings.limits = settings_.limits;
  settings.gather_threshold = options->gather_threshold;
  settings.version = route.version;
  settings.code_sets = route.code_sets;
  settings.log = settings_.log;
  settings.oneways = settings_.oneways;
  if (options->oneway_queue >= 0) settings.oneways.limit = static_cast<std::uint32_t>(options->oneway_queue);
  settings.oneway_counters = &oneway_counters_;
  settings.watchers = settings_.watchers;
  settings.socket_hooks = settings_.socket_hooks;
  settings.input_memory = settings_.input_memory;
  ConnectionPtr connection(new Connection(*std::move(transport), route.protocol,
                                          std::make_shared<const Connection::Settings>(settings), route.transport));
  connection->set_completions(completions_);
  connection->use(base::Deadline::clock_now());
  tell_opened(*connection, false);
  // Also one that cannot be shared: it would not be tried again for each call.
  if (offer != nullptr) connection->set_offered(offer->generation);
  bool shared = false;
  if (offer != nullptr) {
    CORBEL_TRY(shared, (offer->server->*offer->share)(connection));
  }
  if (shared) {
    connection->session().introduce(offer->context_id, *offer->context(route));
  } else {
    connection->share_input_memory();
  }
  return connection;
}

/// Makes room until there are fewer than `most` connections, or if that is 0 a quarter fewer than now, as far as no
/// call uses them. Those that nothing holds go first, then those of references that are kept, which connect anew when
/// they are used; of each kind the ones unused longest. If nobody could go, one goes whose reference ends with it. True
/// if any has gone.
bool ConnectionCache::make_room(std::size_t most) {
  constexpr base::Duration kAges[] = {std::chrono::seconds(10), std::chrono::seconds(1), base::Duration::zero()};
  std::vector<ConnectionPtr> leave;
  {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [key, known] : connections_) count += known.size();
    if (count < most || count == 0) return false;
    if (most == 0) most = count - count / 4;
    for (const base::Duration age : kAges) {
      auto unused = take_unused(age);
      count -= unused.size();
      std::move(unused.begin(), unused.end(), std::back_inserter(leave));
      if (count < most) break;
    }
    if (count >= most && retire_held(count - most + 1, false) == 0 && leave.empty()) (void)retire_held(1, true);
  }
  for (const auto& each : leave) each->close();
  const bool retired = end_retired(base::Deadline::now());
  return !leave.empty() || retired;
}

/// With the mutex: retires those unused longest that a reference holds, unless the peer was offered to ask over them,
/// too: as many as `most`. Says how many.
std::size_t ConnectionCache::retire_held(std::size_t most, bool bound_for_good) {
  // Calls change the times meanwhile: each is read once.
  std::vector<std::pair<std::int64_t, const Connection*>> idle;
  const std::int64_t before = base::Deadline::clock_now() - kMoment.count();
  for (const auto& [key, known] : connections_) {
    for (const ConnectionPtr& one : known) {
      const bool considered = one->offered() == 0 && one->is_bound_for_good() == bound_for_good;
      if (considered && one->unused_since(before, true)) idle.emplace_back(one->last_used(), one.get());
    }
  }
  std::ranges::sort(idle, {}, &std::pair<std::int64_t, const Connection*>::first);
  if (idle.size() > most) idle.resize(most);
  std::ranges::sort(idle, std::less<>{}, &std::pair<std::int64_t, const Connection*>::second);
  retire([&](Connection& one) {
    const Connection* const goes = &one;
    return std::ranges::binary_search(idle, goes, std::less<>{}, &std::pair<std::int64_t, const Connection*>::second);
  });
  return idle.size();
}

/// With the mutex: no call begins any more on these.
void ConnectionCache::retire(base::FunctionRef<bool(Connection&)> which) {
  for (auto place = connections_.begin(); place != connections_.end();) {
    auto& known = place->second;
    const auto first =
        std::partition(known.begin(), known.end(), [&](const ConnectionPtr& one) { return !which(*one); });
    for (auto each = first; each != known.end(); ++each) (*each)->retire();
    retired_.insert(retired_.end(), std::move_iterator(first), std::move_iterator(known.end()));
    known.erase(first, known.end());
    place = known.empty() ? connections_.erase(place) : std::next(place);
  }
}

/// With the mutex: takes out connections that nothing holds and that were unused for so long, and those that failed.
std::vector<ConnectionPtr> ConnectionCache::take_unused(base::Duration age) {
  std::vector<ConnectionPtr> unused;
  const std::int64_t before = base::Deadline::clock_now() - age.count();
  for (auto place = connections_.begin(); place != connections_.end();) {
    auto& known = place->second;
    const auto first = std::partition(known.begin(), known.end(), [&](const ConnectionPtr& one) {
      return !one->failed() && !one->unused_since(before);
    });
    unused.insert(unused.end(), std::move_iterator(first), std::move_iterator(known.end()));
    known.erase(first, known.end());
    place = known.empty() ? connections_.erase(place) : std::next(place);
  }
  return unused;
}

/// With the mutex: an idle one, or the least busy if there may be no more; null if a new one is better. Every thread
/// looks first where it looked before. With as many connections as threads each finds its own, without a search, and
/// the same thread serves it every time. `offered`: connections that offer anything else are left aside; 0: none are.
/// `unsure`: it was not used for so long that the peer may have gone meanwhile.
ConnectionPtr ConnectionCache::choose(std::vector<ConnectionPtr>& known, std::uint64_t offered,
                                      const Connection* preferred, bool& unsure) {
  const auto fits = [&](const ConnectionPtr& one) { return offered == 0 || one->offered() == offered; };
  const auto use = [&](const ConnectionPtr& one) {
    const std::int64_t now = base::Deadline::clock_now();
    unsure = now - one->last_used() > kMoment.count();
    one->use(now);
    return one;
  };
  if (preferred != nullptr) {
    const auto found = std::ranges::find(known, preferred, &ConnectionPtr::get);
    if (found != known.end() && !(*found)->failed() && fits(*found)) return use(*found);
  }
  std::size_t count = known.size();
  std::size_t at = count == 0 ? 0 : thread_number() % count;
  for (std::size_t looked = 0; looked < count; ++looked, at = at + 1 == count ? 0 : at + 1) {
    if (!known[at]->idle() || !fits(known[at])) continue;
    return use(known[at]);
  }
  std::erase_if(known, [](const ConnectionPtr& connection) { return connection->failed(); });
  const ConnectionPtr* best = nullptr;
  std::size_t least = 0;
  count = 0;
  for (const ConnectionPtr& one : known) {
    if (!fits(one)) continue;
    ++count;
    if (const std::size_t load = one->load(); best == nullptr || load < least) {
      best = &one;
      least = load;
    }
  }
  // A call inside a request must not wait behind another one that may wait for it.
  const std::size_t most = settings_.max_per_route + (Connection::in_upcall() ? kForNested : 0);
  if (best == nullptr || (least != 0 && count < most)) return {};
  return use(*best);
}

void ConnectionCache::forget(const Route& route, const Connection& connection) {
  std::vector<ConnectionPtr> dead;
  {
    const std::lock_guard lock(mutex_);
    const auto known = connections_.find(route.key);
    if (known == connections_.end()) return;
    if (!connection.failed()) return;
    // Those in use stay, to be found when all are closed; their users will see for themselves.
    auto& all = known->second;
    const auto first = std::partition(
        all.begin(), all.end(), [](const ConnectionPtr& one) { return !one->failed() && one->reference_count() > 1; });
    dead.assign(std::move_iterator(first), std::move_iterator(all.end()));
    all.erase(first, all.end());
    if (all.empty()) connections_.erase(known);
  }
  for (const auto& each : dead) each->close();
}

bool ConnectionCache::withdraw(base::FunctionRef<bool(const Connection&)> which, base::Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    retire(which);
  }
  return end_retired(deadline);
}

/// Ends those whose last call has ended by the deadline; true if none is left.
bool ConnectionCache::end_retired(base::Deadline deadline) {
  std::vector<ConnectionPtr> retired;
  {
    const std::lock_guard lock(mutex_);
    retired = retired_;
  }
  bool ended = true;
  for (const auto& each : retired) ended = each->end_when_idle(deadline) && ended;
  const std::lock_guard lock(mutex_);
  std::erase_if(retired_, [](const ConnectionPtr& one) { return one->failed(); });
  return ended;
}

std::vector<ConnectionPtr> ConnectionCache::all() {
  const std::lock_guard lock(mutex_);
  std::vector<ConnectionPtr> all = retired_;
  for (const auto& [key, known] : connections_) all.insert(all.end(), known.begin(), known.end());
  return all;
}

std::size_t ConnectionCache::routes() {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

AsyncReplyList ConnectionCache::cancel_async() {
  AsyncReplyList cancelled;
  for (const auto& connection : all()) {
    if (!connection->failed()) connection->cancel_async(cancelled);
  }
  return cancelled;
}

const OnewayCounters& ConnectionCache::oneway_counters() noexcept {
  try {
    for (const auto& connection : all()) connection->tell_oneway_counters();
  } catch (const std::bad_alloc&) {
  }
  return oneway_counters_;
}

bool ConnectionCache::flush_oneways(base::Deadline deadline) {
  bool flushed = true;
  for (const auto& connection : all()) {
    if (connection->has_backlog()) flushed = connection->flush_oneways(deadline).ok() && flushed;
  }
  return flushed;
}

bool ConnectionCache::is_closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void ConnectionCache::close() {
  std::map<std::string, std::vector<ConnectionPtr>, std::less<>> connections;
  std::vector<ConnectionPtr> retired;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    connections.swap(connections_);
    retired.swap(retired_);
  }
  connecting_.cancel();
  for (const auto& connection : retired) connection->close();
  for (const auto& [key, known] : connections) {
    for (const auto& connection : known) connection->end();
  }
}

}  // namespace corbel::connection
