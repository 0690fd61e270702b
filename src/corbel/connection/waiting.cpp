// SPDX-License-Identifier: Apache-2.0
// How a thread of the server comes to a connection, and leaves it to the reactor.
#include "corbel/connection/server.hpp"

namespace corbel::connection {
namespace {

/// What one is told of that is waited for edge-triggered. The end may have come with the last octets, and is not told
/// again: whoever is told of it receives until it is there.
constexpr reactor::Events kEdges = reactor::Events::readable | reactor::Events::peer_closed;

}  // namespace

bool Server::begin_serving(Connection& connection, bool& sticky) {
  {
    const std::lock_guard lock(mutex_);
    const Place place = connection.live.place;
    if (std::exchange(connection.live.missed, place == Place::served) && place == Place::served) [[unlikely]] {
      // Much is coming, and its thread has been told. With the mutex: that thread is to see it before it leaves.
      reactor_->end_edges(connection);
    }
    if ((place != Place::idle && place != Place::half) || (draining_ && !connection.asks())) return false;
    put(connection, Place::served, 0);
  }
  if (settings_.serving.concurrency != policy::Concurrency::single) reactor_->start_tick();
  if (settings_.serving.concurrency != policy::Concurrency::adaptive) return true;
  // At least one thread must be left to serve the others.
  const unsigned most =
      pool_->visits() ? 0 : std::min(settings_.serving.sticky_connections, settings_.serving.threads - 1);
  sticky = sticky_.fetch_add(1, std::memory_order_relaxed) < most;
  if (!sticky) {
    sticky_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    reactor_->end_edges(connection);
  }
  return true;
}

void Server::release_sticky(bool sticky) noexcept {
  if (sticky) sticky_.fetch_sub(1, std::memory_order_relaxed);
}

void Server::leave(Connection& connection) {
  reactor_->end_edges(connection);
  {
    const std::lock_guard lock(mutex_);
    if (connection.live.place == Place::none) return;
    const std::int64_t now = base::Deadline::clock_now();
    const bool sends = connection.keeps_replies() && !connection.is_opened_here();
    put(connection, sends ? Place::sending : Place::idle, now);
    live_.set_part(connection, 0, now);
    look_after(sends ? send_timeout() : settings_.limits.idle, now);
  }
  // A call the other way that began meanwhile has had a thread called, which found this one.
  if (connection.asks()) read_on(connection);
}

bool Server::wait_for(Connection& connection, Left left, std::uint64_t part) {
  const bool wants_room = connection.wants_room();  // before others may shake hands
  bool overdue = false;
  {
    const std::lock_guard lock(mutex_);
    if (connection.live.place == Place::none) return true;
    if (left == Left::nothing && std::exchange(connection.live.missed, false)) return false;
    const std::int64_t now = base::Deadline::clock_now();
    // The thread that kept replies has the reactor wait for the peer to take them.
    const bool sends = connection.keeps_replies() && !connection.is_opened_here();
    if (connection.live.overdue && part == connection.live.part && !connection.shakes_hands()) [[unlikely]] {
      const transport::Traits traits = connection.transport().traits();
      if (!traits.reliable || !traits.ordered) {  // its rest is lost, and no reason to end
        connection.session().forget_parts();
        part = 0;
      }
    }
    put(connection, sends ? Place::sending : part == 0 ? Place::idle : Place::half, now);
    live_.set_part(connection, sends ? 0 : part, now);
    overdue = connection.live.overdue;
    look_after(sends ? send_timeout() : part == 0 ? settings_.limits.idle : settings_.limits.message, now);
    if (sends || (draining_ && !connection.asks() && !connection.shakes_hands())) return true;
  }
  if (overdue) {
    give_up_half(connection);
  } else if (connection.transport().handle() < 0) {
    (void)serve_apart(ConnectionPtr(&connection));
  } else if (left == Left::more) {
    reactor_->post(ConnectionPtr(&connection), reactor::Events::readable);
  } else {
    have_told(connection, left == Left::nothing && !wants_room, wants_room);
  }
  return true;
}

/// Has the reactor tell of what comes, and with `wants_room` of room to send. `edges`: the connection is empty and has
/// no thread, so that it may stay registered while the next one serves it.
void Server::have_told(Connection& connection, bool edges, bool wants_room) {
  using reactor::Events;
  edges = edges && !connection.is_opened_here() && !connection.keeps_replies();
  if (edges && reactor::Reactor::has_edges(connection, kEdges)) return;
  edges = edges && connection.transport().traits().edges;
  const Events awaited = edges ? kEdges : wants_room ? Events::readable | Events::writable : Events::readable;
  const auto trigger = edges ? reactor::Trigger::edge : reactor::Trigger::one_shot;
  if (auto waits = reactor_->modify(connection, awaited, trigger); !waits)
    return cannot_wait(connection, waits.error());
  // Waiting for the one must not end the waiting for the other.
  if (connection.keeps_replies()) await_room(connection, connection.is_opened_here());
}

}  // namespace corbel::connection
