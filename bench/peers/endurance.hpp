// SPDX-License-Identifier: Apache-2.0
// The commands of peer.hpp for clients of many connections, and of servers that go away.
#pragma once

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

}  // namespace peer
