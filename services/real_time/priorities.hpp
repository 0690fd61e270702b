// SPDX-License-Identifier: Apache-2.0
// Priorities of threads: what RTCORBA::Current shows, and what the operating system is told of it. Knows no ORB.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <corbel/mapping/rtcorba_natives.hpp>

#include "corbel_real_time.hpp"

namespace corbel::real_time {

using Priority = std::int16_t;

/// What a priority of CORBA is to the operating system, in a scheduling class: with Scheduling::other the same number,
/// which the system is not told; else linear from the lowest to the highest of the class, as TAO's linear mapping.
class DefaultMapping final : public RTCORBA::PriorityMapping {
 public:
  explicit DefaultMapping(Scheduling scheduling) noexcept;
  /// With the bounds of a class given, for tests.
  DefaultMapping(std::int16_t lowest, std::int16_t highest) noexcept : lowest_(lowest), highest_(highest) {}
  bool to_native(std::int16_t corba_priority, std::int16_t& native_priority) override;
  /// The lowest of the priorities that become the native one.
  bool to_CORBA(std::int16_t native_priority, std::int16_t& corba_priority) override;

 private:
  std::int16_t lowest_;
  std::int16_t highest_;
};

/// A request that has a priority, from before its upcall until that or the request is over. Made on the thread that
/// runs the upcall; may end on another one: its own thread is rid of it when it settles.
struct Held {
  Held(Priority its, std::optional<Priority> then) noexcept : priority(its), rest(then) {}
  Priority priority;                   ///< of its thread only
  const std::optional<Priority> rest;  ///< of the thread when nothing else says more; nothing: what it was made with
  int refused = 0;  ///< why the operating system has not given the thread this priority at first (errno)
  std::atomic<bool> over{false};
};

/// The priorities of the threads of a process, as the settings have it. Thread-safe; each thread sees its own.
class Priorities {
 public:
  explicit Priorities(const Settings& settings);

  /// Of the calling thread: that of the request it runs, else what was set; nothing if neither is there.
  std::optional<Priority> get() const;
  /// As get(); if there is none, what the thread's priority in the operating system is to CORBA.
  Priority get_or_native() const;
  /// Changes it, until the end of the request that runs or, without one, for good. False if the mapping has no native
  /// priority for it, and nothing has changed.
  bool set(Priority priority);
  /// True if set() would.
  bool is_mapped(Priority priority) const;

  /// The calling thread begins to run a request; null if the mapping has no such priority. `rest`: to the operating
  /// system the thread has this one afterwards, as it is of a pool's lane; nothing: what it had before.
  std::shared_ptr<Held> begin(Priority priority, std::optional<Priority> rest = std::nullopt);
  /// It has ended; on its own thread, that has settled.
  void end(Held& held) noexcept;
  /// The calling thread has what belongs to the requests that it still runs: of some that are over, others said so.
  void settle() noexcept;

  /// The operating system did not do something. The first is remembered.
  void note_refusal(std::string what) noexcept;
  /// What that was, and why; empty if it did all.
  std::string refused() const;

 private:
  int tell(std::int16_t native) noexcept;
  void tell_mapped(Priority priority) noexcept;

  const Scheduling scheduling_;
  const std::shared_ptr<RTCORBA::PriorityMapping> mapping_;
  mutable std::mutex mutex_;  // guards refused_
  std::string refused_;
};

}  // namespace corbel::real_time
