// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/callers.hpp"

#include <algorithm>
#include <string_view>

#include "corbel/orb/peer.hpp"

namespace corbel::poa {
namespace {

bool ends_value(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ',' || text[at] == '+';
}

/// Where the value that begins at `at` ends: at a separator that is no character of its own.
std::size_t end_of_value(std::string_view subject, std::size_t at) {
  while (!ends_value(subject, at)) at += subject[at] == '\\' ? 2 : 1;
  return std::min(at, subject.size());
}

bool is_of(std::string_view pattern, std::string_view subject) {
  std::size_t there = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '*' && at > 0 && pattern[at - 1] == '=' && ends_value(pattern, at + 1)) {
      there = end_of_value(subject, there);
    } else if (there == subject.size() || pattern[at] != subject[there++]) {
      return false;
    }
  }
  return there == subject.size();
}

bool holds(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

}  // namespace

bool Callers::take(const RequestPeer& peer) const {
  const bool identified = peer.process || !peer.subject.empty();
  if (least == Least::identified && !identified) return false;
  if (least == Least::encrypted && !peer.encrypted && !peer.process) return false;
  if (subjects.empty() && users.empty() && groups.empty()) return true;
  if (peer.process && (holds(users, peer.process->user) || holds(groups, peer.process->group))) return true;
  return !peer.subject.empty() &&
         std::ranges::any_of(subjects, [&](const std::string& pattern) { return is_of(pattern, peer.subject); });
}

bool Callers::is_sound() const {
  return std::ranges::all_of(subjects, [](const std::string& s) { return s.find('=', 1) != std::string::npos; });
}

}  // namespace corbel::poa
