// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/buffering_policy.hpp"

#include <algorithm>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel {

BufferingConstraintPolicy::BufferingConstraintPolicy(const BufferingConstraint& value) : value_(value) {
  if (!is_mode(value.mode())) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "no mode of buffering has these bits");
  }
}

IDL::traits<CORBA::Policy>::ref_type BufferingConstraintPolicy::copy() {
  return CORBA::make_reference<BufferingConstraintPolicy>(value_);
}

bool BufferingConstraintPolicy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id);
}

void BufferingConstraintPolicy::_override(policy::ClientOverrides& overrides) const noexcept {
  const auto counts = [this](BufferingConstraintMode bit) { return (value_.mode() & bit) != 0; };
  policy::Buffering buffering;
  if (counts(BUFFER_TIMEOUT)) {
    const base::Duration time = policy::duration_of(value_.timeout());  // zero, too, of more than a century
    if (time != base::Duration::zero() || value_.timeout() == 0) buffering.time = time;
  }
  if (counts(BUFFER_MESSAGE_BYTES)) buffering.octets = value_.message_bytes();
  if (value_.mode() != BUFFER_FLUSH) buffering.messages = policy::Buffering::kAnyNumber;
  if (counts(BUFFER_MESSAGE_COUNT)) buffering.messages = value_.message_count();
  if (buffering.time == base::Duration::zero() || buffering.octets == 0) buffering.messages = 1;
  overrides.buffering = buffering;
}

}  // namespace corbel
