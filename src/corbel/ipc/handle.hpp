// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"

namespace corbel::ipc {

namespace detail {

/// close(2). A function of the number, not of the Handle, so that a compiler may keep a handle in a register.
CORBEL_API void close_descriptor(int descriptor) noexcept;

}  // namespace detail

/// Owner of one file descriptor; closes it when it goes. Move-only. Not thread-safe, like any value.
class CORBEL_API Handle {
 public:
  static constexpr int kNone = -1;

  constexpr Handle() noexcept = default;
  /// Becomes owner of `descriptor` (kNone: owns nothing).
  constexpr explicit Handle(int descriptor) noexcept : descriptor_(descriptor) {}
  Handle(Handle&& other) noexcept : descriptor_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    reset(other.release());
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (descriptor_ != kNone) close();
  }

  constexpr int get() const noexcept { return descriptor_; }
  constexpr explicit operator bool() const noexcept { return descriptor_ != kNone; }
  /// Gives the descriptor to the caller, which must close it.
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, kNone); }
  /// Closes what it owns and becomes owner of `descriptor`.
  void reset(int descriptor = kNone) noexcept {
    if (descriptor_ != kNone) close();
    descriptor_ = descriptor;
  }
  /// Closes now. Errors of close(2) are of no use to a caller (the descriptor is gone in any case) and are dropped.
  void close() noexcept { detail::close_descriptor(release()); }
  /// A second descriptor for the same open file, close-on-exec.
  base::Result<Handle> duplicate() const;

 private:
  int descriptor_ = kNone;
};

/// Switches O_NONBLOCK of any descriptor.
CORBEL_API base::Status set_non_blocking(int descriptor, bool on) noexcept;

/// What to wait for.
enum class Ready : short { readable = 1, writable = 4 };

/// Waits with poll(2) until `descriptor` is ready (or in error, which the next operation will report). Errors:
/// timed_out (would_block for Deadline::now()), and what poll reports, all with `stage`. Signals do not end the wait.
CORBEL_API base::Status wait_ready(int descriptor, Ready ready, base::Deadline deadline, base::Stage stage) noexcept;

/// Sleeps until so many octets can be received from a stream socket, or its queue is full, or `most` has passed: a
/// receiver that would take them one piece after the other is woken once. Nobody else may receive meanwhile.
CORBEL_API void wait_for_octets(int descriptor, std::size_t octets, base::Duration most) noexcept;

/// Octets that a connected TCP socket was given and that might be lost if it were closed now: the system has not sent
/// them, because the peer takes no more of them, or, where there is something that nobody has read, the peer's system
/// has not acknowledged them. 0 if it cannot tell.
CORBEL_API std::size_t unsent(int descriptor) noexcept;

}  // namespace corbel::ipc
