// SPDX-License-Identifier: Apache-2.0
#include "comments.hpp"

#include <algorithm>

#include "corbel/base/log.hpp"
#include "corbel/idl/front/source.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

constexpr std::size_t kMostLines = 200;
constexpr std::size_t kLongestLine = 500;  // octets

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// A line of a comment without its marks; empty if nothing is left but decoration.
std::string without_marks(std::string_view line) {
  line = stripped(line);
  if (line.ends_with("*/")) line.remove_suffix(2);
  if (line.starts_with("/")) line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of("/*"), line.size()));
  if (line.starts_with('!') || line.starts_with('<')) line.remove_prefix(1);
  line = stripped(line.substr(0, line.find_last_not_of('*') + 1));
  const bool says_something = std::any_of(line.begin(), line.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & '\x80') != 0;
  });
  if (!says_something || line.starts_with("SPDX-License-Identifier")) return "";
  std::string text(line);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return base::printable(text, kLongestLine);
}

/// The comments directly above the line with this index, last line first.
std::vector<std::string> above(const std::vector<std::string>& lines, std::size_t index) {
  std::vector<std::string> found;
  std::size_t i = index;
  while (i > 0 && stripped(lines[i - 1]).starts_with('@')) --i;  // annotations
  while (i > 0 && found.size() < kMostLines) {
    const std::string_view line = stripped(lines[i - 1]);
    if (line.starts_with("//")) {
      found.push_back(without_marks(line));
      --i;
      continue;
    }
    if (!line.ends_with("*/")) break;
    std::size_t first = i;  // where the comment begins, counted from 1
    while (first > 0 && lines[first - 1].find("/*") == std::string::npos) --first;
    if (first == 0) break;
    const std::string_view opening = stripped(lines[first - 1]);
    const bool alone = first < i || opening.find("*/") + 2 == opening.size();
    if (!opening.starts_with("/*") || !alone) break;
    for (; i >= first && found.size() < kMostLines; --i) found.push_back(without_marks(lines[i - 1]));
  }
  return found;
}

/// The comment at the end of a line, of which `rest` is what follows the name.
std::string behind(std::string_view rest, bool listed) {
  char quote = '\0';
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    const std::string_view ahead = rest.substr(i);
    if (!ahead.starts_with("//") && !ahead.starts_with("/*")) continue;
    const std::size_t end = ahead.starts_with("/*") ? ahead.find("*/", 2) : ahead.size() - 2;
    if (end == std::string_view::npos) return "";
    if (!stripped(ahead.substr(end + 2)).empty()) {  // code follows
      i += end + 1;
      continue;
    }
    // In the middle of a declaration it is about a part of it.
    const std::string_view between = stripped(rest.substr(0, i));
    const bool is_whole = listed || between.empty() || between.find_first_of(";{") != std::string_view::npos;
    return is_whole ? without_marks(ahead) : "";
  }
  return "";
}

/// Where the name stands as a word, perhaps with the underscore that escapes it; npos if nowhere.
std::size_t find_word(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + name.size();
    const std::size_t begin = at > 0 && text[at - 1] == '_' ? at - 1 : at;
    if ((begin == 0 || !is_part(text[begin - 1])) && (end == text.size() || !is_part(text[end]))) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string comment_on(const std::vector<std::string>& lines, std::size_t line, std::string_view name, bool listed) {
  if (line == 0 || line > lines.size() || name.empty()) return "";
  const std::string_view text = lines[line - 1];
  const std::size_t at = find_word(text, name);
  if (at == std::string_view::npos) return "";
  // Behind one of these, others have been declared in the line.
  if (text.substr(0, at).find_first_of(listed ? ";{}," : ";{}") != std::string_view::npos) return "";
  std::vector<std::string> found = above(lines, line - 1);
  std::reverse(found.begin(), found.end());
  found.push_back(behind(text.substr(at + name.size()), listed));
  std::string all;
  bool gap = false;
  for (const std::string& one : found) {
    gap = gap || one.empty();
    if (one.empty()) continue;
    if (!all.empty()) all += gap && &one != &found.back() ? "\n\n" : "\n";
    all += one;
    gap = false;
  }
  return all;
}

void Comments::read(const model::Model& model) {
  std::map<std::uint32_t, std::vector<std::string>> files;
  const auto note = [&](const void* about, const model::Location& where, std::string_view name, bool listed = false) {
    if (where.file >= model.files.size()) return;
    const auto [file, is_new] = files.try_emplace(where.file);
    if (is_new) file->second = idl::front::lines_of(model.files[where.file].path);
    std::string said = comment_on(file->second, where.line, name, listed);
    if (!said.empty()) all_.emplace(about, std::move(said));
  };
  const auto note_all = [&](const auto& parts, bool listed = false) {
    for (const auto& part : parts) note(&part, part.where, part.name, listed);
  };
  model::for_all(model.contents, [&](const model::Declaration& one) {
    note(&one, one.where, one.name);
    if (one.kind == model::DeclarationKind::struct_ || one.kind == model::DeclarationKind::exception)
      note_all(static_cast<const model::Struct&>(one).members);
    if (const auto* value = model::as<model::ValueType>(&one)) note_all(value->state);
    if (const auto* bitset = model::as<model::Bitset>(&one)) note_all(bitset->fields);
    if (const auto* bitmask = model::as<model::Bitmask>(&one)) note_all(bitmask->flags, true);
    if (const auto* choice = model::as<model::Union>(&one))
      for (const auto& part : choice->cases) note(&part.member, part.member.where, part.member.name);
    if (const auto* names = model::as<model::Enum>(&one))
      for (const auto* part : names->enumerators) note(part, part->where, part->name, true);
  });
}

const std::string& Comments::of(const void* about) const {
  static const std::string kNone;
  const auto found = all_.find(about);
  return found == all_.end() ? kNone : found->second;
}

}  // namespace corbel::tool
