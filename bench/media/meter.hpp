// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace media {

/// What this process has cost so far.
struct Cost {
  double processor_us = 0;
  std::uint64_t instructions = 0;  ///< in user mode; 0 if the machine does not count them for us
  std::uint64_t copied = 0;        ///< octets, by copies of 512 octets or more and by system calls that send or receive
};

/// Begins to count copies and, where the machine can, instructions of all threads made from now on. Once.
void start_meters();
Cost cost_so_far();

}  // namespace media
