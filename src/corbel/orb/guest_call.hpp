// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

#include "corbel/base/condition.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::orb {

/// Runs a call-back of the application; what it throws is logged, and nothing else.
void run_guest(base::FunctionRef<void()> call_back, const base::Log& log) noexcept;

/// Whether a call-back may run: one thread at a time, and none after end(). Thread-safe.
class GuestCall {
 public:
  /// False if it has ended or a thread is in it already.
  bool begin() noexcept;
  /// After begin(), when it has returned. False if it has ended meanwhile.
  bool done() noexcept;
  /// It will not begin again. Waits until it has returned, unless the caller is in it: false then.
  bool end() noexcept;

 private:
  base::Mutex mutex_;  // guards what follows
  base::Condition changed_;
  std::thread::id runs_on_;
  bool ended_ = false;
};

}  // namespace corbel::orb
