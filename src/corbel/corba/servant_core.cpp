// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/servant_core.hpp"

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::corba {

ServantCore::~ServantCore() = default;

ior::Ior ServantCore::_component_reference() {
  return {};
}

ior::Ior ServantCore::_interface_reference() {
  raise("INTF_REPOS", minor::kNoInterfaceRepository, Completed::no, "the servant names no InterfaceDef");
}

}  // namespace corbel::corba
