// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/servant.hpp"

#include <algorithm>
#include <atomic>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/servant_home.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::corba {
namespace {

std::atomic<ServantHome*> current_home{nullptr};

ServantHome& servant_home() {
  ServantHome* home = current_home.load(std::memory_order_acquire);
  if (home == nullptr) {
    throw CORBA::BAD_INV_ORDER(minor::kNoObjectAdapter, CORBA::CompletionStatus::COMPLETED_NO,
                               "no ORB with object adapters has been initialised in this process");
  }
  return *home;
}

ior::Ior ior_of(const CORBA::object_reference<CORBA::Object>& object) {
  if (object == nullptr) return {};
  if (object->_is_local()) throw CORBA::MARSHAL(minor::kLocalObjectMarshalled);
  return object->_target()->ior();
}

}  // namespace

void set_servant_home(ServantHome& home) noexcept {
  current_home.store(&home, std::memory_order_release);
}

}  // namespace corbel::corba

namespace PortableServer {

Servant::~Servant() = default;

CORBA::object_reference<POA> Servant::_default_POA() {
  return corbel::corba::servant_home().default_poa();
}

bool Servant::_is_a(const std::string& repository_id) {
  const auto ids = _interface_ids();
  return std::find(ids.begin(), ids.end(), repository_id) != ids.end();
}

std::string Servant::_repository_id() {
  const auto ids = _interface_ids();
  return ids.empty() ? std::string() : std::string(ids.front());
}

CORBA::object_reference<CORBA::Object> Servant::_get_component() {
  return nullptr;
}

CORBA::object_reference<CORBA::Object> Servant::_get_interface() {
  (void)ServantCore::_interface_reference();  // throws
  return nullptr;
}

corbel::ior::Ior Servant::_component_reference() {
  return corbel::corba::ior_of(_get_component());
}

corbel::ior::Ior Servant::_interface_reference() {
  return corbel::corba::ior_of(_get_interface());
}

std::string Servant::_interface_of(corbel::base::ConstByteSpan, const CORBA::object_reference<POA>&) {
  return _repository_id();
}

std::string Servant::_interface_in(corbel::base::ConstByteSpan object_id, corbel::corba::AdapterCore& adapter) {
  return _interface_of(object_id, corbel::corba::servant_home().poa_of(adapter));
}

CORBA::object_reference<CORBA::Object> Servant::_this_object() {
  return corbel::corba::servant_home().reference_of(*this);
}

}  // namespace PortableServer
