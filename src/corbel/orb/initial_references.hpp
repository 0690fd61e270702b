// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/face.hpp"

namespace corbel::orb {

/// The names that resolve_initial_references knows. Owned by the ORB; thread-safe.
class InitialReferences {
 public:
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  InitialReferences(Face& face, std::vector<LocalInitialReference> locals) noexcept
      : face_(face), core_(face.core()), locals_(std::move(locals)) {}

  /// Throws InvalidName or BAD_PARAM minor OMG 27.
  void add(const std::string& name, ObjectRef object);
  /// What was added under this name. Throws InvalidName.
  ObjectRef remove(const std::string& name);
  /// Throws InvalidName, or whatever reading a configured URL throws.
  ObjectRef resolve(const std::string& name);
  std::vector<std::string> names() const;
  /// A reference added under this name; nil if there is none.
  ObjectRef find_added(std::string_view name) const;
  /// Forgets all references, which keep the ORB alive.
  void clear();

 private:
  const LocalInitialReference* find_local(std::string_view name) const noexcept;

  Face& face_;
  Core& core_;
  const std::vector<LocalInitialReference> locals_;
  mutable base::ForkMutex mutex_;  // guards added_
  std::map<std::string, ObjectRef, std::less<>> added_;
};

}  // namespace corbel::orb
