// SPDX-License-Identifier: Apache-2.0
// What in a recording can be no answer of a mock.
#pragma once

#include <map>
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

/// "line 3: ...": every line that answers no call, or answers it with INTERNAL, and why.
std::vector<std::string> unusable_lines(const Recording& recording, const Served& served, Types& types,
                                        JsonValues& json);

}  // namespace corbel::tool
