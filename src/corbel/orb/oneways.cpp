// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/oneways.hpp"

#include "corbel/orb/core.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

bool flush_oneways(const CORBA::object_reference<CORBA::Object>& object, base::Duration timeout) {
  // Calls of objects of this process do not wait.
  auto* const target = dynamic_cast<RemoteTarget*>(object->_target().get());
  return target == nullptr || target->flush_oneways(base::Deadline::after(timeout));
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
