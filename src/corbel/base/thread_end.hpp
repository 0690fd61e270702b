// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <exception>

#include "corbel/base/export.hpp"

/// The end of a thread by pthread_exit(3) or pthread_cancel(3) in code of the application. The C library unwinds the
/// stack for it as an exception does, and ends the process if a handler keeps that. So a handler for everything throws
/// it on, where the thread is the caller's, or calls it off, where it is one of the ORB's.
namespace corbel::base {

#if defined(__GLIBCXX__)
using ThreadEnd = abi::__forced_unwind;
#else
class ThreadEnd {};  // libc++ has no name for it: there the process ends
#endif

/// What is told instead.
class ThreadEnded final : public std::exception {
 public:
  const char* what() const noexcept override { return "pthread_exit or pthread_cancel"; }
};

/// In a handler: true if it is a ThreadEnd that is handled.
inline bool handles_thread_end() noexcept {
#if defined(__GLIBCXX__)
  return std::current_exception() == nullptr;  // what C++ did not throw
#else
  return false;
#endif
}

/// In a handler: a ThreadEnd that is handled is over, as any other exception will be; nothing is handled from then on.
/// True if it was one.
CORBEL_API bool call_off_thread_end() noexcept;

/// In a handler: throws what is handled; for a ThreadEnd, which is called off, ThreadEnded.
[[noreturn]] CORBEL_API void rethrow_handled();

/// In a handler: what is handled, to be kept; for a ThreadEnd, which is called off, ThreadEnded.
CORBEL_API std::exception_ptr handled_exception() noexcept;

}  // namespace corbel::base
