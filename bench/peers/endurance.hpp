// SPDX-License-Identifier: Apache-2.0
// The commands of peer.hpp for clients of many connections, and of servers that go away.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peers/clock.hpp"

namespace peer {

/// The reference of a number: that stands in place of each '*'.
inline std::string numbered(std::string reference, unsigned long number) {
  const std::string digits = std::to_string(number);
  for (std::size_t at = 0; (at = reference.find('*', at)) != std::string::npos; at += digits.size()) {
    reference.replace(at, 1, digits);
  }
  return reference;
}

/// Calls in turn. `Client::of_number` returns a client of the reference of that number.
template <class Client>
void run_fan(Client& client, unsigned long connections, unsigned long count) {
  if constexpr (requires { client.of_number(0UL); }) {
    if (connections == 0) throw std::runtime_error("no connections");
    static std::vector<decltype(client.of_number(0UL))> all;
    while (all.size() < connections) {
      all.push_back(client.of_number(all.size()));
      all.back()->ping();
    }
    unsigned long next = 0;
    const std::uint64_t begin = now_ns();
    for (unsigned long i = 0; i < count; ++i) {
      all[next]->ping();
      if (++next >= connections) next = 0;
    }
    answer_time(begin);
  } else {
    throw std::runtime_error("no fan");
  }
}

/// One call; false if it failed. A client without an ORB then connects again by itself, as such programs must.
template <class Client>
bool succeeds(Client& client) {
  try {
    client.ping();
    return true;
  } catch (const std::exception&) {
    if constexpr (requires { client.reconnect(); }) client.reconnect();
    return false;
  }
}

inline void pause_for(unsigned long microseconds) {
  sleep_until(now_ns() + microseconds * 1000);
}

template <class Client>
void run_until_good(Client& client, unsigned long pause) {
  unsigned long failures = 0;
  const std::uint64_t begin = now_ns();
  while (!succeeds(client)) {
    ++failures;
    pause_for(pause);
  }
  std::printf("ok %llu %lu\n", static_cast<unsigned long long>(now_ns() - begin), failures);
}

/// A time in which calls failed counts as longer than any in which none did: that may be this machine's doing. Nothing
/// more is read than the end of the line that ends it.
template <class Client>
void run_endure(Client& client, unsigned long pause) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  unsigned long failures = 0;
  unsigned long failures_before = 0;  // the last call that succeeded
  bool gap_failed = false;
  std::uint64_t last = now_ns();
  std::uint64_t gap = 0;
  std::uint64_t end = last;
  while (poll(&input, 1, 0) == 0) {
    if (succeeds(client)) {
      const std::uint64_t now = now_ns();
      const bool failed = failures > failures_before;
      if (failed == gap_failed ? now - last > gap : failed) {
        gap = now - last;
        gap_failed = failed;
        end = now;
      }
      last = now;
      failures_before = failures;
    } else {
      ++failures;
    }
    pause_for(pause);
  }
  char line[64];
  if (std::fgets(line, sizeof line, stdin) == nullptr) throw std::runtime_error("the input ended");
  std::printf("ok %lu %llu %llu\n", failures, static_cast<unsigned long long>(gap),
              static_cast<unsigned long long>(end));
}

}  // namespace peer
