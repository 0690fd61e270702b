// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/manager_registry.hpp"

#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/poa/adapter_space.hpp"
#include "corbel/poa/manager.hpp"

namespace corbel::poa {

ManagerRegistry::ManagerPtr ManagerRegistry::make(const base::SharedPtr<AdapterSpace>& space, const std::string& id) {
  auto manager = space->makers().manager(space, id);
  return enter(manager, id, true) ? manager : nullptr;
}

ManagerRegistry::ManagerPtr ManagerRegistry::make_implicit(const base::SharedPtr<AdapterSpace>& space,
                                                           const std::string& wanted) {
  std::string id = wanted;
  for (unsigned number = 2;; ++number) {
    auto manager = space->makers().manager(space, id);
    if (enter(manager, id, false)) return manager;
    id = wanted + '#' + std::to_string(number);
  }
}

bool ManagerRegistry::enter(const ManagerPtr& manager, const std::string& id, bool keep) {
  ManagerPtr existing;
  const std::lock_guard lock(mutex_);
  if (keep && closed_) {
    corba::raise("OBJECT_NOT_EXIST", corba::minor::kAdapterGone, corba::Completed::no,
                 "the ORB of the POA manager factory has been shut down");
  }
  Entry& entry = entries_[id];
  // A manager that is being destroyed waits in leave() and no longer counts.
  existing = entry.owned.lock();
  if (existing != nullptr) return false;
  entry = {manager.get(), manager, keep ? manager : nullptr};
  return true;
}

ManagerRegistry::ManagerPtr ManagerRegistry::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.owned.lock();
}

std::vector<ManagerRegistry::ManagerPtr> ManagerRegistry::list() {
  std::vector<ManagerPtr> result;
  const std::lock_guard lock(mutex_);
  result.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) {
    if (auto owner = entry.owned.lock(); owner != nullptr) result.push_back(std::move(owner));
  }
  return result;
}

base::SharedPtr<ManagerRegistry::Attached> ManagerRegistry::attached(
    base::FunctionRef<base::SharedPtr<Attached>()> make) {
  const std::lock_guard lock(mutex_);
  auto existing = attached_.lock();
  if (existing == nullptr) attached_ = existing = make();
  return existing;
}

void ManagerRegistry::used(const Manager& manager) {
  ManagerPtr kept;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(manager.id());
  if (found != entries_.end() && found->second.manager == &manager) kept.swap(found->second.unused);
}

std::vector<ManagerRegistry::ManagerPtr> ManagerRegistry::close() {
  std::vector<ManagerPtr> unused;
  std::vector<ManagerPtr> all;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  unused.reserve(entries_.size());
  all.reserve(entries_.size());
  for (auto& [id, entry] : entries_) {
    unused.push_back(std::move(entry.unused));
    if (auto owner = entry.owned.lock(); owner != nullptr) all.push_back(std::move(owner));
  }
  return all;
}

void ManagerRegistry::leave(const Manager& manager) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(manager.id());
  if (found != entries_.end() && found->second.manager == &manager) entries_.erase(found);
}

}  // namespace corbel::poa
