// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/thread_end.hpp"

#include <cxxabi.h>

namespace corbel::base {

// Itanium C++ ABI, 2.2.2: the first member of what __cxa_get_globals() gives is the stack of the exceptions that are
// handled. One that C++ did not throw is alone there, and a handler that ends with an empty stack deletes nothing.
bool call_off_thread_end() noexcept {
  if (!handles_thread_end()) return false;
#if defined(__GLIBCXX__)
  *static_cast<void**>(static_cast<void*>(abi::__cxa_get_globals())) = nullptr;
#endif
  return true;
}

void rethrow_handled() {
  if (call_off_thread_end()) throw ThreadEnded();
  throw;
}

std::exception_ptr handled_exception() noexcept {
  return call_off_thread_end() ? std::make_exception_ptr(ThreadEnded()) : std::current_exception();
}

}  // namespace corbel::base
