// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::ipc {

/// A flag that can be waited for: its handle is readable exactly while it is set (an eventfd). Any thread may use it.
class CORBEL_API Event {
 public:
  /// An event that owns nothing; open() makes a real one.
  Event() noexcept = default;
  /// Not set. Error: out_of_resources (stage configure).
  static base::Result<Event> open() noexcept;

  /// Becomes owner of the handle of an event, as another process passed it.
  static Event adopt(Handle handle) noexcept { return Event(std::move(handle)); }

  bool is_open() const noexcept { return static_cast<bool>(handle_); }
  int handle() const noexcept { return handle_.get(); }
  /// Makes the handle readable; harmless if it is.
  void set() const noexcept;
  /// Makes the handle not readable; harmless if it is not.
  void clear() const noexcept;

 private:
  explicit Event(Handle handle) noexcept : handle_(std::move(handle)) {}
  Handle handle_;
};

}  // namespace corbel::ipc
