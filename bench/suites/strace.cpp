// SPDX-License-Identifier: Apache-2.0
#include "suites/strace.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace bench {
namespace {

bool sends(const std::string& name) {
  return name == "sendto" || name == "sendmsg" || name == "write" || name == "writev";
}

/// What the call returned, if it says so at the end of the line: "... = 64".
double returned(const std::string& line) {
  const std::size_t equals = line.rfind(" = ");
  return equals == std::string::npos ? 0 : std::max(0.0, std::strtod(line.c_str() + equals + 3, nullptr));
}

}  // namespace

Trace read_strace(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("strace wrote no " + path);
  Trace trace;
  std::map<std::string, bool> counts;  // by thread: whether the call it waits in sends to more than a standard stream
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    const std::size_t begin = line.find_first_not_of(' ', blank);
    if (blank == std::string::npos || begin == std::string::npos) continue;
    const std::string thread = line.substr(0, blank);
    if (line.compare(begin, 5, "<... ") == 0) {  // "<... recvfrom resumed>"
      if (counts[thread]) trace.octets_sent += returned(line);
      continue;
    }
    const std::size_t open = line.find('(', begin);
    if (open == std::string::npos || std::isalpha(static_cast<unsigned char>(line[begin])) == 0) continue;
    const std::string name = line.substr(begin, open - begin);
    ++trace.calls[name];
    const bool counted = sends(name) && std::atoi(line.c_str() + open + 1) > 2;
    if (line.ends_with("<unfinished ...>")) {
      counts[thread] = counted;
    } else if (counted) {
      trace.octets_sent += returned(line);
    }
  }
  return trace;
}

}  // namespace bench
