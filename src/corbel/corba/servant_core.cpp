// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/servant_core.hpp"

namespace corbel::corba {

ServantCore::~ServantCore() = default;

}  // namespace corbel::corba
