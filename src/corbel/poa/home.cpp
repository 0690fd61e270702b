// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/home.hpp"

#include <algorithm>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/poa/poa_face.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

Home& Home::instance() {
  static Home& home = *new Home;  // never destroyed: servants may outlive everything else
  return home;
}

/// The default ORB is the one with the empty id, or the oldest if there is none. In a forked child those of the parent
/// do not count.
CORBA::object_reference<PortableServer::POA> Home::default_poa() {
  base::SharedPtr<AdapterSpace> chosen;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& space : spaces_) {
      if (space->closed() || space->core().left_behind()) continue;
      if (chosen == nullptr || space->core().options().id.empty()) chosen = space;
    }
  }
  const auto root = chosen == nullptr ? nullptr : chosen->root();
  if (root == nullptr) {
    throw CORBA::BAD_INV_ORDER(corba::minor::kNoObjectAdapter, CORBA::CompletionStatus::COMPLETED_NO,
                               "no ORB of this process is running");
  }
  return as_poa(root);
}

CORBA::object_reference<CORBA::Object> Home::reference_of(PortableServer::Servant& servant) {
  const Upcall* upcall = Upcall::current();
  if (upcall != nullptr && &upcall->servant() == &servant) {
    Poa& poa = upcall->poa();
    return orb::or_no_memory(
        [&] { return as_object(poa, poa.make_reference(upcall->id(), servant._interface_in(upcall->id(), poa))); });
  }
  const KnownServant owner(servant.shared_from(&servant));
  const auto poa = servant._default_POA();
  if (owner == nullptr || poa == nullptr) {
    throw CORBA::OBJ_ADAPTER(
        corba::minor::kServantProblem, CORBA::CompletionStatus::COMPLETED_NO,
        owner == nullptr ? "the servant was not made by CORBA::make_reference" : "the servant has no default POA");
  }
  return poa->servant_to_reference(owner);
}

CORBA::object_reference<PortableServer::POA> Home::poa_of(corba::AdapterCore& adapter) {
  auto* const face = dynamic_cast<PoaFace*>(static_cast<Poa*>(&adapter));
  return face == nullptr ? nullptr : as_poa(face->self());
}

void Home::add(base::SharedPtr<AdapterSpace> space) {
  const std::lock_guard lock(mutex_);
  spaces_.push_back(std::move(space));
}

void Home::remove(const AdapterSpace& space) {
  base::SharedPtr<AdapterSpace> removed;  // goes after the lock
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const auto& other) { return other.get() == &space; };
  const auto found = std::find_if(spaces_.begin(), spaces_.end(), is_it);
  if (found == spaces_.end()) return;
  removed = std::move(*found);
  spaces_.erase(found);
}

}  // namespace corbel::poa
