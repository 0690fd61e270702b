// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/oneways.hpp"

#include "corbel/orb/branching_target.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/local_target.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

bool flush_oneways(const CORBA::object_reference<CORBA::Object>& object, base::Duration timeout) {
  const auto deadline = base::Deadline::after(timeout);
  const corba::TargetPtr& target = object->_target();
  if (target == nullptr) return true;
  if (auto* const remote = dynamic_cast<RemoteTarget*>(target.get())) return remote->flush_oneways(deadline);
  if (auto* const parted = dynamic_cast<BranchingTarget*>(target.get())) return parted->flush_oneways(deadline);
  return flush_oneways_elsewhere(*target, deadline);  // calls of objects of this process do not wait
}

bool flush_oneways(CORBA::ORB& orb, base::Duration timeout) {
  Core& core = orb._core();
  core.check_process();
  const auto deadline = base::Deadline::after(timeout);
  bool flushed = core.cache().flush_oneways(deadline);
  for (const auto& connection : core.connections(true)) {
    const bool asks = connection->is_opened_here() || connection->lender() != nullptr;
    if (asks && connection->keeps_replies()) flushed = connection->flush_oneways(deadline).ok() && flushed;
  }
  return flushed;
}

}  // namespace corbel::orb
