// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/base/log.hpp"

namespace corbel::base {

/// A record that owns its text.
class KeptRecord {
 public:
  explicit KeptRecord(const LogRecord& record) : record_(record), event_(record.event), orb_(record.orb) {
    texts_.reserve(2 * record.fields.size());  // no string moves: the fields are views of them
    for (const LogField& field : record.fields) {
      constexpr std::size_t kMost = 1000;  // no line shows more
      LogField kept = field;
      kept.name = texts_.emplace_back(field.name);
      kept.text = texts_.emplace_back(field.text.substr(0, kMost));
      fields_.push_back(kept);
    }
  }
  KeptRecord(KeptRecord&&) noexcept = default;
  KeptRecord& operator=(KeptRecord&&) noexcept = default;

  /// A view of this.
  LogRecord record() const noexcept {
    LogRecord record = record_;
    record.event = event_;
    record.orb = orb_;
    record.fields = fields_;
    return record;
  }

 private:
  LogRecord record_;
  std::string event_;
  std::string orb_;
  std::vector<std::string> texts_;
  std::vector<LogField> fields_;
};

}  // namespace corbel::base
