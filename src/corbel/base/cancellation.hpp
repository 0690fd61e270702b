// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/base/export.hpp"
#include "corbel/base/fork.hpp"

namespace corbel::base {

/// Lets one thread end what others wait for while they open connections, which no deadline foresaw. Thread-safe;
/// outlives its scopes. In a child of fork() it ends nothing: what its parent's threads waited for is theirs.
class CORBEL_API Cancellation {
 public:
  /// While it lives, waits that the calling thread begins belong to this. The innermost counts.
  class CORBEL_API Scope {
   public:
    explicit Scope(Cancellation& cancellation) noexcept;
    ~Scope();
    /// True if waits that the calling thread begins can be ended.
    static bool is_open() noexcept;
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Cancellation* const outer_;
  };

  /// A wait of the calling thread, which `end(what)` ends; of no effect outside a Scope. `end` is called by another
  /// thread, at most once and not after the destructor, with a lock held: it does not wait. Null:
  /// who waits asks now and then.
  class CORBEL_API Wait {
   public:
    using End = void (*)(void* what) noexcept;
    Wait(End end, void* what) noexcept;
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    /// True if it was to end; then it is not worth while to begin. Any thread.
    bool cancelled() const noexcept;

   private:
    friend class Cancellation;
    Cancellation* const cancellation_;
    const End end_;
    void* const what_;
    Wait* next_ = nullptr;
    Wait* previous_ = nullptr;
  };

  /// Ends all that is waited for, and all that will be.
  void cancel() noexcept;

 private:
  bool is_here() const noexcept { return process_ == process_generation(); }

  const std::uint32_t process_ = process_generation();
  std::atomic<bool> cancelled_{false};
  mutable ForkMutex mutex_;  // guards what follows
  Wait* first_ = nullptr;
};

}  // namespace corbel::base
