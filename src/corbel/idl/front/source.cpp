// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace corbel::idl::front {
namespace {

constexpr std::uint32_t kMaxJoinedLines =
    100;  // how far back place() looks for the start of a comment that joined lines
// A #line directive may name anything: no longer name than a file can have is looked for, and not below every folder.
constexpr std::size_t kLongestPath = 4096;
constexpr int kMostFolders = 64;
constexpr std::uint32_t kLastLine = 0xffffffff;

bool at(std::string_view line, std::size_t column, std::string_view token) {
  return column <= line.size() && line.substr(column).starts_with(token);
}

/// Reads digits; false if there are none or too many for a line number of the preprocessor.
bool read_number(std::string_view& line, std::uint32_t& number) {
  std::size_t length = 0;
  std::uint32_t value = 0;
  while (length < line.size() && line[length] >= '0' && line[length] <= '9') {
    if (value > (kLastLine - 9) / 10) return false;
    value = value * 10 + static_cast<std::uint32_t>(line[length++] - '0');
  }
  line.remove_prefix(length);
  number = value;
  return length > 0;
}

void skip_blanks(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
}

}  // namespace

Source::Source(std::string text, const std::string& file_name, std::string strip)
    : text_(std::move(text)), strip_(std::move(strip)) {
  include_stack_.push_back({file_index(file_name, file_name), file_name});
  markers_.push_back({});
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
  read_markers();
}

void Source::read_markers() {
  for (std::uint32_t line = 0; line < line_starts_.size(); ++line) {
    if (text_.compare(line_starts_[line], 1, "#") == 0) read_marker(line_text(line), line);
  }
}

bool Source::read_marker(std::string_view line, std::uint32_t physical_line) {
  line.remove_prefix(1);
  skip_blanks(line);
  if (line.starts_with("line")) line.remove_prefix(4);
  skip_blanks(line);
  Marker marker;
  if (!read_number(line, marker.line)) return false;
  skip_blanks(line);
  if (!line.starts_with('"') || line.find('"', 1) == std::string_view::npos) return false;
  std::string_view name = line.substr(1, line.find('"', 1) - 1);
  marker.physical_line = physical_line + 1;
  if (physical_line == 0) {
    file_indices_.emplace(stripped(name), 0);
    include_stack_.back().marked_name = name;
  }
  // No #include in the first line begins so: the text of the main file says that it comes from another one.
  if (physical_line == 1 && markers_.size() == 2 && marker.line != 1 && name != include_stack_.back().marked_name) {
    include_stack_.back() = {file_index(locate(name), name), std::string(name)};
  }
  // Markers carry no enter/leave flag: line 1 of another file is an #include, any other line a return to the includer.
  if (name != include_stack_.back().marked_name) {
    const auto known = std::find_if(include_stack_.rbegin(), include_stack_.rend(),
                                    [name](const Entered& entered) { return entered.marked_name == name; });
    if (marker.line == 1 || known == include_stack_.rend()) {
      include_stack_.push_back({file_index(locate(name), name), std::string(name)});
      if (include_stack_.size() == 2) direct_[include_stack_.back().file] = true;
    } else {
      include_stack_.erase(known.base(), include_stack_.end());
    }
  }
  marker.file = include_stack_.back().file;
  marker.depth = static_cast<std::uint32_t>(include_stack_.size() - 1);
  markers_.push_back(marker);
  return true;
}

std::string Source::stripped(std::string_view name) const {
  return std::string(!strip_.empty() && name.starts_with(strip_) ? name.substr(strip_.size()) : name);
}

std::string Source::locate(std::string_view name) const {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (name.starts_with('/') && fs::exists(name, failure)) return stripped(name);
  const fs::path folder = fs::path(files_[include_stack_.back().file]).parent_path();
  if (name.size() > kLongestPath) return stripped(name);
  int tries = kMostFolders;
  for (std::string_view end = name; !end.empty() && tries > 0; --tries) {
    const fs::path beside = (folder / end.substr(end.starts_with('/') ? 1 : 0)).lexically_normal();
    if (fs::exists(beside, failure)) return beside.string();
    end.remove_prefix(std::min(end.find('/'), end.size() - 1) + 1);
  }
  return stripped(name);
}

