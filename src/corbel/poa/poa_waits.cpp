// SPDX-License-Identifier: Apache-2.0
// Waiting for what runs, never for ever: -ORBShutdownTimeout for threads that end something, -ORBHoldTimeout for
// requests.
#include <algorithm>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// With the mutex locked: unlocks it while it waits. False if the deadline comes first.
bool Poa::wait_for_change(PoaLock& lock, base::FunctionRef<bool()> over, base::Deadline deadline) {
  ++waiters_;
  const bool came =
      deadline.is_none() ? (changed_.wait(lock, over), true) : changed_.wait_for(lock, deadline.remaining(), over);
  --waiters_;
  return came;
}

/// False if the deadline comes first: what still runs goes on, and the last of it clears up.
bool Poa::wait_until_gone(base::Deadline deadline) {
  const auto gone = [&] { return life_ == Life::gone; };
  std::unique_lock lock(slot_.mutex);
  if (gone()) return true;  // and with it, perhaps, the ORB
  const bool ended = wait_for_change(lock, gone, deadline);
  if (!ended) tell_still_running("destroy");
  return ended;
}

/// With the tree locked, which is unlocked meanwhile: waits while a child of the name is being destroyed, until this
/// POA is, too. The new one's objects may be the old one's, and are not to have two servants at once. Throws as
/// destroy() that waits.
void Poa::wait_until_free(std::unique_lock<std::mutex>& tree, std::string_view name) {
  const auto over = [&] {
    if (!leaving_.contains(name)) return true;
    const std::lock_guard lock(slot_.mutex);
    return life_ != Life::alive;
  };
  if (over()) return;
  if (space_->in_request()) {
    corba::raise(
        "BAD_INV_ORDER", corba::minor::kWouldDeadlock, kNo,
        "waiting from inside a request for the end of POA '" + std::string(name) + "', which is to be made again");
  }
  leaving_.find(name)->second->check_not_ended_here();
  const base::Deadline deadline = space_->shutdown_deadline();
  if (deadline.is_none()) return space_->ends_changed().wait(tree, over);
  if (space_->ends_changed().wait_for(tree, deadline.remaining(), over)) return;
  {
    Poa& old = *leaving_.find(name)->second;
    const std::lock_guard lock(old.slot_.mutex);
    old.tell_still_running("create_POA");
  }
  corba::raise("TIMEOUT", kStillRunning, kNo,
               "POA '" + std::string(name) + "' is being destroyed, and requests still run after -ORBShutdownTimeout");
}

bool Poa::is_gone() const noexcept {
  const std::lock_guard lock(slot_.mutex);
  return life_ == Life::gone;
}

bool Poa::wait_until_idle(base::FunctionRef<bool()> give_up, base::Deadline deadline, std::string_view wanted) {
  std::unique_lock lock(slot_.mutex);
  close_entries();
  const bool idle = wait_for_change(
      lock, [&] { return running_ == 0 || life_ == Life::gone || give_up(); }, deadline);
  if (!idle) tell_still_running(wanted);
  return idle;
}

void Poa::look_again() {
  const std::lock_guard lock(slot_.mutex);
  close_entries();
  if (waiters_ != 0) changed_.notify_all();
}

/// With the mutex locked, which keeps the ORB and its log. Tells how many requests run, and one of the objects that
/// they run on if the map has it.
void Poa::tell_still_running(std::string_view wanted) {
  const ActiveObject* busy = objects_.find_busy();
  CORBEL_LOG(space_->log(), poa, error, "requests still run after the shutdown time-out", {"poa", shown_path()},
             {"manager", manager_->id()}, {"wanted", wanted}, {"running", running_},
             {"object", busy == nullptr ? base::ConstByteSpan() : base::ConstByteSpan(busy->id)},
             {"limit", "-ORBShutdownTimeout"});
}

/// With the mutex locked: waits while the object with the id is being deactivated.
Poa::Left Poa::wait_until_left(PoaLock& lock, base::ConstByteSpan object_id, base::Deadline deadline) {
  const auto left = [&] {
    const ActiveObject* object = objects_.find(object_id);
    return object == nullptr || object->state == ActiveObject::State::active;
  };
  if (left()) return Left::yes;
  // A thread in the servant activator keeps it from being told that the object leaves.
  if (activator_turn_.is_mine()) return Left::would_wait_for_itself;
  for (const Upcall* upcall = Upcall::current(); upcall != nullptr; upcall = upcall->previous()) {
    if (&upcall->poa() != this) continue;
    // If requests take turns, any of them keeps the servant manager, which has to be told first, from its turn.
    if (policies_.takes_turns() || std::ranges::equal(upcall->id(), object_id)) return Left::would_wait_for_itself;
  }
  if (wait_for_change(lock, left, deadline)) return Left::yes;
  const ActiveObject* object = objects_.find(object_id);
  CORBEL_LOG(space_->log(), poa, error, "a deactivated object does not end", {"poa", shown_path()},
             {"object", object_id}, {"running", object == nullptr ? 0 : object->running});
  return Left::too_late;
}

/// How long a request waits from now on while another one has the turn that it needs: as long as for a manager. If
/// nothing is to be held it waits for ever, since taking turns is not holding.
base::Deadline Poa::turn_deadline() const {
  return space_->holds() ? space_->hold_deadline() : base::Deadline::none();
}

/// Throws if it is not the calling thread's turn in time: TIMEOUT if that of the call is over, else TRANSIENT.
void Poa::take_turn(Turn& turn, corba::ServerCall& call, std::string_view where) {
  const bool taken = turn.take(earlier(turn_deadline(), call.begin_by()));
  if (taken) return;
  call.check_in_time();
  CORBEL_LOG(space_->log(), poa, warning, "request waited too long for its turn", {"poa", name_}, {"where", where},
             {"limit", "-ORBHoldTimeout"});
  corba::raise("TRANSIENT", corba::minor::kHeldTooLong, kNo,
               "POA '" + name_ + "': another request does not return from " + std::string(where));
}

}  // namespace corbel::poa
