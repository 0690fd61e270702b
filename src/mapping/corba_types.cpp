// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/corba_types.hpp"

namespace CORBA {

void BadFixedValue::_raise() const {
  throw *this;
}
const char* BadFixedValue::_rep_id() const noexcept {
  return _id;
}
const char* BadFixedValue::_name() const noexcept {
  return "BadFixedValue";
}
void BadFixedValue::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(offset_);
}
void BadFixedValue::_info(std::string& text) const {
  text += "CORBA::BadFixedValue{offset=" + std::to_string(offset_) + "}";
}

}  // namespace CORBA
