// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "corbel/base/bytes.hpp"
#include "corbel/base/error.hpp"
#include "corbel/base/export.hpp"

/// The log port. One Log per ORB, owned by its core and handed down as `const base::Log&` (or, in Settings, as a
/// pointer that is never null: `const base::Log* log = &base::Log::none();`). There is no log of the process.
///
/// To log an event:
///
///   CORBEL_LOG(log, connection, warning, "message refused", {"peer", peer()}, {"error", error}, {"octets", size});
///
/// module and level are the enumerators' bare names. The event is a literal that never changes from one time to the
/// next: people search for it, the rate limit counts by it, tests look it up. What changes is in the fields: a name
/// (lower case, words joined by '_') and text, a number, a bool, a base::Error or octets. Fields are evaluated only if
/// the module logs that level, so they may be expensive; what they throw is swallowed. Foreign text may be passed as it
/// is: the code that writes lines escapes and shortens it. Off, an event is one relaxed load and a branch not taken.
///
/// Which level:
///   error    something this ORB was asked to do cannot be done until an operator acts (no descriptors, no endpoint)
///   warning  something was refused, lost or left out, or will surprise a user (a malformed message, a limit reached,
///            a servant's foreign exception); at most a few lines a second for each event
///   info     the life of the ORB, seldom: endpoints, adapters' managers, shutdown, a peer that went away in disorder
///   debug    what explains a problem: connections opened and closed, retries, forwards, activations
///   trace    one line per call
/// Log where the decision is made, once: not at every level that an error passes. A caller that is told by an exception
/// needs no warning besides (debug is enough); one that is told nothing does. No secrets: keys of objects shortened, no
/// arguments, no contents of files.
///
/// Log outside of locks where that is easy; it is allowed under them: what writes the lines never calls back.
namespace corbel::base {

/// How much to tell: each level includes those before it.
enum class LogLevel : std::uint8_t { off, error, warning, info, debug, trace };

/// The part of the ORB that tells.
enum class LogModule : std::uint8_t {
  orb,         ///< an ORB's life, options, initial references, URLs
  client,      ///< calls made: binding, retries, forwards
  server,      ///< requests served: dispatch, servants' exceptions
  connection,  ///< conversations: opened, ended and why, messages refused, limits
  transport,   ///< endpoints, acceptors, name resolution
  messaging,   ///< what is inside messages: code sets, contexts, the other ORB
  poa,         ///< object adapters, their managers, activation
  reactor,     ///< threads, timers, events
};
inline constexpr std::size_t kLogModules = 8;

/// "warning", "connection". Never empty.
CORBEL_API std::string_view to_string(LogLevel level) noexcept;
CORBEL_API std::string_view to_string(LogModule module) noexcept;

/// The level of each module.
struct LogLevels {
  std::array<LogLevel, kLogModules> of{};  ///< all off

  static constexpr LogLevels all(LogLevel level) noexcept {
    LogLevels levels;
    for (LogLevel& each : levels.of) each = level;
    return levels;
  }
  /// "LEVEL", "MODULE=LEVEL" or a comma list of them, such as "info,poa=trace": a bare level is that of all modules
  /// that are not named, wherever it stands; without one they stay as they are. False, and nothing changed, if a word
  /// is unknown.
  CORBEL_API bool read(std::string_view text) noexcept;
  friend bool operator==(const LogLevels&, const LogLevels&) = default;
};

/// A name and a value. A view: text and octets are the caller's.
struct LogField {
  enum class Kind : std::uint8_t { text, number, count, truth, octets, error };

  LogField(std::string_view field, std::string_view value) noexcept : name(field), text(value) {}
  LogField(std::string_view field, const std::string& value) noexcept : name(field), text(value) {}
  LogField(std::string_view field, const char* value) noexcept : name(field), text(value == nullptr ? "" : value) {}
  template <class T>
  requires std::is_integral_v<T> LogField(std::string_view field, T value)
  noexcept
      : name(field),
        number(static_cast<std::int64_t>(value)),
        kind(std::is_same_v<T, bool> ? Kind::truth
             : std::is_unsigned_v<T> ? Kind::count
                                     : Kind::number) {}
  /// Written as text where it is text, else in hexadecimal (object keys, identifiers).
  LogField(std::string_view field, ConstByteSpan value) noexcept
      : name(field), text(as_text(value)), kind(Kind::octets) {}
  LogField(std::string_view field, Error value) noexcept : name(field), error(value), kind(Kind::error) {}

