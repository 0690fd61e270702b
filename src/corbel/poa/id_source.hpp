// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "corbel/base/bytes.hpp"

namespace corbel::poa {

/// Makes what must never repeat: the id of this run of the process and object ids that carry it (16 octets: run and
/// counter), for references to objects that aren't active yet and for persistent POAs. Thread-safe.
class IdSource {
 public:
  /// A run id of random octets, different from every other run's but for 1 in 2^64.
  IdSource();

  std::uint64_t run() const noexcept { return run_; }
  /// A new object id.
  std::vector<std::uint8_t> next_id();
  /// True if next_id() of this run, or with `any_run` of any run, may have made it.
  bool may_have_made(base::ConstByteSpan id, bool any_run) const noexcept;

 private:
  const std::uint64_t run_;
  std::atomic<std::uint64_t> counter_{0};
};

}  // namespace corbel::poa
