// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "corbel/connection/turns.hpp"

namespace corbel::connection {

class Connection;

/// What a connection of a server is doing.
enum class Place : std::uint8_t {
  none,     ///< not listed: not adopted yet, or ended
  served,   ///< a thread reads it or runs what it read
  idle,     ///< the reactor waits for the first octet of a message
  half,     ///< the reactor waits for the rest of one, or of a hand-shake; or that waits for its turn (Turns)
  sending,  ///< the reactor waits until the peer takes more of its replies; nothing is read meanwhile
};
inline constexpr std::size_t kPlaces = 5;
inline constexpr std::uint64_t kHandShake = UINT64_MAX;  ///< one that is not over is like an incomplete message

/// A connection's links in LiveConnections. Guarded by the server's mutex.
struct LiveLinks {
  struct Link {
    Connection* next = nullptr;
    Connection* previous = nullptr;
  };
  Link by_place;
  Place place = Place::none;
  bool missed = false;       ///< something came while a thread served it that is not told again
  bool overdue = false;      ///< its part was too old when a thread had the connection, which says what came of it
  std::uint32_t unsent = 0;  ///< octets that the system had yet to send when that was last looked at
  std::int64_t since = 0;    ///< when it came to its place, coarse monotonic nanoseconds
  Link by_part;
  std::uint64_t part = 0;          ///< which message of the connection is incomplete (Framer::oldest_part); 0: none
  std::int64_t part_since = 0;     ///< since when
  std::int64_t sending_since = 0;  ///< when its peer was first waited for
  std::uint64_t taken = 0;         ///< octets that the peer has taken since then
  std::string_view host;           ///< peer_host() of its peer, in Admission; empty if that does not count it
  std::size_t unread = 0;          ///< octets that still waited when somebody last looked
  std::uint64_t walk = 0;          ///< the last of Server::with_each() that came by
  /// Of its hand-shake, while that is not over.
  std::unique_ptr<Turns::Place> turn;
};

/// The connections of a server: by what they are doing, and those that have sent half a message. Each list goes from
/// the one that came first to the last, so that a search for the oldest, or for those that are overdue, never walks the
/// others. Guarded by the server's mutex.
class LiveConnections {
 public:
  /// Puts it at the end of a list, out of the one it is in. Place::none takes it out of all.
  void put(Connection& connection, Place place, std::int64_t now) noexcept;
  /// Says which of its messages is incomplete, if any. A message keeps its age while its octets come in.
  void set_part(Connection& connection, std::uint64_t part, std::int64_t now) noexcept;
  /// That message is too old, but a thread has the connection: it is looked at another time.
  void put_off(Connection& connection, std::int64_t now) noexcept;

  /// The one that has been there longest; nullptr if there is none.
  Connection* oldest(Place place) const noexcept { return lists_[index(place)].first; }
  /// The next younger one in the same list.
  static Connection* next(const Connection& connection) noexcept;
  /// The one whose message has been incomplete longest, wherever it is.
  Connection* oldest_part() const noexcept { return parts_.first; }
  static Connection* next_part(const Connection& connection) noexcept;
  std::size_t count(Place place) const noexcept { return lists_[index(place)].count; }
  /// Of all places together.
  std::size_t count() const noexcept { return all_; }

 private:
  struct List {
    Connection* first = nullptr;
    Connection* last = nullptr;
    std::size_t count = 0;

    template <LiveLinks::Link LiveLinks::*kLink>
    void append(Connection& connection) noexcept;
    template <LiveLinks::Link LiveLinks::*kLink>
    void remove(Connection& connection) noexcept;
  };
  static std::size_t index(Place place) noexcept { return static_cast<std::size_t>(place); }

  std::array<List, kPlaces> lists_{};
  List parts_;
  std::size_t all_ = 0;
};

}  // namespace corbel::connection
