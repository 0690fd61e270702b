// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/call.hpp"

#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {

void ServerCall::throw_bad_arguments() const {
  constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
  const base::Error error = arguments_->error();
  std::string detail = "the arguments of " + std::string(operation_) + " cannot be unmarshalled: ";
  detail.append(to_string(error.code));
  switch (error.code) {
    case base::Code::bad_character:
      throw CORBA::DATA_CONVERSION(minor::kCharacterNotInCodeSet, kNo, std::move(detail));
    case base::Code::wide_data:
      throw CORBA::BAD_PARAM(minor::kWideDataWithoutCodeSet, kNo, std::move(detail));
    case base::Code::not_found:
      throw CORBA::MARSHAL(minor::kNoValueFactory, kNo, std::move(detail));
    default:
      throw CORBA::MARSHAL(vendor_minor(error.stage, error.code), kNo, std::move(detail));
  }
}

}  // namespace corbel::corba
