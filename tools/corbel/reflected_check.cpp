// SPDX-License-Identifier: Apache-2.0
// What IDL from strangers may look like. It is read by a preprocessor, which opens the files that it names.
#include <algorithm>

#include "reflected.hpp"

namespace corbel::tool {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\v\f");
  return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin));
}

}  // namespace

bool path_is_harmless(const std::string& path) {
  constexpr std::string_view kUsual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
  return !path.empty() && path.size() <= 200 && path.front() != '/' && path.back() != '/' &&
         path.find_first_not_of(kUsual) == std::string::npos && path.find("..") == std::string::npos;
}

bool includes_are_harmless(const std::string& text) {
  // What joins lines or spells # otherwise could hide a directive from these eyes.
  if (text.find("\?\?") != std::string::npos || text.find("%:") != std::string::npos) return false;
  if (text.find('\0') != std::string::npos) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    const std::size_t hash = line.find('#');
    if (hash == std::string::npos) continue;
    const std::string directive = trimmed(std::string_view(line).substr(hash + 1));
    const bool includes =
        directive.find("include") != std::string::npos || directive.find("import") != std::string::npos;
    // Behind something else it may be a comment, or a directive behind one.
    if (hash != 0 && includes) return false;
    const bool joined = line.ends_with('\\') || line.ends_with("\\\r");
    if (directive.empty() || joined) {
      if (joined || line.ends_with('\\')) return false;
      continue;
    }
    if (!directive.starts_with("include")) {
      if (includes) return false;
      continue;
    }
    const std::string rest = trimmed(std::string_view(directive).substr(7));
    const char close = rest.starts_with('"') ? '"' : rest.starts_with('<') ? '>' : '\0';
    const std::size_t stop = close == '\0' ? std::string::npos : rest.find(close, 1);
    if (stop == std::string::npos || !path_is_harmless(rest.substr(1, stop - 1))) return false;
  }
  return true;
}

}  // namespace corbel::tool
