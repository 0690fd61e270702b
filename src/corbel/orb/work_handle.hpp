// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// Makes an ORB the guest of a loop that the application has already (poll, epoll, asio, GLib, Qt): a descriptor that
/// is readable while the ORB has something to do, and a function that does it without waiting. It is
/// ORB::work_pending and ORB::perform_work (CORBA 3.3 part 1, 8.2.3) for programs that cannot ask all the time:
///
///   corbel::orb::WorkHandle work(*orb);       // an ORB made with -ORBConcurrency single
///   pollfd waits[] = {{work.descriptor(), POLLIN, 0}, ...};
///   while (!work.ended()) {
///     poll(waits, ...);
///     if (waits[0].revents != 0) work.dispatch();
///     ...
///   }
///
/// The descriptor tells of all that the thread in ORB::run would do in this mode: requests, replies to asynchronous
/// calls, deadlines, oneways that were kept back, what other threads hand over (MAIN_THREAD_MODEL), HandleWatch, Timer
/// and post. It may be readable without cause; that is the end of it once dispatch() has looked. It is readable for
/// ever once the ORB has ended.
///
/// Servants, reply handlers and call-backs run inside of dispatch(), on the thread that calls it: one thread at a time,
/// usually that of the loop. A second one that comes meanwhile finds nothing to do. It may be called from within what
/// it runs, which serves others while a servant waits. All other threads may call objects, and anything of the ORB but
/// ORB::run, which throws BAD_INV_ORDER while there is a WorkHandle. See docs/event-loops.md.
///
/// Movable; it keeps the ORB's memory, not the ORB: destroy() may come before or after. Take the descriptor out of the
/// loop before this goes. An ORB that never had one pays nothing for it.
class WorkHandle {
 public:
  enum class Of : std::uint8_t {
    orb,  ///< all there is to do, for an ORB with -ORBConcurrency single
    /// What adapters with MAIN_THREAD_MODEL have their servants and reply handlers do, of an ORB that has threads for
    /// all the rest. The thread that makes the handle is the main thread as long as that lives, and the one to
    /// dispatch: others find nothing to do.
    main_thread,
  };

  /// Of no ORB: descriptor() is -1, and nothing else may be called but ended(), which is true.
  WorkHandle() noexcept = default;
  /// Throws BAD_PARAM (configure, bad argument) if the ORB is not of the mode that Of says: with -ORBConcurrency
  /// adaptive and pool its threads would do the work first. BAD_INV_ORDER (configure, cancelled) while another thread
  /// is in ORB::run, and in a child of the process; BAD_INV_ORDER OMG 4 or OBJECT_NOT_EXIST when the ORB has ended,
  /// NO_RESOURCES (configure, out of resources) if the system has no descriptor.
  CORBEL_API explicit WorkHandle(CORBA::ORB& orb, Of what = Of::orb);
  CORBEL_API ~WorkHandle();
  CORBEL_API WorkHandle(WorkHandle&& other) noexcept;
  CORBEL_API WorkHandle& operator=(WorkHandle&& other) noexcept;

  /// What the loop waits for: readable, level-triggered. Belongs to the ORB; nothing but waiting may be done with it.
  int descriptor() const noexcept { return descriptor_; }

  /// Does what is ready, and not what becomes ready meanwhile; no more than `most` things, the descriptor then stays
  /// readable. A thing is one readiness of a socket (of up to 32 receptions), one timer, one function, one request for
  /// the main thread. How many were done, 0 if there was no cause, another thread is in here, or the ORB has ended.
  /// Throws nothing that servants or call-backs throw; BAD_INV_ORDER in a child of the process.
  CORBEL_API std::size_t dispatch(std::size_t most = SIZE_MAX);
  /// True if the descriptor is readable, for loops that hear of it once (edge-triggered): they dispatch() until this is
  /// false. Costs a system call.
  CORBEL_API bool pending() const noexcept;
  /// True once the ORB has shut down and nothing will ever be dispatched. Until then shutdown(false) needs the loop, so
  /// that what runs is answered and connections are closed in order.
  CORBEL_API bool ended() const noexcept;

 private:
  void give_back() noexcept;

  IDL::traits<CORBA::ORB>::ref_type orb_;
  Of what_ = Of::orb;
  int descriptor_ = -1;
};

}  // namespace corbel::orb
