// SPDX-License-Identifier: Apache-2.0
// What the servers of a hundred operations have in common: how deep their adapters are nested, and what calls which.
#pragma once

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace hundred {

inline constexpr std::size_t kOperations = 100;

/// Adapters below the root one, each the child of the one before: CORBEL_BENCH_DEPTH, 0 if it is not set.
inline int depth() {
  const char* const text = std::getenv("CORBEL_BENCH_DEPTH");
  return text != nullptr ? std::atoi(text) : 0;
}

/// "first", "last" or "each", one after the other: what one call of a series does. `call(number)` calls an operation.
template <class Call>
std::function<void()> in_order(const std::string& order, Call call) {
  if (order == "first") return [call] { call(std::size_t{0}); };
  if (order == "last") return [call] { call(kOperations - 1); };
  if (order != "each") throw std::runtime_error("no such order");
  return [call, next = std::size_t{0}]() mutable {
    call(next);
    next = (next + 1) % kOperations;
  };
}

}  // namespace hundred
