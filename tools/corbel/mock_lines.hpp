// SPDX-License-Identifier: Apache-2.0
// What in a recording can be no answer of a mock.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "recording.hpp"

namespace corbel::tool {

/// What a mock serves, and how it chooses.
struct Served {
  const std::map<std::string, const idl::model::Interface*>& objects;  ///< interfaces by recorded keys
  const idl::model::Interface* main;                                   ///< of lines for any object
  bool any_arguments = false;                                          ///< answers to other arguments are taken
  bool defaults = false;                                               ///< what an answer leaves out is made up
};

/// Lines that answer no call.
struct UnusableLines {
  std::vector<std::string> why;   ///< "line 3: ..."
  std::set<std::size_t> numbers;  ///< of those that are exchanges
};
UnusableLines unusable_lines(const Recording& recording, const Served& served, Types& types, JsonValues& json);

/// Raises what a line has as "CORBA::name".
[[noreturn]] void raise_system(const std::string& name, const Json& members);

}  // namespace corbel::tool
