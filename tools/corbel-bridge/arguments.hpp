// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corbel/bridge/bridge.hpp"
#include "types.hpp"

namespace corbel::bridge {

/// An object to lead to.
struct To {
  std::string key;  ///< empty: the object's own
  std::string reference;
};

/// What the command line asks for.
struct Arguments {
  std::vector<std::string> listen;
  std::vector<To> to;
  std::string publish;
  tool::Files files;
  Settings settings;
  std::vector<std::string> orb;  ///< -ORB options with their values
};

/// The program is to print this and end.
struct Stop {
  std::string text;
  int status = 0;
};

/// Reads the words after the program's name. Throws std::runtime_error for files that hold no reference.
std::optional<Stop> read_arguments(const std::vector<std::string>& line, Arguments& arguments);

}  // namespace corbel::bridge
