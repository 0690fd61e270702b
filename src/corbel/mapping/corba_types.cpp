// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/corba_types.hpp"

#include "corbel/corba/define_exception.hpp"
#include "corbel/mapping/print.hpp"

namespace CORBA {

CORBEL_DEFINE_EXCEPTION_NAMES(BadFixedValue, "BadFixedValue")
void BadFixedValue::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(offset_);
}
void BadFixedValue::_info(std::string& text) const {
  text += "CORBA::BadFixedValue{offset=" + std::to_string(offset_) + "}";
}

std::ostream& operator<<(std::ostream& stream, CompletionStatus value) {
  static constexpr const char* kNames[] = {"CORBA::completion_status::COMPLETED_YES",
                                           "CORBA::completion_status::COMPLETED_NO",
                                           "CORBA::completion_status::COMPLETED_MAYBE"};
  return corbel::mapping::print_enumerator(stream, kNames, static_cast<std::uint32_t>(value));
}
std::ostream& operator<<(std::ostream& stream, exception_type value) {
  static constexpr const char* kNames[] = {"CORBA::exception_type::NO_EXCEPTION",
                                           "CORBA::exception_type::USER_EXCEPTION",
                                           "CORBA::exception_type::SYSTEM_EXCEPTION"};
  return corbel::mapping::print_enumerator(stream, kNames, static_cast<std::uint32_t>(value));
}
std::ostream& operator<<(std::ostream& stream, ParameterMode value) {
  static constexpr const char* kNames[] = {"CORBA::ParameterMode::PARAM_IN", "CORBA::ParameterMode::PARAM_OUT",
                                           "CORBA::ParameterMode::PARAM_INOUT"};
  return corbel::mapping::print_enumerator(stream, kNames, static_cast<std::uint32_t>(value));
}
std::ostream& operator<<(std::ostream& stream, SetOverrideType value) {
  static constexpr const char* kNames[] = {"CORBA::SetOverrideType::SET_OVERRIDE",
                                           "CORBA::SetOverrideType::ADD_OVERRIDE"};
  return corbel::mapping::print_enumerator(stream, kNames, static_cast<std::uint32_t>(value));
}
std::ostream& operator<<(std::ostream& stream, const ServiceDetail& value) {
  return corbel::mapping::print_members(stream, "CORBA::ServiceDetail", "service_detail_type",
                                        value.service_detail_type(), "service_detail", value.service_detail());
}
std::ostream& operator<<(std::ostream& stream, const ServiceInformation& value) {
  return corbel::mapping::print_members(stream, "CORBA::ServiceInformation", "service_options", value.service_options(),
                                        "service_details", value.service_details());
}

}  // namespace CORBA
