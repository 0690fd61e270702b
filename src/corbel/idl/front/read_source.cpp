// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/read_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <optional>

namespace corbel::idl::front {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

void drop_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// What comes in place of `#line 1 "f"`, `#line 1` and, as compilers leave it in text that they preprocessed, `# 7 "f"
/// 1 3` (flags at its end: 3 stands for a header of the system); nothing for any other line.
std::string as_line_directive(std::string_view line) {
  drop_blanks(line);
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  drop_blanks(line);
  const bool spelled = line.starts_with("line");
  if (spelled) line.remove_prefix(4);
  drop_blanks(line);
  const std::string_view number = line.substr(0, std::min(line.find_first_not_of("0123456789"), line.size()));
  line.remove_prefix(number.size());
  drop_blanks(line);
  const std::size_t close = line.starts_with('"') ? line.find('"', 1) : std::string_view::npos;
  const bool named = close != std::string_view::npos;
  if (number.empty() || (spelled ? number != "1" || (!line.empty() && !named) : !named)) return {};
  const std::string_view name = line.substr(0, named ? close + 1 : 0);
  // Lines that compilers add of their own name no file that could be included.
  if (!spelled && (name.starts_with("\"<") || line.substr(close).find(" 3") != std::string_view::npos)) return " ";
  const std::string end = named ? " " + std::string(name) : "";
  // mcpp does not pass a marker of line 1 on unless one of another line stands before it. Compilers begin with line 0.
  if (number == "0" || number == "1") return "#line 2" + end + "\n#line 1" + end;
  return "#line " + std::string(number) + end;
}

/// Whether lines are text at all: those inside comments are not, nor those that `#if 0` leaves out. Only a preprocessor
/// knows what other conditions leave out.
class Surroundings {
 public:
  /// True if the next line counts.
  bool counts() const noexcept { return !in_comment_ && left_out_ == 0; }
  /// Goes behind a line. `continues`: one that was joined to it by a backslash.
  void pass(std::string_view line, bool continues) noexcept {
    if (!in_comment_ && !continues) direct(line);
    if (!continues) {
      in_line_comment_ = false;
      quote_ = '\0';
    }
    for (std::size_t i = 0; i < line.size() && !in_line_comment_; ++i) {
      const std::string_view rest = line.substr(i);
      if (in_comment_) {
        if (!rest.starts_with("*/")) continue;
        in_comment_ = false;
        ++i;
      } else if (quote_ != '\0') {
        if (line[i] == '\\') {
          ++i;
        } else if (line[i] == quote_) {
          quote_ = '\0';
        }
      } else if (rest.starts_with("/*")) {
        in_comment_ = true;
        ++i;
      } else if (rest.starts_with("//")) {
        in_line_comment_ = true;
      } else if (line[i] == '"' || line[i] == '\'') {
        quote_ = line[i];
      }
    }
  }

 private:
  void direct(std::string_view line) noexcept {
    drop_blanks(line);
    if (!line.starts_with('#')) return;
    line.remove_prefix(1);
    drop_blanks(line);
    if (line.starts_with("if")) {
      if (left_out_ != 0) ++left_out_;
      if (left_out_ == 0 && is_false(line)) left_out_ = 1;
    } else if (left_out_ != 0 && line.starts_with("endif")) {
      --left_out_;
    } else if (left_out_ == 1 && (line.starts_with("else") || line.starts_with("elif"))) {
      left_out_ = 0;
    }
  }
  static bool is_false(std::string_view line) noexcept {
    line.remove_prefix(2);
    drop_blanks(line);
    if (!line.starts_with('0')) return false;
    line.remove_prefix(1);
    drop_blanks(line);
    return line.empty() || line.starts_with("//") || line.starts_with("/*");
  }

  bool in_comment_ = false;
  bool in_line_comment_ = false;
  char quote_ = '\0';
  unsigned left_out_ = 0;  // conditions, from the `#if 0` on
};

void find(Readable& readable, std::uint32_t line, std::string_view what) {
  const bool known = std::any_of(readable.findings.begin(), readable.findings.end(),
                                 [what](const auto& finding) { return finding.what == what; });
  if (!known) readable.findings.push_back({line, what});
}

/// All octets of a file or pipe, or one more than it may have; nothing if it cannot be read.
std::optional<std::string> read_whole(const char* name) {
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= kMaxFileText) {
    const ssize_t n = ::read(file, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      ::close(file);
      return n == 0 ? std::optional(std::move(text)) : std::nullopt;
    }
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(file);
  return text;
}

Readable read_readable(std::string_view octets) {
  if (octets.size() <= kMaxFileText) return make_readable(octets);
  Readable nothing;
  nothing.findings.push_back({1, kTooMuchText});
  return nothing;
}

}  // namespace

void (*report_unreadable)(std::string_view text) = nullptr;

Readable make_readable(std::string_view octets) {
  Readable readable;
  readable.text.reserve(octets.size() + 1);
  if (octets.starts_with(kByteOrderMark)) octets.remove_prefix(kByteOrderMark.size());
  Surroundings surroundings;
  bool joined = false;  // the line before ends with a backslash: this one is no directive
  for (std::uint32_t number = 1; !octets.empty(); ++number) {
    const std::size_t length = octets.find('\n');
    std::string_view line = octets.substr(0, length);
    const bool ended = length != std::string_view::npos;
    octets.remove_prefix(ended ? length + 1 : octets.size());
    if (ended && line.ends_with('\r')) line.remove_suffix(1);
    std::string text = joined || !surroundings.counts() ? std::string() : as_line_directive(line);
    surroundings.pass(line, joined);
    if (text.empty()) text = line;
    joined = line.ends_with('\\');
    for (char& c : text) {
      if (c != '\0' && c != '\r') continue;
      find(readable, number, c == '\0' ? kNulOctet : kLoneReturn);
      c = ' ';
    }
    readable.text += text + '\n';
  }
  return readable;
}

}  // namespace corbel::idl::front

/// mcpp opens every file by this function (CMakeLists.txt beside this folder says how), in the child process only.
/// What was read once stays: mcpp opens a file again where includes are deep, and a pipe can be read but once.
extern "C" std::FILE* corbel_idl_open_source(const char* name, const char* /*mode*/) {
  namespace front = corbel::idl::front;
  static std::map<std::string, front::Readable> files;
  auto known = files.find(name);
  if (known == files.end()) {
    const auto octets = front::read_whole(name);
    if (!octets) return nullptr;
    known = files.emplace(name, front::read_readable(*octets)).first;
    for (const auto& finding : known->second.findings) {
      front::report_unreadable(std::string(name) + ":" + std::to_string(finding.line) +
                               ": error: " + std::string(finding.what) + "\n");
    }
  }
  std::string& text = known->second.text;
  return ::fmemopen(text.data(), text.size(), "r");
}
