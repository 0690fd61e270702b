// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/live_connections.hpp"

#include "corbel/connection/connection.hpp"

namespace corbel::connection {

template <LiveLinks::Link LiveLinks::*kLink>
void LiveConnections::List::append(Connection& connection) noexcept {
  connection.live.*kLink = {nullptr, last};
  (last != nullptr ? (last->live.*kLink).next : first) = &connection;
  last = &connection;
  ++count;
}

template <LiveLinks::Link LiveLinks::*kLink>
void LiveConnections::List::remove(Connection& connection) noexcept {
  LiveLinks::Link& link = connection.live.*kLink;
  (link.previous != nullptr ? (link.previous->live.*kLink).next : first) = link.next;
  (link.next != nullptr ? (link.next->live.*kLink).previous : last) = link.previous;
  link = {};
  --count;
}

void LiveConnections::put(Connection& connection, Place place, std::int64_t now) noexcept {
  LiveLinks& links = connection.live;
  if (links.place != Place::none) {
    lists_[index(links.place)].remove<&LiveLinks::by_place>(connection);
    --all_;
  }
  if (place == Place::sending && links.place != Place::sending) {
    links.sending_since = now;
    links.taken = 0;
  }
  links.place = place;
  links.since = now;
  if (place == Place::none) return set_part(connection, 0, now);
  lists_[index(place)].append<&LiveLinks::by_place>(connection);
  ++all_;
}

void LiveConnections::set_part(Connection& connection, std::uint64_t part, std::int64_t now) noexcept {
  LiveLinks& links = connection.live;
  if (links.part == part) return;
  if (links.part != 0) parts_.remove<&LiveLinks::by_part>(connection);
  links.part = part;
  links.part_since = now;
  links.overdue = false;
  if (part != 0) parts_.append<&LiveLinks::by_part>(connection);
}

void LiveConnections::put_off(Connection& connection, std::int64_t now) noexcept {
  parts_.remove<&LiveLinks::by_part>(connection);
  parts_.append<&LiveLinks::by_part>(connection);
  connection.live.part_since = now;
  connection.live.overdue = true;
}

Connection* LiveConnections::next(const Connection& connection) noexcept {
  return connection.live.by_place.next;
}

Connection* LiveConnections::next_part(const Connection& connection) noexcept {
  return connection.live.by_part.next;
}

}  // namespace corbel::connection
