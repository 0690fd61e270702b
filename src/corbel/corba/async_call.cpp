// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/async_call.hpp"

#include <new>

#include "corbel/base/call_memory.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
AsyncCall::~AsyncCall() {
  if (carrier_ != nullptr) carrier_->~AsyncCarrier();
}

void* AsyncCall::operator new(std::size_t size) {
  try {
    return base::take_call_memory(size);
  } catch (const std::bad_alloc&) {
    refuse_for_memory();
  }
}

void AsyncCall::raise_taken() {
  raise("BAD_INV_ORDER", minor::kResultTakenTwice, Completed::no);
}

void AsyncCall::refuse_for_memory() {
  raise("NO_MEMORY", vendor_minor(base::Stage::encode, base::Code::out_of_resources), Completed::no);
}

void AsyncCall::operator delete(void* memory) noexcept {
  base::give_call_memory(memory);
}

void Target::invoke_async(AsyncCall&) {
  raise("NO_IMPLEMENT", 0, Completed::no, "no asynchronous calls to this kind of object");
}

}  // namespace corbel::corba
