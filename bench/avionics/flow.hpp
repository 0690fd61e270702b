// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace avionics {

using Steady = std::chrono::steady_clock;

/// Minor and major frame of the application: 40 Hz and 20 Hz.
inline constexpr std::chrono::microseconds kMinorFrame(25'000);
inline constexpr std::chrono::microseconds kMajorFrame(50'000);

/// From when to when the processes fly; their clock is the host's.
struct Sortie {
  Steady::time_point begin;
  std::chrono::milliseconds length;
};

/// What became of a periodic flow. Its deadline is the end of its period. Times are from activation to completion.
struct Flow {
  std::string name;
  std::string way;
  std::chrono::microseconds period{};
  std::uint64_t activations = 0;
  std::uint64_t met = 0;
  std::uint64_t missed = 0;
  std::uint64_t failed = 0;  // ended with an exception; those missed as well
  std::uint64_t wrong = 0;   // ended with other content than it should have
  double p50_us = 0;
  double p99_us = 0;
  double max_us = 0;
  std::string why = "-";  // the first that failed
};

/// What became of the bulk transfer.
struct Bulk {
  std::uint64_t blocks = 0;
  std::uint64_t octets = 0;
  double seconds = 0;
  std::string why = "-";  // it ended early
};

/// Set when the user wants the end: flows of this process then stop at their next turn.
inline std::atomic<bool> interrupted{false};

/// Activates a flow at every period of a sortie. One that is late begins as soon as the one before has ended.
/// `activate`: one turn; true if the content was right.
void fly(Flow& flow, const Sortie& sortie, const std::function<bool(std::uint32_t activation)>& activate);

// One line of text each, for other processes; read throws std::runtime_error if it is none.
std::string to_line(const Flow& flow);
std::string to_line(const Bulk& bulk);
bool is_flow(const std::string& line);
Flow read_flow(const std::string& line);
Bulk read_bulk(const std::string& line);

}  // namespace avionics
