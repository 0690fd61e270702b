// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>

#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"

/// std::bad_alloc ends where the ORB knows how far the call has come: programs see NO_MEMORY, whose completion status
/// says whether the operation was executed. It has no text, which would need memory, too.
namespace corbel::orb {

/// Of a call that has come so far: encode if its request has not left, decode if its results are there. `own`: as the
/// outermost of this process's calls throws it.
[[noreturn]] inline void raise_no_memory(base::Stage stage, corba::Completed completed, bool own = false) {
  corba::raise_no_memory(corba::vendor_minor(stage, base::Code::out_of_resources), completed, own);
}
/// While arguments were made or marshalled, or before.
[[noreturn]] inline void raise_no_memory_for_arguments(bool own = false) {
  raise_no_memory(base::Stage::encode, corba::Completed::no, own);
}
/// While the results were unmarshalled.
[[noreturn]] inline void raise_no_memory_for_results() {
  raise_no_memory(base::Stage::decode, corba::Completed::yes);
}
/// What raise_no_memory_for_arguments() throws.
inline std::exception_ptr no_memory_for_arguments() noexcept {
  try {
    raise_no_memory_for_arguments();
  } catch (...) {
    return std::current_exception();
  }
}

/// An operation of an adapter, or of an ORB and its endpoints. `completed`: what may have been done when there is no
/// memory left.
template <class Act>
decltype(auto) or_no_memory(const Act& act, corba::Completed completed = corba::Completed::no) {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    raise_no_memory(base::Stage::dispatch, completed);
  }
}

}  // namespace corbel::orb
