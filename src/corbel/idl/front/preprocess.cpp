// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/preprocess.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "corbel/idl/front/read_source.hpp"
#include "corbel/idl/front/source.hpp"

extern "C" {
#include <mcpp_lib.h>
}

namespace corbel::idl::front {
namespace {

constexpr unsigned kMaxSeconds = 30;
constexpr std::size_t kMaxOutput = 16U << 20;
constexpr std::size_t kMaxMessages = 64U << 10;
constexpr std::array<char, 8> kSeal = {'\0', 'c', 'o', 'r', 'b', 'e', 'l', '\0'};

/// What follows the text in the pipe, after the messages; without it the child did not end by itself.
struct Trailer {
  std::uint32_t message_length = 0;
  std::uint32_t too_large = 0;
  std::array<char, 8> seal = kSeal;
};

// State of the child process only: mcpp's output functions take no context.
struct Child {
  int pipe = -1;
  std::size_t written = 0;
  std::string pending;
  std::string messages;
};
Child child;

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(child.pipe, text.data(), text.size());
    if (n < 0 && errno != EINTR) ::_exit(1);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void finish(bool too_large) {
  write_all(child.pending);
  write_all(child.messages);
  Trailer trailer;
  trailer.message_length = static_cast<std::uint32_t>(child.messages.size());
  trailer.too_large = too_large ? 1 : 0;
  write_all({reinterpret_cast<const char*>(&trailer), sizeof trailer});
  ::_exit(0);
}

void put(std::string_view text, OUTDEST where) {
  if (where != OUT) {
    child.messages += text.substr(0, kMaxMessages - std::min(kMaxMessages, child.messages.size()));
    return;
  }
  child.written += text.size();
  if (child.written > kMaxOutput) finish(true);
  child.pending += text;
  if (child.pending.size() < 65536) return;
  write_all(child.pending);
  child.pending.clear();
}

int put_character(int c, OUTDEST where) {
  const char text = static_cast<char>(c);
  put({&text, 1}, where);
  return c;
}

int put_string(const char* text, OUTDEST where) {
  put(text, where);
  return 0;
}

__attribute__((format(printf, 2, 3))) int put_formatted(OUTDEST where, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::array<char, 8192> text;
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  put({text.data(), std::min<std::size_t>(length < 0 ? 0U : static_cast<std::size_t>(length), text.size() - 1)}, where);
  return length;
}

/// mcpp's command line: keep columns, no compiler's own macros or folders, plain messages.
std::vector<std::string> arguments_for(const std::string& path, const Options& options) {
  std::vector<std::string> arguments = {"corbel-idl", "-k", "-N", "-I-", "-W", "1", "-j"};
  const auto append = [&arguments](const char* option, const std::vector<std::string>& values) {
    for (const auto& value : values) arguments.insert(arguments.end(), {option, value});
  };
  append("-I", options.include_dirs);
  if (!options.shipped_dir.empty()) append("-I", {options.shipped_dir});
  append("-D", options.defines);
  append("-U", options.undefines);
  arguments.push_back(path.starts_with('-') ? "./" + path : path);
  return arguments;
}

[[noreturn]] void run_child(int pipe, std::vector<std::string> arguments) {
  ::alarm(kMaxSeconds);
  ::setenv("LC_ALL", "C", 1);
  child.pipe = pipe;
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  mcpp_set_out_func(put_character, put_string, put_formatted);
  report_unreadable = [](std::string_view text) { put(text, ERR); };
  mcpp_lib_main(static_cast<int>(arguments.size()), argv.data());
  finish(false);
}

std::string read_all(int pipe) {
  std::string everything;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = ::read(pipe, buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return everything;
    if (n > 0) everything.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

/// Everything that the child wrote; empty if there was no child.
std::string run(const std::string& path, const Options& options) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = ::fork();
  if (pid == 0) run_child(pipe[1], arguments_for(path, options));
  ::close(pipe[1]);
  std::string output = pid > 0 ? read_all(pipe[0]) : std::string();
  ::close(pipe[0]);
  while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return output;
}

Diagnostic about_file(Id id, const std::string& file, std::string text) {
  return {id, Severity::error, Place{file, 0, 0, 0, {}}, std::move(text), {}};
}

std::string read_line(const std::string& file, std::uint32_t number) {
  const std::vector<std::string> lines = lines_of(file);
  return number == 0 || number > lines.size() ? std::string() : lines[number - 1];
}

/// What a message of mcpp begins with, which identifier it has here, and what a user can do about it.
struct Known {
  std::string_view theirs;
  Id id;
  std::string_view ours;
};
constexpr Known kKnown[] = {
    {"Too long source line", Id::too_large, "this line is longer than 65,533 octets: break it into several"},
    {"Too long logical line", Id::too_large,
     "lines joined by '\\' are longer than 65,533 octets together: IDL needs no '\\' at their ends"},
    {"Too long line spliced by comments", Id::too_large,
     "the comment that ends in this line is longer than 65,533 octets: begin a new line behind it"},
    {"Too long identifier truncated", Id::too_large, "an identifier is longer than 1023 octets"},
    {kTooMuchText, Id::too_large, kTooMuchText},
    {kNulOctet, Id::invalid_character, kNulOctet},
    {kLoneReturn, Id::invalid_character, kLoneReturn},
};

const Known* known(std::string_view message) {
  const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& row) { return message.starts_with(row.theirs); });
  return found == std::end(kKnown) ? nullptr : found;
}

/// True for messages that are not the user's fault: mcpp knows of 32,767 lines as C of 1990 does, but counts on right.
bool is_idle(std::string_view message, bool warning) {
  return message.empty() || message.starts_with("Illegal multi-byte") ||
         message.starts_with("End of input with no newline") ||
         message.find("got beyond range") != std::string_view::npos ||
         (warning && message.starts_with("Line number \"") && message.find("out of range") != std::string_view::npos);
}

/// mcpp's words, made to fit among ours.
std::string reword(std::string_view message) {
  if (const Known* row = known(message)) return std::string(row->ours);
  std::string text(message);
  if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  const std::size_t quote = text.find(" constant 39");
  if (quote != std::string::npos) text.erase(quote + 9, 3);
  const std::size_t range = text.find("[1,32767]");
  if (range != std::string::npos) text.replace(range, 9, "[1,2147483646]");
  return text;
}

/// Points at the octet or the quoted part that the message is about within the line, or else at the line's start.
void point(Place& place, std::string_view message) {
  const std::size_t open = message.find_first_of("\"<");
  const std::string_view quoted_part = open == std::string_view::npos ? "" : message.substr(open);
  const std::string_view name = quoted_part.size() < 2 ? "" : quoted_part.substr(1, quoted_part.size() - 2);
  std::size_t column = message == kNulOctet     ? place.text.find('\0')
                       : message == kLoneReturn ? place.text.find('\r')
                       : name.empty()           ? std::string::npos
                                                : place.text.find(name);
  if (column == std::string::npos) {
    column = std::min(place.text.find_first_not_of(" \t"), place.text.size());
  } else {
    place.length = static_cast<std::uint32_t>(name.size());
  }
  place.column = static_cast<std::uint32_t>(column + 1);
}

/// Turns `file:line: error: text` into a diagnostic; nothing for mcpp's summary and context lines.
std::optional<Diagnostic> read_message(std::string_view line, const std::string& main_file, const std::string& strip) {
  const bool warning = line.find(": warning: ") != std::string_view::npos;
  const std::string_view mark = warning                                                  ? ": warning: "
                                : line.find(": fatal error: ") != std::string_view::npos ? ": fatal error: "
                                                                                         : ": error: ";
  const std::size_t split = line.find(mark);
  if (split == std::string_view::npos) {
    if (!line.starts_with("Can't open input file")) return std::nullopt;
    return about_file(Id::cannot_read, main_file, "cannot open this file");
  }
  const std::string_view message = line.substr(split + mark.size());
  if (is_idle(message, warning)) return std::nullopt;
  std::string_view where = line.substr(0, split);
  const std::size_t colon = where.rfind(':');
  Place place;
  place.file = where.substr(0, colon);
  if (!strip.empty() && place.file.starts_with(strip)) place.file.erase(0, strip.size());
  if (colon != std::string_view::npos) {
    place.line = static_cast<std::uint32_t>(std::strtoul(std::string(where.substr(colon + 1)).c_str(), nullptr, 10));
  }
  place.text = read_line(place.file, place.line);
  point(place, message);
  const bool comment = message.find("unterminated comment") != std::string_view::npos;
  const Id id = comment                                          ? Id::unterminated
                : known(message) != nullptr                      ? known(message)->id
                : warning                                        ? Id::preprocessor_warning
                : message.starts_with("Can't open include file") ? Id::cannot_read
                                                                 : Id::preprocessor_error;
  return Diagnostic{id, is_warning(id) ? Severity::warning : Severity::error, std::move(place), reword(message), {}};
}

}  // namespace

