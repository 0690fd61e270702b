// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "corbel/base/fork.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// The ORBs of this process by id, each kept alive until it is destroyed. The one process-wide object that the
/// specification demands (ORB_init with the same id gives the same ORB). Thread-safe.
class OrbRegistry {
 public:
  using OrbRef = CORBA::object_reference<CORBA::ORB>;

  static OrbRegistry& instance();

  /// The ORB with the id. If there is none, `make` makes it and `initialise` finishes it; if that throws, the ORB is
  /// forgotten. `initialise` runs without a lock: it may ask for this ORB, which it gets as it is, and make and destroy
  /// others. Other threads that ask for the ORB meanwhile wait.
  OrbRef find_or_make(const std::string& id, const std::function<OrbRef()>& make,
                      const std::function<void(const OrbRef&)>& initialise);
  /// Forgets the ORB if it is the one registered under its id.
  void remove(const std::string& id, const CORBA::ORB& orb);

 private:
  struct Entry {
    OrbRef orb;
    std::thread::id maker;         ///< while it is being initialised
    std::uint32_t generation = 0;  ///< of the process that did
  };

  OrbRegistry() = default;
  OrbRef find(const std::string& id, std::unique_lock<base::ForkMutex>& lock);
  void note_change() noexcept;

  base::ForkMutex mutex_;  // guards orbs_
  std::map<std::string, Entry> orbs_;
  std::atomic<std::uint32_t> changes_{0};  // of orbs_; waited on (a condition variable would not survive a fork)
};

}  // namespace corbel::orb
