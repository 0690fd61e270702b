// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"

namespace corbel::base {

/// A sink that keeps what it gets, for tests:
///
///   auto kept = std::make_shared<base::KeptLog>();
///   const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
///   ...
///   EXPECT_EQ(kept->wait_for("connection closed").value("reason"), "the peer closed it");
class KeptLog final : public LogSink {
 public:
  /// What a test looks at.
  struct Entry {
    LogLevel level = LogLevel::off;
    LogModule module = LogModule::orb;
    std::string event;
    std::string orb;
    std::vector<std::pair<std::string, std::string>> fields;  ///< numbers in decimal, errors in words

    /// The value of a field; "(none)" if there is no such field.
    std::string value(std::string_view name) const {
      for (const auto& [field, text] : fields) {
        if (field == name) return text;
      }
      return "(none)";
    }
  };

  static LogLevels everything() {
    LogLevels levels;
    levels.of.fill(LogLevel::trace);
    return levels;
  }

  void write(const LogRecord& record) override {
    Entry entry{record.level, record.module, std::string(record.event), std::string(record.orb), {}};
    for (const LogField& field : record.fields) entry.fields.emplace_back(field.name, to_string(field));
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    changed_.notify_all();
  }

  std::vector<Entry> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }
  std::size_t count(std::string_view event) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const Entry& entry : entries_) count += entry.event == event ? 1 : 0;
    return count;
  }
  /// The first record of this event, waiting up to a minute for it; an entry of level off if there is none.
  Entry wait_for(std::string_view event) const {
    std::unique_lock lock(mutex_);
    Entry found;
    (void)changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      for (const Entry& entry : entries_) {
        if (entry.event == event) return found = entry, true;
      }
      return false;
    });
    return found;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Entry> entries_;
};

}  // namespace corbel::base
