// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy.hpp"

#include "corbel/corba/define_exception.hpp"

namespace CORBA {

bool Policy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

CORBEL_DEFINE_EXCEPTION_NAMES(PolicyError, "PolicyError")

void PolicyError::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(reason_);
}

void PolicyError::_info(std::string& text) const {
  text += "CORBA::PolicyError{reason=" + std::to_string(reason_) + "}";
}

CORBEL_DEFINE_EXCEPTION_NAMES(InvalidPolicies, "InvalidPolicies")

void InvalidPolicies::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put_count(indicies_.size());
  for (const auto index : indicies_) encoder.put(index);
}

void InvalidPolicies::_info(std::string& text) const {
  text += "CORBA::InvalidPolicies{indicies={";
  for (std::size_t i = 0; i < indicies_.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(indicies_[i]);
  text += "}}";
}

bool Current::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}
bool PolicyManager::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}
bool PolicyCurrent::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || PolicyManager::_static_is_a(repository_id) ||
         Current::_static_is_a(repository_id);
}

}  // namespace CORBA
