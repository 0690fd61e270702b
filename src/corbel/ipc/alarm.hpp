// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/deadline.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::ipc {

/// A time that can be waited for: its handle is readable from then on (a timerfd), until it is set to another one. Any
/// thread may use it.
class Alarm {
 public:
  /// For never. Error: out_of_resources (stage configure).
  static base::Result<Alarm> open() noexcept;

  int handle() const noexcept { return handle_.get(); }
  /// In so long; zero: at once.
  void set(base::Duration after) const noexcept;
  void clear() const noexcept;

 private:
  explicit Alarm(Handle handle) noexcept : handle_(std::move(handle)) {}
  Handle handle_;
};

}  // namespace corbel::ipc
