// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "RTCORBA.hpp"

namespace corbel::real_time {

/// RTCORBA::Mutex (Real-time CORBA 1.2, 5.9): who holds it runs with the priority of the most urgent one that waits for
/// it (PTHREAD_PRIO_INHERIT). Thread-safe.
class InheritingMutex final : public RTCORBA::Mutex {
 public:
  /// Throws NO_RESOURCES if the system has none.
  InheritingMutex();
  ~InheritingMutex();

  /// Throws BAD_INV_ORDER if the calling thread has it, OBJECT_NOT_EXIST after destroy(), also to those that wait.
  void lock() override;
  /// Throws BAD_INV_ORDER if the calling thread does not have it.
  void unlock() override;
  /// `max_wait` in units of 100 ns, by the clock of the system; 0: not at all; more than a century: for ever. False if
  /// it was not to be had. Throws as lock().
  bool try_lock(TimeBase::TimeT max_wait) override;

  /// Nobody gets it any more; who has it may unlock it.
  void destroy() noexcept { destroyed_.store(true, std::memory_order_release); }

 private:
  bool taken(int error);

  pthread_mutex_t mutex_;
  std::atomic<bool> destroyed_{false};
};

/// The mutexes with names of one RTORB. Thread-safe.
class NamedMutexes {
 public:
  using Ref = IDL::traits<RTCORBA::Mutex>::ref_type;
  /// Made if there is none of the name, which `created` tells.
  Ref create(const std::string& name, bool& created);
  /// Throws MutexNotFound.
  Ref open(const std::string& name) const;
  /// If it has a name, nobody finds it any more.
  void forget(const Ref& mutex);

 private:
  mutable std::mutex mutex_;  // guards all_
  std::map<std::string, Ref> all_;
};

}  // namespace corbel::real_time
