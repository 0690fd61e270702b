// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/poa_face.hpp"

#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/poa/known_managers.hpp"
#include "corbel/poa/manager_face.hpp"
#include "corbel/poa/policy_lists.hpp"

namespace corbel::poa {
namespace {

using CORBA::CompletionStatus;

const ior::Ior* ior_of(const ObjectRef& reference) {
  return reference == nullptr || reference->_target() == nullptr ? nullptr : &reference->_target()->ior();
}

/// Throws InvalidPolicy if the ORB has not the lanes that the policies name.
void check_lanes(const AdapterPolicies& policies, const orb::Core& core) {
  bool known = core.has_lane(policies.lane);
  if (policies.lane_group != nullptr) {
    for (const std::string& lane : policies.lane_group->lanes()) known = known && core.has_lane(lane);
  }
  if (!known) throw PortableServer::POA::InvalidPolicy(policies.lane_index);
}

}  // namespace

KnownServant as_known(const ServantRef& servant) {
  KnownServant known(base::dynamic_pointer_cast<PortableServer::Servant>(servant));
  if (known == nullptr && servant != nullptr) {
    throw CORBA::OBJ_ADAPTER(corba::minor::kServantProblem, CompletionStatus::COMPLETED_NO,
                             "the servant is one of another C++ mapping");
  }
  return known;
}

PoaRef as_poa(const base::SharedPtr<Poa>& poa) {
  if (poa == nullptr) return nullptr;
  return PoaRef(base::SharedPtr<PortableServer::POA>(poa, static_cast<PoaFace*>(poa.get())));
}

ObjectRef as_object(const Poa& poa, ior::Ior ior) {
  return orb::face_of(poa.space().core()).make_object(std::move(ior));
}

base::SharedPtr<Poa> PoaFace::make_one(PoaMaking making) {
  return base::make_shared<PoaFace>(std::move(making));
}

PoaRef PoaFace::create_POA(const std::string& adapter_name,
                           IDL::traits<PortableServer::POAManager>::ref_type a_POAManager,
                           const CORBA::PolicyList& policies) {
  return orb::or_no_memory([&] {
    check_exists();
    check_name(adapter_name);
    orb::Core& core = space().core();
    const AdapterPolicies resolved = resolve_policies(policies, core.attached_hooks());
    check_lanes(resolved, core);
    const base::SharedPtr<AdapterSpace> shared = space().shared_from(&space());
    base::SharedPtr<Manager> manager;
    if (a_POAManager == nullptr) {
      manager = space().managers().make_implicit(shared, path().empty() ? adapter_name : path() + '/' + adapter_name);
    } else {
      manager = base::dynamic_pointer_cast<ManagerFace>(a_POAManager._shared());
      if (manager == nullptr || &manager->space() != &space()) {
        throw CORBA::BAD_PARAM(corba::minor::kServantProblem, CompletionStatus::COMPLETED_NO,
                               "the POA manager belongs to another ORB");
      }
    }
    if (resolved.both_ways) core.bidirectional().serve();
    return as_poa(make(shared, self(), adapter_name, std::move(manager), resolved));
  });
}

PoaRef PoaFace::find_POA(const std::string& adapter_name, bool activate_it) {
  return orb::or_no_memory([&] {
    check_exists();
    const auto found = child(adapter_name, activate_it ? Missing::activate : Missing::leave);
    if (found == nullptr) throw AdapterNonExistent();
    return as_poa(found);
  });
}

void PoaFace::destroy(bool etherealize_objects, bool wait_for_completion) {
  orb::or_no_memory([&] { Poa::destroy(etherealize_objects, wait_for_completion); }, corba::Completed::maybe);
}

std::string PoaFace::the_name() {
  return orb::or_no_memory([&] { return Poa::the_name(); });
}

PoaRef PoaFace::the_parent() {
  return as_poa(Poa::the_parent());
}

PortableServer::POAList PoaFace::the_children() {
  return orb::or_no_memory([&] {
    PortableServer::POAList list;
    for (const auto& poa : Poa::the_children()) list.push_back(as_poa(poa));
    return list;
  });
}

IDL::traits<PortableServer::POAManager>::ref_type PoaFace::the_POAManager() {
  return ManagerFace::as_ref(manager());
}

IDL::traits<PortableServer::POAManagerFactory>::ref_type PoaFace::the_POAManagerFactory() {
  return orb::or_no_memory([&] {
    check_exists();
    return manager_factory(space().shared_from(&space()));
  });
}

IDL::traits<PortableServer::AdapterActivator>::ref_type PoaFace::the_activator() {
  const auto source = child_source();
  return source == nullptr ? nullptr : static_cast<const KnownActivator&>(*source).activator();
}

void PoaFace::the_activator(IDL::traits<PortableServer::AdapterActivator>::ref_type activator) {
  orb::or_no_memory([&] {
    set_child_source(activator == nullptr ? nullptr : base::make_shared<KnownActivator>(std::move(activator)));
  });
}

std::vector<std::uint8_t> PoaFace::id() {
  return orb::or_no_memory([&] { return Poa::id(); });
}

bool PoaFace::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

IDL::traits<PortableServer::ServantManager>::ref_type PoaFace::get_servant_manager() {
  const auto source = Poa::get_servant_manager();
  return source == nullptr ? nullptr : static_cast<const KnownServantManager&>(*source).manager();
}

void PoaFace::set_servant_manager(IDL::traits<PortableServer::ServantManager>::ref_type manager) {
  orb::or_no_memory([&] {
    if (!policies().use_servant_manager()) throw WrongPolicy();
    auto source = base::make_shared<KnownServantManager>(std::move(manager));
    if (policies().retain ? !source->is_activator() : !source->is_locator()) {
      throw CORBA::OBJ_ADAPTER(
          corba::minor::kNoServantManager, CompletionStatus::COMPLETED_NO,
          policies().retain ? "the POA needs a ServantActivator" : "the POA needs a ServantLocator");
    }
    Poa::set_servant_manager(std::move(source));
  });
}

KnownServant PoaFace::get_servant() {
  return as_known(Poa::get_servant());
}

void PoaFace::set_servant(KnownServant servant) {
  orb::or_no_memory([&] { Poa::set_servant(servant._shared()); });
}

ObjectId PoaFace::activate_object(KnownServant servant) {
  return orb::or_no_memory([&] { return Poa::activate_object(servant._shared()); });
}

void PoaFace::activate_object_with_id(const ObjectId& object_id, KnownServant servant) {
  orb::or_no_memory([&] { Poa::activate_object_with_id(object_id, servant._shared()); });
}

void PoaFace::deactivate_object(const ObjectId& object_id) {
  orb::or_no_memory([&] { Poa::deactivate_object(object_id); }, corba::Completed::maybe);
}

ObjectRef PoaFace::create_reference(const std::string& type_id) {
  return orb::or_no_memory([&] { return as_object(*this, Poa::create_reference(type_id)); });
}

ObjectRef PoaFace::create_reference_with_id(const ObjectId& object_id, const std::string& type_id) {
  return orb::or_no_memory([&] { return as_object(*this, Poa::create_reference_with_id(object_id, type_id)); });
}

ObjectId PoaFace::servant_to_id(KnownServant servant) {
  return orb::or_no_memory([&] { return Poa::servant_to_id(servant._shared()); });
}

ObjectRef PoaFace::servant_to_reference(KnownServant servant) {
  return orb::or_no_memory([&] { return as_object(*this, Poa::servant_to_reference(servant._shared())); },
                           corba::Completed::maybe);  // it may be active from now on
}

KnownServant PoaFace::reference_to_servant(ObjectRef reference) {
  return orb::or_no_memory([&] {
    if (!policies().retain && !policies().use_default_servant()) throw WrongPolicy();
    return id_to_servant(reference_to_id(std::move(reference)));
  });
}

ObjectId PoaFace::reference_to_id(ObjectRef reference) {
  return orb::or_no_memory([&] { return Poa::reference_to_id(ior_of(reference)); });
}

KnownServant PoaFace::id_to_servant(const ObjectId& object_id) {
  return orb::or_no_memory([&] { return as_known(Poa::id_to_servant(object_id)); });
}

ObjectRef PoaFace::id_to_reference(const ObjectId& object_id) {
  return orb::or_no_memory([&] { return as_object(*this, Poa::id_to_reference(object_id)); });
}

void PoaFace::throw_refused(Refused why) const {
  switch (why) {
    case Refused::adapter_already_exists:
      throw AdapterAlreadyExists();
    case Refused::adapter_inactive:
      break;  // of managers
    case Refused::no_servant:
      throw NoServant();
    case Refused::object_already_active:
      throw ObjectAlreadyActive();
    case Refused::object_not_active:
      throw ObjectNotActive();
    case Refused::servant_already_active:
      throw ServantAlreadyActive();
    case Refused::servant_not_active:
      throw ServantNotActive();
    case Refused::wrong_adapter:
      throw WrongAdapter();
    case Refused::wrong_policy:
      throw WrongPolicy();
  }
  throw CORBA::INTERNAL();
}

}  // namespace corbel::poa
