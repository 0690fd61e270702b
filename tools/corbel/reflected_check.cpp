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

namespace {

/// In a line with `#` at `hash`: comments that hide a directive from code that reads by lines, or hide what is none.
bool has_hiding_comment(const std::string& line, std::size_t hash) {
  // A comment that is open at the end of the line: when it ends in the next line, the rest of the directive follows it.
  const std::size_t open = line.rfind("/*");
  if (open != std::string::npos && open > hash && line.find("*/", open + 2) == std::string::npos) return true;
  const std::size_t last = hash == 0 ? std::string::npos : line.find_last_not_of(" \t", hash - 1);
  return last != std::string::npos && last > 0 && line[last] == '/' && line[last - 1] == '*';
}

/// Directives that name no file, and do not tell the preprocessor to read otherwise.
bool is_usual(const std::string& directive) {
  constexpr std::string_view kWords[] = {"include", "if",    "ifdef",  "ifndef", "elif",
                                         "else",    "endif", "define", "undef",  "pragma"};
  const std::string word = directive.substr(0, directive.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
  if (std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords)) return false;
  return word != "pragma" ||
         (directive.find("MCPP") == std::string::npos && directive.find("setlocale") == std::string::npos);
}

}  // namespace

bool includes_are_harmless(const std::string& text) {
  // Text that joins lines or spells # otherwise could hide a directive from this check.
  if (text.find("\?\?") != std::string::npos || text.find("%:") != std::string::npos) return false;
  const auto is_control = [](char c) {
    const auto octet = static_cast<unsigned char>(c);
    return (octet < ' ' && c != '\t' && c != '\n' && c != '\r') || octet == 0x7f;
  };
  if (std::any_of(text.begin(), text.end(), is_control)) return false;  // they could also speak to a terminal
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    const std::size_t hash = line.find('#');
    if (hash == std::string::npos) continue;
    if (has_hiding_comment(line, hash)) return false;
    const std::string directive = trimmed(std::string_view(line).substr(hash + 1));
    const bool includes =
        directive.find("include") != std::string::npos || directive.find("import") != std::string::npos;
    // Behind other text it may be part of a comment, or a directive behind one.
    if (hash != 0 && includes) return false;
    const bool joined = line.ends_with('\\') || line.ends_with("\\\r");
    if (directive.empty() || joined) {
      if (joined || line.ends_with('\\')) return false;
      continue;
    }
    if (hash == 0 && !is_usual(directive)) return false;
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
