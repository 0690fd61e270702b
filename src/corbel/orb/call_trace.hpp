// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/base/log.hpp"

namespace corbel::orb {

/// The line per call that a client logs at level trace: made when the call begins, told when it is over. Costs a load,
/// a comparison and a branch where it is off.
class CallTrace {
 public:
  explicit CallTrace(const base::Log& log) noexcept
      : log_(log), begin_(log.on(base::LogModule::client, base::LogLevel::trace) ? now() : 0) {}

  bool on() const noexcept { return begin_ != 0; }
  /// `outcome`: "ok" or what was raised.
  void tell(std::string_view operation, base::ConstByteSpan key, std::string_view peer,
            std::string_view outcome) const noexcept;

 private:
  static std::int64_t now() noexcept;

  const base::Log& log_;
  const std::int64_t begin_;  // monotonic nanoseconds; 0: off
};

}  // namespace corbel::orb
