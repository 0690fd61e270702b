// SPDX-License-Identifier: Apache-2.0
// What each function takes of what one side spends.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A part of what one side spends.
struct Share {
  std::string name;                            ///< a function, kSystem, or "N others"
  std::optional<double> instructions = {};     ///< in user space
  std::optional<double> of_instructions = {};  ///< per cent
  std::optional<double> of_time = {};          ///< per cent of the processor time
};

/// The part of the kernel.
inline constexpr const char* kSystem = "system calls";

/// Shares, the greatest first, of so many instructions by function and so much user and system time (of any unit). What
/// the kernel spends is one part; user time is split as the instructions are. The shares of time add up to 100, and so
/// do those of instructions; either are missing if nothing is known of them.
std::vector<Share> shares_of(const std::map<std::string, double>& functions, double user, double system);

/// The same with all those below `least` per cent, of both, joined into "N others" at the end.
std::vector<Share> gathered(const std::vector<Share>& shares, double least);

/// "corbel::cdr::Encoder::put" of what callgrind calls a function: without parameters, template arguments, return type
/// and the number of a recursion.
std::string short_function(const std::string& name);

}  // namespace bench
