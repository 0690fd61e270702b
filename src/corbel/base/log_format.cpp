// SPDX-License-Identifier: Apache-2.0
// Records as lines: text for people, JSON for programs. What comes from outside can neither end a line nor steer a
// terminal.
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "corbel/base/log.hpp"

namespace corbel::base {
namespace {

constexpr std::size_t kLongestValue = 1000;  // of one field, as written
constexpr std::string_view kCutShort = "...";

/// Writes into the room there is; remembers if it was not enough.
class Line {
 public:
  explicit Line(std::span<char> room) noexcept : room_(room) {}

  std::size_t size() const noexcept { return size_; }
  bool full() const noexcept { return full_; }
  /// Goes back to an earlier size().
  void cut(std::size_t size) noexcept {
    size_ = size;
    full_ = false;
  }
  void limit(std::size_t room) noexcept { limit_ = std::min(room, room_.size()); }
  void put(std::string_view text) noexcept {
    if (full_ || text.size() > limit_ - size_) {
      full_ = true;
      return;
    }
    if (!text.empty()) std::memcpy(room_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void put(char c) noexcept { put(std::string_view(&c, 1)); }
  template <class Number>
  void put_number(Number number, int base = 10) noexcept {
    char digits[24];
    put(std::string_view(digits, std::to_chars(digits, digits + sizeof digits, number, base).ptr));
  }
  void put_padded(std::uint64_t number, std::size_t width, int base = 10) noexcept {
    char digits[24];
    const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, number, base).ptr);
    for (std::size_t i = text.size(); i < width; ++i) put('0');
    put(text);
  }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
  std::size_t limit_ = room_.size();
  bool full_ = false;
};

/// Length of the UTF-8 sequence that `text` starts with and its code point; 0 if it is none.
std::size_t read_utf8(std::string_view text, std::uint32_t& point) noexcept {
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = octet(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  point = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((octet(i) & 0xC0U) != 0x80) return 0;
    point = point << 6 | (octet(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < kLeast[length] || point > 0x10FFFF || surrogate ? 0 : length;
}

/// Characters that end a line, steer a terminal or turn the direction of what follows.
bool is_control(std::uint32_t point) noexcept {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C || (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
}

enum class Style : std::uint8_t { text, json, unquoted };

/// The inside of a quoted string. In both styles a backslash and a quote are escaped; octets that are no character are
/// \xNN, which JSON does not have: there the backslash is one of the text.
void put_escaped(Line& line, std::string_view text, Style style, std::size_t most = kLongestValue) noexcept {
  const std::size_t end = line.size() + most;
  while (!text.empty()) {
    if (line.size() >= end) return line.put(kCutShort);
    std::uint32_t point = 0;
    const std::size_t length = read_utf8(text, point);
    if (length == 0) {
      line.put(style == Style::json ? "\\\\x" : "\\x");
      line.put_padded(static_cast<unsigned char>(text[0]), 2, 16);
      text.remove_prefix(1);
      continue;
    }
    if (style != Style::unquoted && (point == '"' || point == '\\')) {
      line.put('\\');
      line.put(text[0]);
    } else if (point == '\n') {
      line.put("\\n");
    } else if (point == '\t') {
      line.put("\\t");
    } else if (is_control(point)) {
      line.put("\\u");  // all of them have four digits
      line.put_padded(point, 4, 16);
    } else {
      line.put(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
}

void put_quoted(Line& line, std::string_view text, Style style) noexcept {
  line.put('"');
  put_escaped(line, text, style);
  line.put('"');
}

bool is_plain(char c) noexcept {
  return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '=';
}

void put_text(Line& line, std::string_view text, Style style) noexcept {
  bool plain = style == Style::text && !text.empty() && text.size() <= kLongestValue;
  for (std::size_t i = 0; plain && i < text.size(); ++i) plain = is_plain(text[i]);
  if (plain) return line.put(text);
  put_quoted(line, text, style);
}

/// Identifiers: as text if they are, else in hexadecimal.
void put_octets(Line& line, std::string_view octets, Style style) noexcept {
  constexpr std::size_t kMost = 64;
  bool plain = !octets.empty();
  for (const char c : octets) plain = plain && is_plain(c);
  if (plain) return put_text(line, octets, style);
  if (style == Style::json) line.put('"');
  line.put("0x");
  for (const char c : octets.substr(0, kMost)) line.put_padded(static_cast<unsigned char>(c), 2, 16);
  if (octets.size() > kMost) line.put(kCutShort);
  if (style == Style::json) line.put('"');
}

void put_value(Line& line, const LogField& field, Style style) noexcept {
  switch (field.kind) {
    case LogField::Kind::text:
      return put_text(line, field.text, style);
    case LogField::Kind::octets:
      return put_octets(line, field.text, style);
    case LogField::Kind::number:
      return line.put_number(field.number);
    case LogField::Kind::count:
      return line.put_number(static_cast<std::uint64_t>(field.number));
    case LogField::Kind::truth:
      return line.put(field.number != 0 ? "true" : "false");
    case LogField::Kind::error:
      try {
        return put_text(line, to_string(field.error), style);
      } catch (...) {  // no memory for the system's words
        return put_text(line, to_string(field.error.code), style);
      }
  }
}

/// 2026-11-22T17:45:01.123456Z
void put_time(Line& line, std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t kOneSecond = 1'000'000'000;
  const auto seconds = static_cast<time_t>(nanoseconds / kOneSecond);
  tm parts{};
  gmtime_r(&seconds, &parts);
  line.put_padded(static_cast<std::uint64_t>(parts.tm_year) + 1900, 4);
  const auto two = [&](char before, int number) {
    line.put(before);
    line.put_padded(static_cast<std::uint64_t>(number), 2);
  };
  two('-', parts.tm_mon + 1);
  two('-', parts.tm_mday);
  two('T', parts.tm_hour);
  two(':', parts.tm_min);
  two(':', parts.tm_sec);
  line.put('.');
  line.put_padded(static_cast<std::uint64_t>(nanoseconds % kOneSecond) / 1000, 6);
  line.put('Z');
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string room(most + 16, '\0');  // what is put last is cut short, not cut off
  Line line(room);
  put_escaped(line, text, Style::unquoted, most);
  room.resize(line.size());
  return room;
}

std::string to_string(const LogField& field) {
  switch (field.kind) {
    case LogField::Kind::text:
      return std::string(field.text);
    case LogField::Kind::error:
      return to_string(field.error);
    default: {
      char room[2048];
      Line line(room);
      put_value(line, field, Style::text);
      std::string text(room, line.size());
      return text.starts_with('"') ? std::string(field.text) : text;
    }
  }
}

std::size_t format_log_text(const LogRecord& record, bool with_time, std::span<char, kLongestLogLine> room) noexcept {
  Line line(room);
  if (with_time) {
    put_time(line, record.time);
    line.put(' ');
    line.put('[');
    line.put_number(static_cast<std::int64_t>(::getpid()));
    line.put('.');
    line.put_number(record.thread);
    line.put("] ");
  }
  line.put(to_string(record.level));
  line.put(' ');
  line.put(to_string(record.module));
  line.put(": ");
  line.limit(kLongestLogLine - 1100);
  line.put(record.event);
  const auto put_field = [&](const LogField& field) {
    const std::size_t before = line.size();
    line.put(' ');
    line.put(field.name);
    line.put('=');
    put_value(line, field, Style::text);
    if (!line.full()) return true;
    line.cut(before);
    return false;
  };
  bool whole = true;
  for (const LogField& field : record.fields) whole = put_field(field) && whole;
  line.limit(kLongestLogLine);
  if (!whole) line.put(" ...");
  if (!record.orb.empty()) put_field({"orb", record.orb});
  return line.size();
}

std::size_t format_log_json(const LogRecord& record, std::span<char, kLongestLogLine> room) noexcept {
  Line line(room);
  line.put("{\"time\":\"");
  put_time(line, record.time);
  line.put("\",\"level\":");
  put_quoted(line, to_string(record.level), Style::json);
  line.put(",\"module\":");
  put_quoted(line, to_string(record.module), Style::json);
  line.put(",\"event\":");
  put_quoted(line, record.event, Style::json);
  line.put(",\"process\":");
  line.put_number(static_cast<std::int64_t>(::getpid()));
  line.put(",\"thread\":");
  line.put_number(record.thread);
  line.put(",\"orb\":");
  put_quoted(line, record.orb, Style::json);
  line.put(",\"fields\":{");
  line.limit(kLongestLogLine - 20);
  bool whole = true;
  std::string_view comma;
  for (const LogField& field : record.fields) {
    const std::size_t before = line.size();
    line.put(comma);
    put_quoted(line, field.name, Style::json);
    line.put(':');
    put_value(line, field, Style::json);
    if (line.full()) {
      line.cut(before);
      whole = false;
    } else {
      comma = ",";
    }
  }
  line.limit(kLongestLogLine);
  line.put(whole ? "}}" : "},\"cut\":true}");
  return line.size();
}

}  // namespace corbel::base
