// SPDX-License-Identifier: Apache-2.0
// What a server does against being taken hostage: which connections may come, which have to go, and when.
#include <algorithm>
#include <utility>

#include "corbel/connection/server.hpp"
#include "corbel/connection/telling.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr base::Duration kMemoryWait = std::chrono::milliseconds(10);
constexpr int kMostAsked = 32;  // whether octets wait, before one leaves

/// True if octets wait that no thread has read yet.
bool has_octets(Connection& connection) noexcept {
  const int handle = connection.transport().handle();
  return handle >= 0 && ipc::wait_ready(handle, ipc::Ready::readable, Deadline::now(), Stage::receive);
}

/// Half a message over a carrier that loses some is not the peer's fault, and holds up no other.
bool may_lose(Connection& connection) noexcept {
  const transport::Traits traits = connection.transport().traits();
  return (!traits.reliable || !traits.ordered) && !connection.shakes_hands();
}

}  // namespace

// --- which connections may come ---

/// What all of them are told.
std::shared_ptr<const ConnectionSettings> Server::accepted(const Settings& settings, InputMemory& memory) {
  auto all = std::make_shared<ConnectionSettings>(settings.connection);
  all->side = messaging::Side::acceptor;
  all->first_token = 3;  // the even ones are the peer's
  all->input_memory = &memory;
  return all;
}

void Server::adopt(std::unique_ptr<transport::Transport> transport, routing::ProtocolPtr protocol,
                   routing::TransportPtr installed) {
  take(ConnectionPtr(new Connection(std::move(transport), std::move(protocol), accepted_, std::move(installed))));
}

void Server::take(const ConnectionPtr& connection) {
  connection->set_server(this);
  ConnectionPtr leaves;
  // A peer that is not taken is told in order that nothing was executed.
  if (const auto listed = list(*connection, leaves); !listed) {
    const bool full = listed.error().code == Code::out_of_resources;
    tell_turned_away(*connection, listed.error(), full ? "too many connections" : "this ORB ends");
    return connection->close();
  }
  if (leaves) dismiss(*leaves, "connection limit: the one idle longest makes room");
  tell_opened(*connection, !connection->is_opened_here());
  if (hears_group(*connection)) handler_->on_group();
  (void)watch(connection);
}

base::Status Server::watch(const ConnectionPtr& connection) {
  const int handle = connection->transport().handle();
  if (handle < 0) return serve_apart(connection);
  // The peer may be waiting for the first word, or has said it. Once the reactor knows it, others read it.
  const bool shakes_hands = connection->shakes_hands();
  const bool now = connection->transport().pending();
  const auto awaited = shakes_hands ? reactor::Events::none : reactor::Events::readable;
  const auto added =
      reactor_->add(connection, handle, awaited, reactor::Trigger::one_shot, reactor::Promotion::by_handler);
  if (connection->failed()) reactor_->remove(*connection);  // it was drained meanwhile
  if (!added) {
    cannot_wait(*connection, added.error());
    return added;
  }
  if (shakes_hands) {
    await_turn(*connection);
    return {};
  }
  if (now) reactor_->post(connection, reactor::Events::readable);
  return {};
}

void Server::cannot_wait(Connection& connection, base::Error error) {
  if (connection.failed()) return forget(connection);  // it was told to wait no more
  CORBEL_LOG(log(), connection, warning, "connection closed: the system cannot wait for what it brings",
             {"peer", connection.peer()}, {"error", error});
  lose(connection, error, "the system cannot wait for what it brings");
}

/// There is nobody who would read it.
void Server::lose(Connection& connection, base::Error error, const char* why) {
  connection.watched.why = why;
  connection.end_calls(base::error(Stage::wait, Code::lost, error.os_error));
  // What it is told in order must not have begun.
  if (connection.under_way() != 0) return connection.drain();
  connection.close();
  forget(connection);
}

