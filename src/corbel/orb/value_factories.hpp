// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/corba/value.hpp"

namespace corbel::orb {

/// The factories of valuetypes that an application has registered with an ORB, by repository id. Thread-safe.
class ValueFactories {
 public:
  using Factory = CORBA::object_reference<CORBA::ValueFactoryBase>;

  /// Nil if there is none.
  Factory find(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = factories_.find(id);
    return found == factories_.end() ? Factory() : found->second;
  }
  /// Registers, or removes with nil; returns what was there.
  Factory exchange(const std::string& id, Factory factory) {
    const std::lock_guard lock(mutex_);
    auto& slot = factories_[id];
    Factory before = std::exchange(slot, std::move(factory));
    if (slot == nullptr) factories_.erase(id);
    return before;
  }

 private:
  mutable base::ForkMutex mutex_;
  std::map<std::string, Factory, std::less<>> factories_;
};

}  // namespace corbel::orb
