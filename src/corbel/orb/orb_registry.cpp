// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/orb_registry.hpp"

namespace corbel::orb {

OrbRegistry& OrbRegistry::instance() {
  // Never destroyed: an ORB that nobody destroyed may have threads that run until the process ends.
  static OrbRegistry& registry = *new OrbRegistry;
  return registry;
}

OrbRegistry::OrbRef OrbRegistry::find_or_make(const std::string& id, const std::function<OrbRef()>& make) {
  const std::lock_guard lock(mutex_);
  OrbRef& orb = orbs_[id];
  if (orb == nullptr) orb = make();
  return orb;
}

void OrbRegistry::remove(const std::string& id, const CORBA::ORB& orb) {
  OrbRef removed;  // released after the lock
  const std::lock_guard lock(mutex_);
  const auto found = orbs_.find(id);
  if (found == orbs_.end() || found->second._shared().get() != &orb) return;
  removed = std::move(found->second);
  orbs_.erase(found);
}

}  // namespace corbel::orb
