// SPDX-License-Identifier: Apache-2.0
// What calls carry where it matters that it compresses as text does.
#pragma once

#include <cstddef>
#include <string>

namespace peer {

/// So many octets of a log, which compress as text does.
inline std::string log_text(std::size_t octets) {
  std::string text;
  for (unsigned long i = 0; text.size() < octets; ++i) {
    const unsigned long mixed = i * 2654435761UL % 1000003UL;
    text += "2026-11-28T12:00:" + std::to_string(10 + i % 50) + "." + std::to_string(100 + mixed % 900) + " worker-" +
            std::to_string(mixed % 16) + " served request " + std::to_string(40000 + i) + " in " +
            std::to_string(mixed / 7 % 5000) + " us\n";
  }
  text.resize(octets);
  return text;
}

}  // namespace peer
