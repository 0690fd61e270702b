// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"

/// std::bad_alloc ends where the ORB knows how far the call has come: programs see NO_MEMORY, whose completion status
/// says whether the operation was executed. It has no text, which would need memory, too.
namespace corbel::orb {

/// Of a call that has come so far: encode if its request has not left, decode if its results are there.
inline CORBA::NO_MEMORY no_memory(base::Stage stage, CORBA::CompletionStatus completed) noexcept {
  return CORBA::NO_MEMORY(corba::vendor_minor(stage, base::Code::out_of_resources), completed);
}
/// While arguments were made or marshalled, or before.
inline CORBA::NO_MEMORY no_memory_for_arguments() noexcept {
  return no_memory(base::Stage::encode, CORBA::COMPLETED_NO);
}
/// While the results were unmarshalled.
inline CORBA::NO_MEMORY no_memory_for_results() noexcept {
  return no_memory(base::Stage::decode, CORBA::COMPLETED_YES);
}
/// As the outermost of this process's calls throws it.
[[noreturn]] inline void raise_no_memory_for_arguments() {
  CORBA::NO_MEMORY exception = no_memory_for_arguments();
  exception.ends_own_call();
  throw exception;
}

}  // namespace corbel::orb
