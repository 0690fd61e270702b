// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <cstdio>

namespace peer {

/// Nanoseconds of CLOCK_MONOTONIC, the same in all processes of this machine.
inline std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

inline void sleep_until(std::uint64_t time_ns) {
  const timespec time{static_cast<time_t>(time_ns / 1'000'000'000U), static_cast<long>(time_ns % 1'000'000'000U)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
  }
}

/// Answers a command with the time since it began.
inline void answer_time(std::uint64_t begin) {
  std::printf("ok %llu\n", static_cast<unsigned long long>(now_ns() - begin));
}

}  // namespace peer
