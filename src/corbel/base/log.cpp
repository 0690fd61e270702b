// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/log.hpp"

#include <time.h>
#include <unistd.h>

#include <mutex>
#include <utility>

#include "corbel/base/log_rate.hpp"
#include "corbel/base/patient_lock.hpp"

namespace corbel::base {
namespace {

constexpr std::string_view kLevelNames[] = {"off", "error", "warning", "info", "debug", "trace"};
constexpr std::string_view kModuleNames[] = {"orb",       "client",    "server", "connection",
                                             "transport", "messaging", "poa",    "reactor"};
static_assert(std::size(kModuleNames) == kLogModules);
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Duration kPatience = std::chrono::milliseconds(100);

/// The calling thread is in a sink.
thread_local bool silent = false;

std::int64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * kSecond + t.tv_nsec;
}

template <std::size_t N>
int index_of(const std::string_view (&names)[N], std::string_view name) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

constinit const Log kNone;

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  return kLevelNames[static_cast<std::size_t>(level) % std::size(kLevelNames)];
}

std::string_view to_string(LogModule module) noexcept {
  return kModuleNames[static_cast<std::size_t>(module) % kLogModules];
}

bool LogLevels::read(std::string_view text) noexcept {
  LogLevels levels = *this;
  std::array<bool, kLogModules> named{};
  int for_all = -1;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t equals = word.find('=');
    const bool one = equals != std::string_view::npos;
    const int level = index_of(kLevelNames, one ? word.substr(equals + 1) : word);
    const int module = one ? index_of(kModuleNames, word.substr(0, equals)) : 0;
    if (level < 0 || module < 0) return false;
    if (one) {
      levels.of[static_cast<std::size_t>(module)] = static_cast<LogLevel>(level);
      named[static_cast<std::size_t>(module)] = true;
    } else {
      for_all = level;
    }
    begin = end + 1;
  }
  for (std::size_t i = 0; i < kLogModules && for_all >= 0; ++i) {
    if (!named[i]) levels.of[i] = static_cast<LogLevel>(for_all);
  }
  *this = levels;
  return true;
}

LogSink::~LogSink() = default;
void LogSink::flush() {}

LogSilence::LogSilence() noexcept : before_(std::exchange(silent, true)) {}
LogSilence::~LogSilence() {
  silent = before_;
}

struct Log::State {
  explicit State(Settings from) : settings(std::move(from)), rate(settings.rate) {}

  /// Hands a record to the sink. While it is there, this thread logs nothing else.
  void write(LogModule module, LogLevel level, std::string_view event, std::span<const LogField> fields) noexcept {
    const LogSilence silence;
    try {
      settings.sink->write({read_clock(CLOCK_REALTIME), level, module, event, fields, settings.orb,
                            static_cast<std::uint64_t>(::gettid())});
    } catch (...) {  // a sink that fails cannot be reported
    }
  }

  void tell_left_out(std::int64_t second) noexcept {
    LogRate::Summary summary;
    std::size_t count = 0;
    {
      const auto lock = lock_patiently(mutex, kPatience);
      if (!lock.owns_lock()) return;
      count = rate.take_left_out(second, summary);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const LogField fields[] = {{"event", summary[i].event}, {"records", summary[i].records}};
      write(summary[i].module, LogLevel::warning, "repeated too often, left out", fields);
    }
  }

  const Settings settings;
  Mutex mutex;  // guards what follows
  LogRate rate;
};

Log::Log(Settings settings) {
  if (settings.sink == nullptr) return;
  const LogLevels levels = settings.levels;
  state_ = new State(std::move(settings));
  set_levels(levels);
}

Log::~Log() {
  flush();
  delete state_;
}

void Log::flush() const noexcept {
  if (state_ == nullptr || silent) return;
  constexpr std::int64_t kNow = -2;  // no second in which something was written
  state_->tell_left_out(kNow);
  try {
    state_->settings.sink->flush();
  } catch (...) {  // this cannot be reported
  }
}

const Log& Log::none() noexcept {
  return kNone;
}

void Log::write(LogModule module, LogLevel level, std::string_view event,
                std::initializer_list<LogField> fields) const noexcept {
  if (state_ == nullptr || silent) return;
  if (level <= LogLevel::info) {
    const std::int64_t second = read_clock(CLOCK_MONOTONIC_COARSE) / kSecond;
    state_->tell_left_out(second);
    const auto lock = lock_patiently(state_->mutex, kPatience);
    if (!lock.owns_lock() || !state_->rate.admit(module, event, second)) return;
  }
  state_->write(module, level, event, {fields.begin(), fields.size()});
}

void Log::set_levels(const LogLevels& levels) noexcept {
  if (state_ == nullptr) return;
  for (std::size_t i = 0; i < kLogModules; ++i) levels_[i].store(levels.of[i], std::memory_order_relaxed);
}

LogLevels Log::levels() const noexcept {
  LogLevels levels;
  for (std::size_t i = 0; i < kLogModules; ++i) levels.of[i] = levels_[i].load(std::memory_order_relaxed);
  return levels;
}

}  // namespace corbel::base