std::uint32_t Source::file_index(const std::string& name, std::string_view marked_name) {
  const auto [entry, added] = file_indices_.try_emplace(name, static_cast<std::uint32_t>(files_.size()));
  if (added) {
    files_.push_back(name);
    marked_names_.emplace_back(marked_name);
    direct_.push_back(false);
  }
  return entry->second;
}

std::uint32_t Source::physical_line(std::size_t offset) const noexcept {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(next - line_starts_.begin() - 1);
}

std::string_view Source::line_text(std::uint32_t physical_line) const noexcept {
  const std::string_view rest = std::string_view(text_).substr(line_starts_[physical_line]);
  return rest.substr(0, std::min(rest.find('\n'), rest.size()));
}

const Marker& Source::marker_at(std::size_t offset) const noexcept {
  const auto line = physical_line(offset);
  const auto next = std::upper_bound(markers_.begin(), markers_.end(), line,
                                     [](std::uint32_t l, const Marker& m) { return l < m.physical_line; });
  return *std::prev(next);
}

Source::Position Source::position(std::size_t offset) const noexcept {
  const Marker& marker = marker_at(offset);
  const auto line = physical_line(offset);
  return {marker.file, marker.line + (line - marker.physical_line),
          static_cast<std::uint32_t>(offset - line_starts_[line] + 1)};
}

bool is_endless(const std::string& file) {
  std::error_code failure;
  const auto type = std::filesystem::status(file, failure).type();
  using Type = std::filesystem::file_type;
  return type == Type::character || type == Type::block || type == Type::directory;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return lines;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r') && !in.eof()) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

const std::vector<std::string>& Source::original_lines(std::uint32_t file) const {
  const auto [entry, added] = originals_.try_emplace(file);
  if (added) entry->second = lines_of(files_[file]);
  return entry->second;
}

Place Source::inclusion(std::size_t offset) const {
  const Marker* marker = &marker_at(offset);
  const std::uint32_t depth = marker->depth;
  const Marker* const first = markers_.data();
  while (marker != first && marker->depth >= depth) --marker;
  const std::uint32_t line = depth == 0 ? 1 : marker->line + marker[1].physical_line - 1 - marker->physical_line;
  const auto& lines = original_lines(marker->file);
  return {files_[marker->file], line, 1, 0, line == 0 || line > lines.size() ? "" : lines[line - 1]};
}

Place Source::place(Span span) const {
  const Position found = position(span.offset);
  Place place{files_[found.file], found.line, found.column, span.length,
              std::string(line_text(physical_line(span.offset)))};
  const std::string_view token = std::string_view(text_).substr(span.offset, span.length);
  const auto& lines = original_lines(found.file);
  if (found.line == 0 || found.line > lines.size()) return place;
  const auto use = [&](std::size_t line, std::size_t column) {
    place.line = static_cast<std::uint32_t>(line + 1);
    place.column = static_cast<std::uint32_t>(column + 1);
    place.text = lines[line];
    return place;
  };
  const std::size_t last = found.line - 1;
  if (at(lines[last], found.column - 1, token)) return use(last, found.column - 1);
  // A comment or backslash that spans lines makes the preprocessor join them under the number of the last one.
  for (std::size_t back = 1; back <= std::min<std::size_t>(last, kMaxJoinedLines); ++back) {
    std::size_t column = found.column - 1;
    std::size_t line = last - back;
    for (; line < last; ++line) {
      const std::size_t length = lines[line].size() - (lines[line].ends_with('\\') ? 1 : 0);
      if (column < length) break;
      column -= length;
    }
    if (!token.empty() && at(lines[line], column, token)) return use(line, column);
  }
  const std::size_t moved = token.empty() ? std::string::npos : lines[last].find(token);
  return moved == std::string::npos ? place : use(last, moved);
}

}  // namespace corbel::idl::front
