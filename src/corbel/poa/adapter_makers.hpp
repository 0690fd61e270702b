// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/policy_core.hpp"

namespace corbel::poa {

class AdapterSpace;
class Manager;
class Poa;
struct AdapterPolicies;
struct PoaSlot;

/// What an adapter is made of; `parent`: null for the root.
struct PoaMaking {
  base::SharedPtr<AdapterSpace> space;
  base::SharedPtr<Poa> parent;
  std::string name;
  base::SharedPtr<Manager> manager;
  const AdapterPolicies& policies;
  PoaSlot& slot;
};

/// Makes adapters, their managers and policies as a mapping has them. None is null.
struct AdapterMakers {
  base::SharedPtr<Poa> (*poa)(PoaMaking making);
  base::SharedPtr<Manager> (*manager)(base::SharedPtr<AdapterSpace> space, std::string id);
  /// The policy of the type; null if the adapter has none.
  corba::PolicyCorePtr (*policy)(const AdapterPolicies& policies, std::uint32_t type);
};

}  // namespace corbel::poa
