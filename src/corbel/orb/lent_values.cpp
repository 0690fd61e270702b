// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/lent_values.hpp"

#include "corbel/orb/branching_target.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

transport::LentMemory lend_octets(const CORBA::object_reference<CORBA::Object>& object, std::size_t octets) {
  const corba::TargetPtr& target = object->_target();
  if (auto* const remote = dynamic_cast<RemoteTarget*>(target.get())) return remote->lend(octets);
  if (auto* const parted = dynamic_cast<BranchingTarget*>(target.get())) return parted->lend(octets);
  return {};  // an object of this process is given the values themselves
}

}  // namespace corbel::orb
