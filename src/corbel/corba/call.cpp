// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/call.hpp"

#include <algorithm>

#include "corbel/base/light_deadline.hpp"
#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {

void throw_user_exception(const Operation& operation, cdr::Decoder& decoder) {
  const std::string_view id = decoder.get_plain_string();
  for (const ExceptionType& type : operation.raises) {
    if (type.id == id) return type.decode_and_throw(decoder, type);
  }
  if (!decoder.ok()) return;
  raise("UNKNOWN", minor::kUnlistedUserException, Completed::maybe,
        "the operation does not declare user exception " + base::printable(id, 200));
}

bool ServerCall::lists(std::string_view repository_id) const noexcept {
  return std::find(raises_.begin(), raises_.end(), repository_id) != raises_.end();
}

base::Deadline ServerCall::begin_by() {
  return base::Deadline::none();
}

void ServerCall::check_in_time() {
  if (!begin_by().expired()) return;
  raise("TIMEOUT", minor::kRequestEndTimePassed, Completed::no,
        "the time of the call of " + std::string(operation_) + " was over before it began");
}

void ServerCall::throw_bad_arguments() const {
  constexpr auto kNo = Completed::no;
  const base::Error error = arguments_->error();
  std::string detail = "the arguments of " + std::string(operation_) + " cannot be unmarshalled: ";
  detail.append(to_string(error.code));
  switch (error.code) {
    case base::Code::bad_character:
      raise("DATA_CONVERSION", minor::kCharacterNotInCodeSet, kNo, std::move(detail));
    case base::Code::wide_data:
      raise("BAD_PARAM", minor::kWideDataWithoutCodeSet, kNo, std::move(detail));
    case base::Code::not_found:
      raise("MARSHAL", minor::kNoValueFactory, kNo, std::move(detail));
    case base::Code::no_value_memory:
      raise("NO_RESOURCES", vendor_minor(error.stage, error.code), kNo, std::move(detail));
    case base::Code::out_of_resources:
      raise("NO_MEMORY", vendor_minor(error.stage, error.code), kNo, std::move(detail));
    default:
      raise("MARSHAL", vendor_minor(error.stage, error.code), kNo, std::move(detail));
  }
}

}  // namespace corbel::corba
