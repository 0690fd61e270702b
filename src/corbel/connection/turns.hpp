// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string_view>

namespace corbel::connection {

class Connection;

/// Connections that wait for something of which there is not enough for all at once. Hosts take turns, and of a host
/// who came first: however many one host has waiting, another's waits for as many as there are other hosts. Guarded by
/// the server's mutex, and holds no references: who ends is taken out.
class Turns {
 public:
  struct Line;
  /// A connection's place.
  struct Place {
    bool waits() const noexcept { return line != nullptr; }

    Connection* who = nullptr;
    Line* line = nullptr;
    Place* next = nullptr;
    Place* previous = nullptr;
  };

  Turns();
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// At the end of its host's line. It does not wait yet. Throws bad_alloc, and all is as before.
  void add(Place& place, Connection& who, std::string_view host);
  /// Does nothing if it does not wait.
  void remove(Place& place) noexcept;
  /// Takes out the one whose turn it is; null if nobody waits.
  Connection* take() noexcept;

 private:
  using Lines = std::list<Line>;

  Lines lines_;                                                     // the first has its turn
  std::map<std::string_view, Lines::iterator, std::less<>> hosts_;  // by the text in the line
};

}  // namespace corbel::connection
