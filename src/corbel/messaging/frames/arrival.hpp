// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "corbel/base/export.hpp"

/// What applications get to know of frames besides their arguments, and say of them.
namespace corbel::messaging::frames {

/// A frame that has come.
struct Arrival {
  std::uint32_t sequence = 0;  ///< one more for each frame that its sender sends to this place; wraps
  std::uint32_t source = 0;    ///< tells its sender from others over the same carrier; 0 where there is one
  std::uint32_t stamp_us = 0;  ///< microseconds of the sender's clock when it was made or captured; wraps
  /// The same as the sender's wall clock showed it; nothing until the sender has told (with its first frames, and
  /// every 200 ms). Frames of several streams from one host that show the same moment belong together, however long
  /// each took.
  std::optional<std::chrono::system_clock::time_point> captured;
  std::chrono::steady_clock::time_point arrived;  ///< by the clock of this host
};

/// The frame that the calling thread received last: in an operation that is invoked by frames, the one that invoked
/// it. nullptr if there was none. In one that something else invokes, or that runs on another thread than the one that
/// received it (MAIN_THREAD_MODEL), it says nothing of what invoked it. Valid until the thread returns from the
/// operation.
CORBEL_API const Arrival* last_arrival() noexcept;

/// While it lives, frames that its thread sends bear the stamp of the moment at which what they carry was captured, in
/// place of that at which they are sent. Of one thread; the last one made counts until it is gone.
class CORBEL_API Captured {
 public:
  explicit Captured(std::chrono::steady_clock::time_point when) noexcept;
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

 private:
  const std::int64_t before_;
};

}  // namespace corbel::messaging::frames
