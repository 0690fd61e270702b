// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/ami.hpp"

namespace Messaging {

bool ReplyHandler::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Object::_static_is_a(repository_id);
}

}  // namespace Messaging
