// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/corba/object.hpp"

namespace corbel::orb {

/// What an object adapter gives to applications of this mapping by name. Thread-safe.
class LocalReferences {
 public:
  /// The initial reference that it provides under this name ("RootPOA", "POACurrent", "IORTable"); nil if none.
  virtual CORBA::object_reference<CORBA::Object> initial_reference(std::string_view name) = 0;

 protected:
  ~LocalReferences() = default;
};

}  // namespace corbel::orb