/// One that no reactor can wait for is read by a thread of its own, for as long as that has nothing else to do.
base::Status Server::serve_apart(const ConnectionPtr& connection) {
  // Where servants expect a single thread, another one may not run them.
  auto started = settings_.serving.concurrency == policy::Concurrency::single
                     ? base::Status(base::error(Stage::accept, Code::unsupported))
                     : readers_.start([connection] { connection->on_event(reactor::Events::readable); });
  if (started) return started;
  CORBEL_LOG(log(), connection, warning, "connection refused: its carrier needs a thread of its own",
             {"peer", connection->peer()}, {"error", started.error()});
  lose(*connection, started.error(), "its carrier needs a thread of its own");
  return started;
}

/// The transport that hears a group is no peer, but like an acceptor: if it left, the next would come at once.
bool Server::hears_group(Connection& connection) noexcept {
  return connection.transport().traits().group_profile != 0;
}

/// True if no client made it.
bool Server::takes_no_place(Connection& connection) noexcept {
  return hears_group(connection) || connection.is_opened_here();
}

/// Fails with out_of_resources if there is no room and no connection can leave, with cancelled if the end has begun.
/// `leaves`: the one that has to, for this one.
base::Status Server::list(Connection& connection, ConnectionPtr& leaves) {
  const std::string host = peer_host(connection.peer());
  const std::lock_guard lock(mutex_);
  if (draining_) return base::error(Stage::accept, Code::cancelled);
  const bool own = takes_no_place(connection);
  const auto verdict = own ? Admission::Verdict::welcome : admission_.judge(host, live_.count() - own_);
  if (verdict != Admission::Verdict::welcome) {
    leaves = find_dispensable(verdict == Admission::Verdict::host_full ? std::string_view(host) : std::string_view());
    if (!leaves) {
      const bool of_host = verdict == Admission::Verdict::host_full;
      CORBEL_LOG(log(), connection, warning, "connection refused: too many", {"peer", connection.peer()},
                 {"connections", live_.count()},
                 {"limit", of_host ? "-ORBMaxConnectionsPerPeer" : "-ORBMaxConnections"});
      return base::error(Stage::accept, Code::out_of_resources);
    }
  }
  if (own) {
    ++own_;
  } else {
    connection.live.host = admission_.came(host);
  }
  connection.add_reference();  // the list's; forget() gives it back
  const std::int64_t now = Deadline::clock_now();
  put(connection, Place::idle, now);
  look_after(settings_.limits.idle, now);
  return {};
}

/// With the mutex: the connection, of this host unless that is empty, that can leave with least harm: first one that
/// does not go on with a message, then the one idle longest. If all have been silent for a moment only, a request may
/// be on its way: the one silent longest goes, whether it has begun a message or not. Last come an idle one with octets
/// that no thread has read yet, and one that is wanted for calls the other way.
ConnectionPtr Server::find_dispensable(std::string_view host) {
  const std::int64_t old = Deadline::clock_now() - settings_.patience.count();
  const auto can_leave = [&](Connection& one) {
    return one.under_way() == 0 && !one.asks() && !hears_group(one) && (host.empty() || one.live.host == host);
  };
  Connection* half = live_.oldest_part();
  while (half != nullptr && (half->live.place != Place::half || !can_leave(*half)))
    half = LiveConnections::next_part(*half);
  if (half != nullptr && half->live.part_since <= old) return ConnectionPtr(half);
  Connection* wanted = nullptr;  // for calls the other way
  Connection* unread = nullptr;
  Connection* idle = live_.oldest(Place::idle);
  for (int asked = 0; idle != nullptr; idle = LiveConnections::next(*idle)) {
    if (!can_leave(*idle)) continue;
    if (idle->is_wanted()) {
      if (wanted == nullptr) wanted = idle;
      continue;
    }
    if (asked++ == kMostAsked) {
      idle = nullptr;
      break;
    }
    if (!has_octets(*idle)) break;
    if (unread == nullptr) unread = idle;
  }
  if (idle != nullptr && (half == nullptr || idle->live.since <= std::max(old, half->live.part_since))) {
    return ConnectionPtr(idle);
  }
  return ConnectionPtr(half != nullptr ? half : unread != nullptr ? unread : wanted);
}