Preprocessed preprocess(const std::string& path, const std::string& strip, const Options& options) {
  Preprocessed result;
  if (is_endless(path)) {
    result.diagnostics.push_back(about_file(Id::cannot_read, path, "this is no file with an end"));
    return result;
  }
  std::string output = run(path, options);
  Trailer trailer;
  if (output.size() >= sizeof trailer)
    std::memcpy(&trailer, output.data() + output.size() - sizeof trailer, sizeof trailer);
  if (output.size() < sizeof trailer || trailer.seal != kSeal ||
      trailer.message_length > output.size() - sizeof trailer) {
    result.diagnostics.push_back(about_file(Id::preprocessor_error, path,
                                            "the preprocessor broke off: it crashed or took more than 30 seconds"));
    return result;
  }
  output.resize(output.size() - sizeof trailer);
  std::string_view messages = std::string_view(output).substr(output.size() - trailer.message_length);
  while (!messages.empty() && result.diagnostics.size() < options.max_errors) {
    const std::size_t end = std::min(messages.find('\n'), messages.size());
    if (auto diagnostic = read_message(messages.substr(0, end), path, strip)) {
      if (options.warnings_as_errors) diagnostic->severity = Severity::error;
      result.diagnostics.push_back(*std::move(diagnostic));
    }
    messages.remove_prefix(std::min(end + 1, messages.size()));
  }
  if (trailer.too_large != 0) {
    result.diagnostics.push_back(about_file(Id::too_large, path, "more than 16 MiB of text after preprocessing"));
  }
  output.resize(output.size() - trailer.message_length);
  result.text = std::move(output);
  return result;
}

}  // namespace corbel::idl::front
