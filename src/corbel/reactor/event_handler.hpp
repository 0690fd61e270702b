// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/base/export.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::reactor {

/// A set of readiness events; combine with |.
enum class Events : std::uint32_t {
  none = 0,
  readable = 0x1,
  urgent = 0x2,  ///< TCP's urgent data (ipc/urgent.hpp)
  writable = 0x4,
  error = 0x8,           ///< always reported, never asked for
  hangup = 0x10,         ///< both directions are gone; always reported, never asked for
  peer_closed = 0x2000,  ///< the peer shut down its sending direction
};
constexpr Events operator|(Events a, Events b) noexcept {
  return static_cast<Events>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr Events operator&(Events a, Events b) noexcept {
  return static_cast<Events>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
/// True if the two sets have an event in common.
constexpr bool any(Events set, Events of) noexcept {
  return (set & of) != Events::none;
}

/// When readiness is reported.
enum class Trigger : std::uint8_t {
  /// As long as it lasts. For loops run by one thread only: in a pool the next leader would see it again at once.
  level,
  /// Once, then not before rearm() or modify(). At most one thread is in on_event() until then: the mode for a pool.
  one_shot,
  /// At every change (new data). No rearm() to pay for, but on_event() must drain the handle (a receive that returns
  /// less than asked for has), and in a pool several threads may be in on_event() at once.
  edge,
};

/// When a pool thread that leads gives up leadership for an event.
enum class Promotion : std::uint8_t {
  before_dispatch,  ///< before on_event(), which may therefore block or take long
  /// on_event() runs as leader and either is short or calls ThreadPool::promote_follower() before it gets long.
  by_handler,
};

class Reactor;

/// Something that reacts to events on one handle. Counted by reference: the reactor holds a reference while the handler
/// is registered and during dispatch, so a handler may be removed at any time by any thread and goes away when the last
/// dispatch has returned. Registered with at most one reactor and one handle at a time.
class CORBEL_API EventHandler : public base::RefCounted {
 public:
  EventHandler() noexcept = default;
  EventHandler(const EventHandler&) = delete;
  EventHandler& operator=(const EventHandler&) = delete;
  virtual ~EventHandler();

  /// Called by the thread that runs the reactor, with no lock held. May be called without cause and must then find out
  /// that nothing is ready; may still be running or about to run when remove() returns in another thread. Must not
  /// throw.
  virtual void on_event(Events events) noexcept = 0;

 private:
  friend class Reactor;

  base::Mutex mutex_;  // orders the epoll_ctl calls for this handler; guards handle_, interest_, trigger_
  int handle_ = -1;
  Events interest_ = Events::none;
  Trigger trigger_ = Trigger::level;
  Promotion promotion_ = Promotion::before_dispatch;
  std::atomic<bool> registered_{false};
  // Guarded by the reactor's mutex: its list of registered handlers, and of removed ones not yet released.
  bool awaits_release_ = false;
  EventHandler* previous_ = nullptr;
  EventHandler* next_ = nullptr;
  EventHandler* next_removed_ = nullptr;
};

}  // namespace corbel::reactor
