// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/poa/built_in_operations.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// The last step of every request, on the thread that may call the application. It is taken in two ways.
[[gnu::always_inline]] inline void Poa::upcall(base::ConstByteSpan object_id, corba::ServantCore& servant,
                                               corba::ServerCall& call) {
  const Upcall upcall(*this, object_id, servant);
  try {
    if (serve_built_in(upcall, call) || servant._dispatch(call)) [[likely]]
      return;
  } catch (const corba::SystemExceptionCore& exception) {
    if (!exception.ended_own_call()) throw;
    throw_end_of_own_call(exception);
  }
  refuse_operation(call);
}

}  // namespace corbel::poa