bool Server::make_room() {
  ConnectionPtr leaves;
  {
    const std::lock_guard lock(mutex_);
    leaves = find_dispensable({});
  }
  if (leaves) dismiss(*leaves, "descriptors ran out: the one idle longest makes room");
  return leaves != nullptr;
}

void Server::refuse(std::unique_ptr<transport::Transport> transport,
                    std::shared_ptr<const messaging::Protocol> protocol) {
  ConnectionPtr connection(new Connection(std::move(transport), std::move(protocol), accepted_));
  connection->set_server(this);
  CORBEL_LOG(log(), connection, warning, "connection refused: no descriptors are left", {"peer", connection->peer()});
  tell_turned_away(*connection, base::error(Stage::accept, Code::out_of_resources), "no descriptors are left");
  connection->close();
}

/// Over a carrier that has no word for the end the peer is not told what has not begun: no thread begins to read any
/// more, and the carrier hands on what comes meanwhile. False if one has begun.
bool Server::stop_reading(Connection& connection) {
  if (!may_lose(connection)) return true;
  const std::lock_guard lock(mutex_);
  if (connection.live.place != Place::idle) return false;
  put(connection, Place::served, 0);
  return true;
}

/// Ends it in order: what runs is answered first, and the peer learns what has not begun.
void Server::dismiss(Connection& connection, const char* why) {
  CORBEL_LOG(log(), connection, debug, "connection dismissed", {"peer", connection.peer()}, {"why", why});
  connection.watched.why = why;
  (void)stop_reading(connection);
  connection.drain();
}

// --- memory of what comes in ---

/// With the mutex: the connection with the oldest half message, of those that take memory and are not being read.
/// `idle`: only connections for which nothing runs.
Connection* Server::oldest_half(bool idle) {
  for (Connection* each = live_.oldest_part(); each != nullptr; each = LiveConnections::next_part(*each)) {
    if (each->live.place == Place::half && (!idle || each->under_way() == 0) && each->input_size() != 0) return each;
  }
  return nullptr;
}

/// With the mutex. Who waits for an answer only if there is nobody else.
Connection* Server::next_to_cut() {
  Connection* const found = oldest_half(true);
  return found != nullptr ? found : oldest_half(false);
}

std::int64_t Server::oldest() {
  const std::lock_guard lock(mutex_);
  const Connection* const found = next_to_cut();
  return found != nullptr ? found->live.part_since : kNone;
}

void Server::cut_oldest() {
  ConnectionPtr oldest;
  {
    const std::lock_guard lock(mutex_);
    Connection* const found = next_to_cut();
    if (found == nullptr) return;
    if (may_lose(*found)) {  // its senders need not go for that
      const std::int64_t now = Deadline::clock_now();
      found->session().forget_parts();
      live_.set_part(*found, 0, now);
      put(*found, Place::idle, now);
      return look_after(settings_.limits.idle, now);
    }
    oldest = ConnectionPtr(found);
    put(*found, Place::served, 0);  // so that no other thread begins to
  }
  tell_cut_for_memory(*oldest, input_memory_.used());
  oldest->fail_input();
  forget(*oldest);
}

/// Nothing could be cut, because all other messages are being read or run: that is over soon.
void Server::wait_for_memory(Connection& connection, std::uint64_t part) {
  {
    const std::lock_guard lock(mutex_);
    if (connection.live.place == Place::none) return;
    const std::int64_t now = Deadline::clock_now();
    put(connection, Place::half, now);
    live_.set_part(connection, part, now);
    look_after(settings_.limits.message, now);
    if (draining_) return;
  }
  reactor_->end_edges(connection);
  reactor_->schedule_after(kMemoryWait, [this, self = ConnectionPtr(&connection)] {
    if (self->transport().handle() < 0) return (void)serve_apart(self);
    self->on_event(reactor::Events::readable);
  });
}

// --- ages ---

/// With the mutex: has a thread look at the ages of connections `delay` after `now` at the latest. One timer for all.
void Server::look_after(base::Duration delay, std::int64_t now) {
  if (delay <= base::Duration::zero()) return;
  const std::int64_t when = now + delay.count();
  if (next_look_ <= when) return;
  try {
    const auto timer = reactor_->schedule_after(delay, [this] { look_at_ages(); });
    if (next_look_ != kNever) (void)reactor_->cancel(look_timer_);
    next_look_ = when;
    look_timer_ = timer;
  } catch (const std::bad_alloc&) {  // the next that asks for it
  }
}

