// SPDX-License-Identifier: Apache-2.0
// Newcomers over carriers that shake hands: where they wait, and how they go on.
#include <new>

#include "corbel/connection/server.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

/// A step; true when it was the last. Else the connection waits for the peer, or has ended.
bool Connection::shake_hands() noexcept {
  const base::Duration limit = server_->settings().limits.message;
  const bool waits = transport().handle() < 0;
  const Deadline wait = limit == base::Duration::zero() ? Deadline::none() : Deadline::after(limit);
  base::Status shaken = base::error(Stage::receive, Code::out_of_resources);
  try {
    shaken = transport().handshake(waits ? wait : Deadline::now());
  } catch (const std::bad_alloc&) {  // is what it is already
  }
  if (shaken) {
    shakes_hands_.store(false, std::memory_order_release);
    return true;
  }
  if (shaken.error().code == Code::would_block) {
    (void)server_->wait_for(*this, Left::unknown, kHandShake);
    return false;
  }
  (void)fail(shaken.error());
  server_->forget(*this);
  return false;
}

void Server::await_turn(Connection& connection) noexcept try {
  {
    const std::lock_guard lock(mutex_);
    const Place place = connection.live.place;
    // Whose hand-shake somebody goes on with is waited for again after that.
    if (place != Place::idle && place != Place::half) return;
    auto& turn = connection.live.turn;
    if (turn == nullptr) turn = std::make_unique<Turns::Place>();
    if (turn->waits()) return;
    turns_.add(*turn, connection, connection.live.host);
    const std::int64_t now = Deadline::clock_now();
    if (place == Place::idle) put(connection, Place::half, now);
    live_.set_part(connection, kHandShake, now);
    look_after(settings_.limits.message, now);
  }
  hand_shakes_.go_on();
} catch (const std::bad_alloc&) {
  connection.cut(base::error(Stage::receive, Code::out_of_resources));
  forget(connection);
}

/// Goes on with the hand-shake whose turn it is; false if there is none.
bool Server::shake_next() noexcept {
  ConnectionPtr next;
  {
    const std::lock_guard lock(mutex_);
    next = ConnectionPtr(turns_.take());
    if (!next) return false;
    put(*next, Place::served, 0);
  }
  if (!next->shake_hands()) return true;
  {
    const std::lock_guard lock(mutex_);
    next->live.turn.reset();
  }
  try {
    (void)wait_for(*next, next->transport().pending() ? Left::more : Left::unknown, 0);
  } catch (const std::bad_alloc&) {  // nobody would be told when there is more
    next->cut(base::error(Stage::receive, Code::out_of_resources));
    forget(*next);
  }
  return true;
}

}  // namespace corbel::connection
