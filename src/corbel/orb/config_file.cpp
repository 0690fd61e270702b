// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/config_file.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/regular_file.hpp"

namespace corbel::orb {
namespace {

constexpr std::size_t kLargestConfigFile = 1U << 20;
constexpr std::size_t kLongestConfigLine = 8192;
constexpr std::string_view kBlanks = " \t\r";

[[noreturn]] void refuse_file(std::string detail) {
  corba::raise("BAD_PARAM", corba::minor::kBadOptionValue, corba::Completed::no, std::move(detail));
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// URLs have a "#" inside a word.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || kBlanks.find(line[at - 1]) != std::string_view::npos) return line.substr(0, at);
  }
  return line;
}

bool is_quoted(std::string_view value) {
  return value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.front() == value.back();
}

/// As the loader finds them whatever folder the process is in. A name without a slash is the loader's to look for.
std::string plugins_beside(const std::string& file, std::string_view list) {
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  std::string all;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view item = list.substr(begin, end - begin);
    const bool relative = item.find('/') != std::string_view::npos && item.front() != '/';
    all.append(begin == 0 ? "" : ",").append(relative ? folder : std::string()).append(item);
    begin = end + 1;
  }
  return all;
}

ConfigLine read_line(const std::string& file, std::string where, std::string_view text) {
  std::size_t end = std::min(text.find_first_of(" \t\r="), text.size());
  std::string_view name = text.substr(0, end);
  if (name.starts_with("-ORB")) name.remove_prefix(4);
  std::string_view value = trimmed(text.substr(end));
  if (value.starts_with('=')) value = trimmed(value.substr(1));
  if (name.empty()) refuse_file(where + "a line begins with the name of an option, such as ListenEndpoints");
  if (name == "ConfigFile") {
    refuse_file(where + "a configuration file names no other one; -ORBConfigFile may be repeated on the command line");
  }
  if (is_quoted(value)) refuse_file(where + "values are written without quotes; blanks inside belong to them");
  return {std::move(where), std::string(name), name == "Load" ? plugins_beside(file, value) : std::string(value)};
}

}  // namespace

std::vector<ConfigLine> read_config_file(const std::string& path) {
  const std::string shown = base::printable(path);
  const auto [text, why] = ipc::read_regular_file(path, kLargestConfigFile + 1);
  if (!why.empty())
    refuse_file(shown + ": the file " + why + "; -ORBConfigFile names text files that this process may read");
  if (text.size() > kLargestConfigFile) {
    refuse_file(shown + ": the file is larger than " + std::to_string(kLargestConfigFile) +
                " octets; a configuration file has one option in each line");
  }
  std::vector<ConfigLine> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    std::string where = shown + ':' + std::to_string(++number) + ": ";
    if (line.size() > kLongestConfigLine) {
      refuse_file(where + "the line is longer than " + std::to_string(kLongestConfigLine) +
                  " octets; options that may be repeated take several lines");
    }
    if (line.find('\0') != std::string_view::npos)
      refuse_file(where + "the line has a NUL octet; a configuration file is text, such as in UTF-8");
    const std::string_view directive = trimmed(without_comment(line));
    if (!directive.empty()) lines.push_back(read_line(path, std::move(where), directive));
  }
  return lines;
}

}  // namespace corbel::orb
