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
    // The status of a call that the servant has made says nothing about what the servant has done before.
    if (!exception.ended_own_call() || exception._completed() != kNo) throw;
    auto failure = corba::failure_of(exception);
    failure.completed = corba::Completed::maybe;
    corba::raise(std::move(failure));
  }
  refuse_operation(call);
}

}  // namespace corbel::poa
