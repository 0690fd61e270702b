// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy.hpp"

namespace CORBA {

bool Policy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

void PolicyError::_raise() const {
  throw *this;
}
const char* PolicyError::_rep_id() const noexcept {
  return _id;
}
const char* PolicyError::_name() const noexcept {
  return "PolicyError";
}

void PolicyError::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(static_cast<std::int16_t>(reason_));
}

void PolicyError::_info(std::string& text) const {
  text += "CORBA::PolicyError{reason=" + std::to_string(static_cast<int>(reason_)) + "}";
}

}  // namespace CORBA
