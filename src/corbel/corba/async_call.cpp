// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/async_call.hpp"

#include "corbel/corba/exception.hpp"

namespace corbel::corba {

AsyncCall::~AsyncCall() {
  if (carrier_ != nullptr) carrier_->~AsyncCarrier();
}

void Target::invoke_async(AsyncCall&) {
  throw CORBA::NO_IMPLEMENT(0, CORBA::CompletionStatus::COMPLETED_NO, "no asynchronous calls to this kind of object");
}

}  // namespace corbel::corba
