// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace corbel::orb {

/// A line of a configuration file that sets an option.
struct ConfigLine {
  std::string where;  ///< "plant.conf:3: ", which begins what is said about it
  std::string name;   ///< of the option, without "-ORB"; perhaps of none
  std::string value;  ///< empty: there is none
};

/// What a configuration file says (-ORBConfigFile): an option in each line, then blanks or "=", then its value up to
/// the end of the line. A "#" that begins a line or follows a blank begins a comment. Relative paths of plug-ins have
/// become relative to the file's folder. Throws BAD_PARAM with file and line if it cannot be read or is malformed.
std::vector<ConfigLine> read_config_file(const std::string& path);

}  // namespace corbel::orb
