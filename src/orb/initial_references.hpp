// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/corba/object.hpp"

namespace corbel::orb {

class Core;

/// The names that resolve_initial_references knows. Owned by the ORB; thread-safe.
class InitialReferences {
 public:
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  explicit InitialReferences(Core& core) noexcept : core_(core) {}

  /// Throws InvalidName or BAD_PARAM minor OMG 27.
  void add(const std::string& name, ObjectRef object);
  /// Throws InvalidName, or whatever reading a configured URL throws.
  ObjectRef resolve(const std::string& name);
  std::vector<std::string> names() const;
  /// A reference added under this name; nil if there is none.
  ObjectRef find_added(std::string_view name) const;
  /// Forgets all references, which keep the ORB alive.
  void clear();

 private:
  Core& core_;
  mutable std::mutex mutex_;  // guards added_
  std::map<std::string, ObjectRef, std::less<>> added_;
};

}  // namespace corbel::orb
