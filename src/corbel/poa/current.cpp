// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/current_impl.hpp"

#include "corbel/orb/no_memory.hpp"
#include "corbel/poa/poa_face.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

const Upcall& upcall() {
  const Upcall* current = Upcall::current();
  if (current == nullptr) throw PortableServer::Current::NoContext();
  return *current;
}

}  // namespace

IDL::traits<PortableServer::POA>::ref_type Current::get_POA() {
  return as_poa(upcall().poa().self());
}

PortableServer::ObjectId Current::get_object_id() {
  const auto id = upcall().id();
  return orb::or_no_memory([&] { return PortableServer::ObjectId(id.begin(), id.end()); });
}

IDL::traits<CORBA::Object>::ref_type Current::get_reference() {
  const Upcall& current = upcall();
  Poa& poa = current.poa();
  return orb::or_no_memory([&] {
    return as_object(poa, poa.make_reference(current.id(), current.servant()._interface_in(current.id(), poa)));
  });
}

IDL::traits<PortableServer::Servant>::ref_type Current::get_servant() {
  corba::ServantCore& servant = upcall().servant();
  return as_known(servant.shared_from(&servant));
}

bool Current::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

}  // namespace corbel::poa
