// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/known_managers.hpp"

#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/poa/poa_face.hpp"

namespace corbel::poa {
namespace {

[[noreturn]] void forward(const PortableServer::ForwardRequest& request) {
  const auto reference = request.forward_reference();
  if (reference == nullptr || reference->_target() == nullptr) {
    throw CORBA::OBJ_ADAPTER(corba::minor::kNullServant, CORBA::CompletionStatus::COMPLETED_NO,
                             "the servant manager forwards to no remote object");
  }
  throw orb::LocationForward{reference->_target()->ior(), false};
}

}  // namespace

KnownServantManager::KnownServantManager(Ref manager)
    : manager_(std::move(manager)),
      activator_(dynamic_cast<PortableServer::ServantActivator*>(manager_._shared().get())),
      locator_(dynamic_cast<PortableServer::ServantLocator*>(manager_._shared().get())) {}

ServantRef KnownServantManager::incarnate(const ObjectId& id, Poa& poa) {
  try {
    return activator_->incarnate(id, as_poa(poa.self()))._shared();
  } catch (const PortableServer::ForwardRequest& request) {
    forward(request);
  }
}

void KnownServantManager::etherealize(const ObjectId& id, Poa& poa, const ServantRef& servant, bool cleanup,
                                      bool remaining) {
  activator_->etherealize(id, as_poa(poa.self()), as_known(servant), cleanup, remaining);
}

ServantRef KnownServantManager::preinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void*& cookie) {
  try {
    return locator_->preinvoke(id, as_poa(poa.self()), operation, cookie)._shared();
  } catch (const PortableServer::ForwardRequest& request) {
    forward(request);
  }
}

void KnownServantManager::postinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void* cookie,
                                     const ServantRef& servant) {
  locator_->postinvoke(id, as_poa(poa.self()), operation, cookie, as_known(servant));
}

bool KnownActivator::unknown_adapter(Poa& parent, const std::string& name) {
  try {
    return activator_->unknown_adapter(as_poa(parent.self()), name);
  } catch (const PortableServer::POA::AdapterAlreadyExists&) {
    return true;
  }
}

}  // namespace corbel::poa
