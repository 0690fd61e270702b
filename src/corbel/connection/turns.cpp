// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/turns.hpp"

#include <string>

namespace corbel::connection {

/// Those of one host; there is no line without any.
struct Turns::Line {
  std::string host;
  Place* first = nullptr;
  Place* last = nullptr;
};

Turns::Turns() = default;
Turns::~Turns() = default;

void Turns::add(Place& place, Connection& who, std::string_view host) {
  auto found = hosts_.find(host);
  if (found == hosts_.end()) {
    Lines fresh(1);
    fresh.front().host = host;
    found = hosts_.emplace(fresh.front().host, fresh.begin()).first;
    lines_.splice(lines_.end(), fresh);
  }
  Line& line = *found->second;
  place = {&who, &line, nullptr, line.last};
  (line.last != nullptr ? line.last->next : line.first) = &place;
  line.last = &place;
}

void Turns::remove(Place& place) noexcept {
  if (!place.waits()) return;
  Line& line = *place.line;
  (place.previous != nullptr ? place.previous->next : line.first) = place.next;
  (place.next != nullptr ? place.next->previous : line.last) = place.previous;
  place = {};
  if (line.first != nullptr) return;
  const auto found = hosts_.find(line.host);
  const auto empty = found->second;
  hosts_.erase(found);  // before the text that it is found by
  lines_.erase(empty);
}

Connection* Turns::take() noexcept {
  if (lines_.empty()) return nullptr;
  Place& first = *lines_.front().first;
  Connection* const who = first.who;
  lines_.splice(lines_.end(), lines_, lines_.begin());
  remove(first);
  return who;
}

}  // namespace corbel::connection
