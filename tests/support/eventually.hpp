// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace corbel::test {

/// Waits, a long time, for what has to come about; whether it did.
template <class Condition>
bool eventually(const Condition& is_so, std::chrono::seconds within = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace corbel::test
