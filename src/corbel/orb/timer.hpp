// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "corbel/base/deadline.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

class TimedCall;

/// While it lives, a call-back runs once or again and again, on a thread of an ORB.
///
///   corbel::orb::Timer tick(*orb, 100ms, 100ms, [&] { ... });
///
/// It runs on the threads that run servants (-ORBThreads counts it meanwhile; with -ORBConcurrency single, the thread
/// in ORB::run or WorkHandle::dispatch), one call at a time, and may block, throw (which is logged, and nothing else),
/// call objects, and end the timer. Nothing is called once the ORB has shut down.
///
/// Movable. One thread at a time may use it. It keeps the ORB's memory, not the ORB.
class Timer {
 public:
  using CallBack = std::function<void()>;

  /// Calls nothing.
  CORBEL_API Timer() noexcept;
  /// Calls for the first time after `first`, then at intervals of `every` from that, zero or less: never again. Times
  /// that have passed while the call-back ran are left out. Starts the ORB's threads, if it has some. Throws BAD_PARAM
  /// for an empty call-back, NO_RESOURCES, BAD_INV_ORDER or OBJECT_NOT_EXIST when the ORB has ended.
  CORBEL_API Timer(CORBA::ORB& orb, base::Duration first, base::Duration every, CallBack call_back);
  CORBEL_API ~Timer();
  CORBEL_API Timer(Timer&& other) noexcept;
  CORBEL_API Timer& operator=(Timer&& other) noexcept;

  /// Ends it, as the destructor does. Returns when the call-back has returned and has been destroyed: hold no lock that
  /// it takes. Inside of the call-back it returns at once.
  CORBEL_API void end() noexcept;

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  base::IntrusivePtr<TimedCall> timed_;
};

/// Runs `call_back` once, soon, on a thread of the ORB that may be kept as a servant's may: a way for other threads to
/// the one of WorkHandle::dispatch. In the order of posting with -ORBConcurrency single. Any thread. What it throws is
/// logged, and nothing else; it is dropped if the ORB ends first. Throws as Timer.
CORBEL_API void post(CORBA::ORB& orb, std::function<void()> call_back);

}  // namespace corbel::orb