/// False without memory for it.
bool Server::keep(std::vector<ConnectionPtr>& among, Connection& connection) noexcept try {
  among.emplace_back(&connection);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Server::look_at_ages() {
  std::vector<ConnectionPtr> idle;
  std::vector<ConnectionPtr> half;
  std::vector<ConnectionPtr> stuck;
  {
    const std::lock_guard lock(mutex_);
    next_look_ = kNever;
    const std::int64_t now = Deadline::clock_now();
    collect_overdue(now, idle, half, stuck);
    const auto look_at = [&](const Connection* oldest, std::int64_t since, base::Duration limit) {
      if (oldest != nullptr && limit > base::Duration::zero()) {
        look_after(std::max(base::Duration(since + limit.count() - now), kLeastLook), now);
      }
    };
    const Connection* const oldest_idle = live_.oldest(Place::idle);
    const Connection* const oldest_part = live_.oldest_part();
    const Connection* const oldest_sending = live_.oldest(Place::sending);
    look_at(oldest_idle, oldest_idle != nullptr ? oldest_idle->live.since : 0, settings_.limits.idle);
    look_at(oldest_part, oldest_part != nullptr ? oldest_part->live.part_since : 0, settings_.limits.message);
    look_at(oldest_sending, oldest_sending != nullptr ? oldest_sending->live.since : 0, send_timeout());
  }
  for (const auto& each : idle) {  // what has come just now would be lost with a carrier that has no word for its end
    if (!has_octets(*each) && stop_reading(*each)) dismiss(*each, "idle for too long");
  }
  for (const auto& each : half) give_up_half(*each);
  for (const auto& each : stuck) {
    if (still_reads(*each)) continue;
    CORBEL_LOG(log(), connection, warning, "connection cut: its replies are not read", {"peer", each->peer()},
               {"limit", "-ORBServerSendTimeout"});
    each->watched.why = "its replies are not read";
    each->cut(base::error(Stage::send, Code::timed_out));
  }
}

void Server::give_up_half(Connection& connection) {
  CORBEL_LOG(log(), connection, warning, "connection closed: half a message, and no more in time",
             {"peer", connection.peer()}, {"limit", "-ORBMessageTimeout"});
  connection.watched.why = "half a message, and no more in time";
  connection.drain();
}

/// With the mutex. Those that cannot go now get a new age. Those that no memory is left for are there at the next look.
void Server::collect_overdue(std::int64_t now, std::vector<ConnectionPtr>& idle, std::vector<ConnectionPtr>& half,
                             std::vector<ConnectionPtr>& stuck) {
  const auto limit = [&](base::Duration time) {
    return time > base::Duration::zero() ? now - time.count() : INT64_MIN;
  };
  for (Connection* each = live_.oldest(Place::idle);
       each != nullptr && each->live.since <= limit(settings_.limits.idle); each = live_.oldest(Place::idle)) {
    if (each->under_way() == 0 && !hears_group(*each) && !each->is_wanted() && !keep(idle, *each)) break;
    put(*each, Place::idle, now);
  }
  for (Connection* each = live_.oldest_part();
       each != nullptr && each->live.part_since <= limit(settings_.limits.message); each = live_.oldest_part()) {
    // A thread may have read the rest meanwhile. It says so when it leaves the connection.
    if (each->live.place == Place::served) {
      live_.put_off(*each, now);
      continue;
    }
    const bool loses = may_lose(*each);
    if (!loses && !keep(half, *each)) break;
    live_.set_part(*each, 0, now);
    if (loses) {
      each->session().forget_parts();
      put(*each, Place::idle, now);
    }
  }
  for (Connection* each = live_.oldest(Place::sending); each != nullptr && each->live.since <= limit(send_timeout());
       each = live_.oldest(Place::sending)) {
    if (!keep(stuck, *each)) break;
    put(*each, Place::sending, now);
  }
}

}  // namespace corbel::connection
