// SPDX-License-Identifier: Apache-2.0
#include "suites/callgrind.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace bench {
namespace {

/// "(12) name" introduces number 12, "(12)" refers to it.
class Names {
 public:
  const std::string& resolve(const std::string& text) {
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string::npos) return names_[text] = text;
    std::string& name = names_[text.substr(0, end + 1)];
    if (end + 2 < text.size()) name = text.substr(end + 2);
    return name;
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace

std::map<std::string, double> read_callgrind(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("callgrind wrote no " + path);
  std::map<std::string, double> costs;
  Names names;
  std::string function = "?";
  bool inclusive = false;  // the line after calls= is the callee's cost
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("fn=")) {
      function = names.resolve(line.substr(3));
    } else if (line.starts_with("cfn=")) {
      names.resolve(line.substr(4));
    } else if (line.starts_with("calls=")) {
      inclusive = true;
    } else if (!line.empty() && (std::isdigit(static_cast<unsigned char>(line[0])) != 0 || line[0] == '+' ||
                                 line[0] == '-' || line[0] == '*')) {
      const std::size_t blank = line.rfind(' ');
      if (!inclusive && blank != std::string::npos) costs[function] += std::strtod(line.c_str() + blank, nullptr);
      inclusive = false;
    }
  }
  return costs;
}

}  // namespace bench
