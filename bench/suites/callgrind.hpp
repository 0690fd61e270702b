// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace bench {

/// Instructions that each function executed itself, read from a file that callgrind wrote. Throws std::runtime_error if
/// there is no such file.
std::map<std::string, double> read_callgrind(const std::string& path);

}  // namespace bench
