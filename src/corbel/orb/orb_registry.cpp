// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/orb_registry.hpp"

#include <utility>

namespace corbel::orb {

OrbRegistry& OrbRegistry::instance() {
  // Never destroyed: an ORB that was not destroyed may have threads that run until the process ends.
  static OrbRegistry& registry = *new OrbRegistry;
  return registry;
}

/// With the lock: the ORB with the id, as soon as another thread has finished making it; nil if there is none.
OrbRegistry::OrbRef OrbRegistry::find(const std::string& id, std::unique_lock<base::ForkMutex>& lock) {
  for (;;) {
    const auto found = orbs_.find(id);
    if (found == orbs_.end()) return nullptr;
    const Entry& entry = found->second;
    const bool is_made = entry.maker == std::thread::id();
    // Its maker stayed behind in the parent process, and holds a reference for ever.
    if (!is_made && entry.generation != base::process_generation()) return nullptr;
    if (is_made || entry.maker == std::this_thread::get_id()) return entry.orb;
    // Waits as long as initialisers and plug-ins take: this caller wants an ORB in which they have had their say.
    const std::uint32_t changes = changes_.load(std::memory_order_acquire);
    lock.unlock();
    changes_.wait(changes, std::memory_order_acquire);
    lock.lock();
  }
}

OrbRegistry::OrbRef OrbRegistry::find_or_make(const std::string& id, const std::function<OrbRef()>& make,
                                              const std::function<void(const OrbRef&)>& initialise) {
  OrbRef orb;
  {
    std::unique_lock lock(mutex_);
    if (OrbRef found = find(id, lock); found != nullptr) return found;
    orb = make();
    orbs_.insert_or_assign(id, Entry{orb, std::this_thread::get_id(), base::process_generation()});
  }
  try {
    initialise(orb);
  } catch (...) {
    remove(id, *orb._shared());
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto found = orbs_.find(id);  // initialise() may have destroyed it
    if (found != orbs_.end() && found->second.orb == orb) found->second.maker = {};
  }
  note_change();
  return orb;
}

void OrbRegistry::remove(const std::string& id, const CORBA::ORB& orb) {
  OrbRef removed;  // released after the lock
  {
    const std::lock_guard lock(mutex_);
    const auto found = orbs_.find(id);
    if (found == orbs_.end() || found->second.orb._shared().get() != &orb) return;
    removed = std::move(found->second.orb);
    orbs_.erase(found);
  }
  note_change();
}

void OrbRegistry::note_change() noexcept {
  changes_.fetch_add(1, std::memory_order_acq_rel);
  changes_.notify_all();
}

}  // namespace corbel::orb
