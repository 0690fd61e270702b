// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace corbel::idl::front {

/// A piece of the source text, by offset.
struct Span {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// A line marker (`# 1 "file"` or `#line 1 "file"`) as the preprocessor leaves it.
struct Marker {
  std::uint32_t physical_line = 0;  ///< 0-based line of the text that follows the marker
  std::uint32_t file = 0;
  std::uint32_t line = 1;   ///< what that line is in `file`
  std::uint32_t depth = 0;  ///< how many #includes deep
};

/// Where a span is, for people.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
  std::string text;  ///< the source line
};

/// The lines of a file, for quoting; none if it is not a regular one (a device may never end).
std::vector<std::string> lines_of(const std::string& file);

/// True for devices and folders; pipes are read like files.
bool is_endless(const std::string& file);

/// Preprocessed text and the way back from its offsets to files, lines and columns. Immutable once built.
class Source {
 public:
  /// `file_name` is file 0, to which the text belongs until a line marker says otherwise. A marker in the very first
  /// line names file 0 too, and one of another file right behind it says that the main file's text is that file's.
  /// `strip` is cut off the front of the names in markers. The preprocessor names a file beside the including one as
  /// the #include does, or after the search folder of the includer: it is looked for there.
  Source(std::string text, const std::string& file_name, std::string strip = "");

  std::string_view text() const noexcept { return text_; }
  const std::vector<std::string>& files() const noexcept { return files_; }
  /// The name of a file in the marker that entered it first.
  const std::string& marked_name(std::uint32_t file) const noexcept { return marked_names_[file]; }
  /// True if the main file itself includes this file.
  bool included_by_main(std::uint32_t file) const noexcept { return direct_[file]; }

  /// The marker in force at an offset.
  const Marker& marker_at(std::size_t offset) const noexcept;
  struct Position {
    std::uint32_t file;
    std::uint32_t line;
    std::uint32_t column;
  };
  Position position(std::size_t offset) const noexcept;

  /// Where the file that holds the offset is included: the line of the directive. The file itself if nothing is.
  Place inclusion(std::size_t offset) const;

  /// For a diagnostic: looks the line up in the file itself, so that what the preprocessor changed (comments, macros,
  /// joined lines) does not show. Reads the file on first use; falls back to the preprocessed line.
  Place place(Span span) const;

 private:
  std::uint32_t physical_line(std::size_t offset) const noexcept;
  std::string_view line_text(std::uint32_t physical_line) const noexcept;
  void read_markers();
  bool read_marker(std::string_view line, std::uint32_t physical_line);
  std::uint32_t file_index(const std::string& name, std::string_view marked_name);
  std::string stripped(std::string_view name) const;
  std::string locate(std::string_view name) const;
  const std::vector<std::string>& original_lines(std::uint32_t file) const;

  std::string text_;
  std::string strip_;
  std::vector<std::string> files_;
  std::vector<std::string> marked_names_;
  std::vector<bool> direct_;
  std::unordered_map<std::string, std::uint32_t> file_indices_;
  struct Entered {
    std::uint32_t file;
    std::string marked_name;
  };
  std::vector<Entered> include_stack_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<Marker> markers_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::string>> originals_;
};

}  // namespace corbel::idl::front