  std::string_view name;
  std::string_view text;    ///< text, octets
  std::int64_t number = 0;  ///< number; count (as unsigned); truth (0 or 1)
  Error error;
  Kind kind = Kind::text;
};

/// The value as plain text, nothing escaped: numbers in decimal, errors in words, octets that are no text as 0x...
CORBEL_API std::string to_string(const LogField& field);

/// Text from outside as people may see it: valid UTF-8, escaped as in lines, cut short after `most` octets ("...").
CORBEL_API std::string printable(std::string_view text, std::size_t most = 1000);

/// One event that happened. A view, valid while the sink is called.
struct LogRecord {
  std::int64_t time = 0;  ///< nanoseconds since 1970-01-01T00:00:00Z
  LogLevel level = LogLevel::off;
  LogModule module = LogModule::orb;
  std::string_view event;
  std::span<const LogField> fields;
  std::string_view orb;      ///< the ORB's id
  std::uint64_t thread = 0;  ///< the system's number of the thread that logged
};

/// Where records go. write() is called by any thread, by several at a time, and perhaps under locks of the ORB: it must
/// be short, and must not call the ORB. (The application's own sinks need not know this: they are called by a thread of
/// their own, see corbel/orb/logging.hpp.) What it throws is swallowed.
class CORBEL_API LogSink {
 public:
  virtual ~LogSink();
  virtual void write(const LogRecord& record) = 0;
  /// The ORB ends: what was kept back is written now. Does nothing by default.
  virtual void flush();
};

/// What an ORB tells about itself, and where to. Thread-safe; logging is const, so that every part may hold it const.
class CORBEL_API Log {
 public:
  struct Settings {
    std::string orb = {};  ///< the ORB's id
    LogLevels levels = {};
    std::shared_ptr<LogSink> sink = {};
    std::uint32_t rate = 10;  ///< most records of one event in a second, down to level info; 0: unlimited
  };

  /// A log that is off for good.
  constexpr Log() noexcept = default;
  explicit Log(Settings settings);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// The log that is off: for parts that were given none.
  static const Log& none() noexcept;

  /// True if events of this level are wanted. One relaxed load.
  bool on(LogModule module, LogLevel level) const noexcept {
    return levels_[static_cast<std::size_t>(module)].load(std::memory_order_relaxed) >= level;
  }
  /// Writes a record, whatever the level. For CORBEL_LOG, whose `event` is a literal.
  void write(LogModule module, LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) const noexcept;

  /// Tells what was left out and lets the sink write what it kept back.
  void flush() const noexcept;
  /// From now on; also while others log. Does nothing if the log is off for good.
  void set_levels(const LogLevels& levels) noexcept;
  LogLevels levels() const noexcept;

 private:
  struct State;

  std::array<std::atomic<LogLevel>, kLogModules> levels_{};
  State* state_ = nullptr;  // owned; null: off for good
};

/// While one exists, what the thread logs is left out: threads that sinks run on must not log their own doing.
class CORBEL_API LogSilence {
 public:
  LogSilence() noexcept;
  ~LogSilence();
  LogSilence(const LogSilence&) = delete;
  LogSilence& operator=(const LogSilence&) = delete;

 private:
  bool before_;
};

/// Longest line that the functions below write.
inline constexpr std::size_t kLongestLogLine = 4000;
/// Writes the record as one line, without its end: "[time] [process.thread] level module: event name=value ...". Text
/// is printable UTF-8 and quoted where it has to be; control characters are escaped. Returns the line's length.
CORBEL_API std::size_t format_log_text(const LogRecord& record, bool with_time,
                                       std::span<char, kLongestLogLine> line) noexcept;
/// The same as an object in JSON: time, level, module, event, process, thread, orb, and the fields in an object.
CORBEL_API std::size_t format_log_json(const LogRecord& record, std::span<char, kLongestLogLine> line) noexcept;

}  // namespace corbel::base

/// See the top of this file.
#define CORBEL_LOG(log, module, level, event, ...)                                                         \
  do {                                                                                                     \
    if (const ::corbel::base::Log& corbel_log_ = (log);                                                    \
        corbel_log_.on(::corbel::base::LogModule::module, ::corbel::base::LogLevel::level)) [[unlikely]] { \
      try {                                                                                                \
        corbel_log_.write(::corbel::base::LogModule::module, ::corbel::base::LogLevel::level, "" event "", \
                          {__VA_ARGS__});                                                                  \
      } catch (...) { /* by a field's expression: nothing is worth a failure here */                       \
      }                                                                                                    \
    }                                                                                                      \
  } while (false)
