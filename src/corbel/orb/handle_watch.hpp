// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/reactor/event_handler.hpp"

namespace corbel::orb {

class WatchedHandle;

/// While it lives, a call-back runs whenever a descriptor of the application is ready, on a thread of an ORB: a foreign
/// handle as the guest of the ORB's loop.
///
///   using corbel::reactor::Events;
///   corbel::orb::HandleWatch watch(*orb, descriptor, Events::readable, [&](Events) { ...read(descriptor, ...)... });
///
/// Level-triggered: it is called again as long as the descriptor is ready, one call at a time, on the threads that run
/// servants (-ORBThreads counts it meanwhile; with -ORBConcurrency single, the thread in ORB::run or
/// WorkHandle::dispatch). It may block, throw (which is logged, and nothing else), call objects, and end the watch. It
/// may be called without cause: the descriptor should not block. Nothing is called once the ORB has shut down.
///
/// Movable. One thread at a time may use it. It keeps the ORB's memory, not the ORB. End it before the descriptor is
/// closed.
class HandleWatch {
 public:
  using CallBack = std::function<void(reactor::Events)>;

  /// Watches nothing.
  CORBEL_API HandleWatch() noexcept;
  /// Starts the ORB's threads, if it has some. Throws BAD_PARAM for an empty call-back, a handle that cannot be waited
  /// for (a file), or one that the ORB watches already; NO_RESOURCES; BAD_INV_ORDER or OBJECT_NOT_EXIST when the ORB
  /// has ended.
  CORBEL_API HandleWatch(CORBA::ORB& orb, int handle, reactor::Events interest, CallBack call_back);
  CORBEL_API ~HandleWatch();
  CORBEL_API HandleWatch(HandleWatch&& other) noexcept;
  CORBEL_API HandleWatch& operator=(HandleWatch&& other) noexcept;

  /// Waits for this from now on; Events::none: for errors alone. Also inside of the call-back.
  CORBEL_API void change(reactor::Events interest) noexcept;
  /// Ends it, as the destructor does. Returns when the call-back has returned and has been destroyed: hold no lock that
  /// it takes. Inside of the call-back it returns at once.
  CORBEL_API void end() noexcept;

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  base::IntrusivePtr<WatchedHandle> watched_;
};

}  // namespace corbel::orb
