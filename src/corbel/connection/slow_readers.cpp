// SPDX-License-Identifier: Apache-2.0
// What a server does about peers that do not take their replies: waits, makes room, and gives them up.
#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "corbel/connection/server.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr base::Duration kReplyGrace = std::chrono::milliseconds(20);  // of a thread, for one reply
constexpr std::size_t kGraceEnds = 8;                                  // slow peers at once, after which there is none
constexpr base::Duration kSendWhileEnding = std::chrono::milliseconds(500);  // without progress
constexpr std::uint32_t kMoreThanADrop = 4U << 10;  // octets; who takes so many in the time for it reads
constexpr base::Duration kRoomWait = std::chrono::milliseconds(1);  // for peers that cannot say when they read

std::uint32_t unsent_of(Connection& connection) noexcept {
  return static_cast<std::uint32_t>(std::min<std::size_t>(connection.transport().unsent(), UINT32_MAX));
}

}  // namespace

base::Deadline Server::reply_grace() const noexcept {
  return hurried_.load(std::memory_order_relaxed) ? Deadline::now() : Deadline::after(kReplyGrace);
}

/// With the mutex.
void Server::put(Connection& connection, Place place, std::int64_t now) noexcept {
  live_.put(connection, place, now);
  hurried_.store(draining_ || live_.count(Place::sending) >= kGraceEnds, std::memory_order_relaxed);
}

/// Has the connection called when its peer takes more, or may do so; with `reads` also when there is something to read,
/// which the reactor would forget otherwise.
void Server::await_room(Connection& connection, bool reads) {
  if (connection.transport().send_handle() < 0) return ask_again(connection);
  auto events = connection.transport().wants_input() ? reactor::Events::readable : reactor::Events::writable;
  if (reads) events = events | reactor::Events::readable;
  (void)reactor_->modify(connection, events, reactor::Trigger::one_shot);
}

void Server::ask_again(Connection& connection) {
  reactor_->schedule_after(kRoomWait,
                           [self = ConnectionPtr(&connection)] { self->on_event(reactor::Events::writable); });
}

bool Server::asks_again(Connection& connection) noexcept try {
  ask_again(connection);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Server::sends_slowly(Connection& connection, std::size_t unread) {
  const std::uint32_t unsent = unsent_of(connection);
  bool reads = false;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = Deadline::clock_now();
    const Place place = connection.live.place;
    if (place == Place::none) return;
    // The thread that serves it will see. One that was opened here is read all the same.
    if (place != Place::served && !connection.is_opened_here()) {
      put(connection, Place::sending, now);
      live_.set_part(connection, 0, now);
    }
    connection.live.unread = unread;
    connection.live.unsent = unsent;
    look_after(send_timeout(), now);
    reads = is_read_meanwhile(connection);
  }
  await_room(connection, reads);
}

/// With the mutex: the side that connected reads on, and no thread does so just now.
bool Server::is_read_meanwhile(const Connection& connection) {
  return connection.is_opened_here() && (connection.live.place == Place::idle || connection.live.place == Place::half);
}

void Server::still_sends(Connection& connection, std::size_t taken, std::size_t unread) {
  const std::uint32_t unsent = unsent_of(connection);
  bool reads = false;
  {
    const std::lock_guard lock(mutex_);
    if (connection.live.place == Place::sending) {
      if (taken != 0) put(connection, Place::sending, Deadline::clock_now());
      connection.live.taken += taken;
    }
    connection.live.unread = unread;
    connection.live.unsent = unsent;
    reads = is_read_meanwhile(connection);
  }
  await_room(connection, reads);
}

bool Server::is_parked(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  return connection.live.place == Place::sending;
}

/// The connections that have been waited for long enough, the slowest first. A peer that takes a drop now and then is
/// one of them.
std::vector<ConnectionPtr> Server::slow_readers(const Connection& sender) {
  std::vector<std::pair<double, ConnectionPtr>> found;
  const std::lock_guard lock(mutex_);
  const std::int64_t now = Deadline::clock_now();
  for (Connection* each = live_.oldest(Place::sending); each != nullptr; each = LiveConnections::next(*each)) {
    const LiveLinks& links = each->live;
    const std::int64_t age = now - links.sending_since;
    if (each == &sender || age < settings_.patience.count()) continue;
    const double needs =
        static_cast<double>(age) * static_cast<double>(links.unread) / (static_cast<double>(links.taken) + 1);
    found.emplace_back(needs, each);
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ConnectionPtr> result;
  result.reserve(found.size());
  for (auto& [needs, connection] : found) result.push_back(std::move(connection));
  return result;
}

bool Server::make_room_for_replies(const Connection& sender) try {
  for (const auto& each : slow_readers(sender)) {
    // Memory of what another thread is just sending, or waiting to send, does not come back at once.
    if (!each->cut_backlog(base::error(Stage::send, Code::out_of_resources))) continue;
    CORBEL_LOG(log(), connection, warning, "connection cut: unread replies take too much memory",
               {"peer", each->peer()}, {"octets", reply_memory_.used()}, {"limit", "-ORBMaxReplyMemory"});
    return true;
  }
  return false;
} catch (const std::bad_alloc&) {
  return false;
}

/// The system tells of room only when there is much of it. How much the peer has yet to take gets less with all that it
/// does, but a drop now and then does not count.
bool Server::still_reads(Connection& connection) {
  const std::uint32_t unsent = unsent_of(connection);
  const std::lock_guard lock(mutex_);
  const std::uint32_t before = std::exchange(connection.live.unsent, unsent);
  return unsent != 0 && std::uint64_t{unsent} + kMoreThanADrop <= before;
}

/// With the mutex.
base::Duration Server::send_timeout() const noexcept {
  const base::Duration set = settings_.connection.send_timeout;
  if (!draining_) return set;
  return set == base::Duration::zero() ? kSendWhileEnding : std::min(set, kSendWhileEnding);
}

}  // namespace corbel::connection
