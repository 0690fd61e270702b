// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "corbel/base/export.hpp"

/// The end of a thread by pthread_exit(3) or pthread_cancel(3) in code of the application. The C library unwinds the
/// stack for it as an exception does, and ends the process if a handler keeps that. So a handler for everything throws
/// it on, where the thread is the caller's, or calls it off, where it is one of the ORB's.
namespace corbel::base {

/// What is told instead.
class ThreadEnded final : public std::exception {
 public:
  const char* what() const noexcept override { return "pthread_exit or pthread_cancel"; }
};

/// In a handler: true if it is the end of a thread that is handled. It has no object to refer to, so that a handler for
/// abi::__forced_unwind would bind a null pointer; and libc++, where the process ends, has no name for it.
inline bool handles_thread_end() noexcept {
#if defined(__GLIBCXX__)
  return std::current_exception() == nullptr;  // what C++ did not throw
#else
  return false;
#endif
}

/// In a handler: the end of a thread that is handled is over, as any other exception will be; nothing is handled from
/// then on. True if it was one.
CORBEL_API bool call_off_thread_end() noexcept;

/// In a handler: throws what is handled; for the end of a thread, which is called off, ThreadEnded.
[[noreturn]] CORBEL_API void rethrow_handled();

/// In a handler: what is handled, to be kept; for the end of a thread, which is called off, ThreadEnded.
CORBEL_API std::exception_ptr handled_exception() noexcept;

}  // namespace corbel::base
