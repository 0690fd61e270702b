// SPDX-License-Identifier: Apache-2.0
// A request from the POA to the servant: two locks of the POA's mutex, or none if its reference or thread knows the
// entry (direct_calls.cpp); no allocation.
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/peer.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/running.hpp"
#include "corbel/poa/serving.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

using State = ManagerState;

/// With the mutex locked. Clients that ask again may find the objects elsewhere, or here when the server is back.
[[gnu::always_inline]] inline void Poa::check_not_ending() const {
  if (life_ == Life::alive) [[likely]]
    return;
  corba::raise("TRANSIENT", corba::minor::kPoaDestroyed, kNo, "POA '" + name_ + "' is being destroyed");
}

void Poa::check_caller(const RequestPeer& peer, std::string_view operation) const {
  if (policies_.callers->take(peer)) return;
  const std::string user = peer.process ? std::to_string(peer.process->user) : std::string();
  CORBEL_LOG(space_->core().log(), poa, warning, "request refused, the adapter does not take its caller",
             {"poa", shown_path()}, {"operation", operation}, {"peer", peer.address}, {"subject", peer.subject},
             {"user", user});
  corba::raise("NO_PERMISSION", corba::minor::kCallerRefused, kNo, "the object adapter does not take this caller");
}

bool Poa::serve(PoaLock& lock, base::ConstByteSpan object_id, corba::ServerCall& call,
                std::optional<base::Deadline>& held_until, orb::Place* place) {
  CORBEL_PROBE("servant lookup");
  // Before anything that would say more of the adapter. It may allocate with the mutex locked.
  if (policies_.callers != nullptr) [[unlikely]]
    call.show_sender([&](const RequestPeer& peer) { check_caller(peer, call.operation()); });
  check_not_ending();
  if (manager_->state() != State::active && !pass_manager(lock, call, held_until)) return false;
  ActiveObject* object = policies_.retain ? objects_.find_active(object_id) : nullptr;
  if (object == nullptr) {
    serve_without_object(lock, object_id, call);
    return true;
  }
  if (place != nullptr) show_entry(*object, *place);
  Running running(*this, lock, object);
  answered(call, [&] { run(object->id, *object->servant, call); });
  return true;
}

/// With the mutex locked and the manager not active: waits, unlocked, or throws. True if it has become active
/// meanwhile.
bool Poa::pass_manager(PoaLock& lock, corba::ServerCall& call, std::optional<base::Deadline>& held_until) {
  const auto manager = manager_;
  const std::uint64_t wakes = manager->wakes();
  switch (manager->state()) {
    case State::active:
      return true;
    case State::discarding:
      CORBEL_LOG(space_->core().log(), poa, debug, "request discarded", {"poa", name_}, {"manager", manager->id()});
      corba::raise("TRANSIENT", corba::minor::kRequestDiscarded, kNo,
                   "the manager of POA '" + name_ + "' discards requests");
    case State::inactive:
      CORBEL_LOG(space_->core().log(), poa, debug, "request refused, manager inactive", {"poa", name_},
                 {"manager", manager->id()});
      corba::raise("OBJ_ADAPTER", corba::minor::kAdapterInactive, kNo,
                   "the manager of POA '" + name_ + "' is inactive");
    case State::holding:
      break;
  }
  if (!held_until) {
    held_until = earlier(space_->hold_deadline(), call.begin_by());
    CORBEL_LOG(space_->core().log(), poa, debug, "request held", {"poa", name_}, {"manager", manager->id()});
  }
  const auto keep = self();  // nothing counts a request that is held: its POA may end meanwhile
  lock.unlock();
  const bool passed = manager->wait_while_holding(wakes, *held_until);
  call.check_in_time();
  if (passed || !held_until->expired()) return false;  // the clock may lag behind the wait
  CORBEL_LOG(space_->core().log(), poa, warning, "request held too long, the manager was not activated", {"poa", name_},
             {"manager", manager->id()}, {"limit", "-ORBHoldTimeout"});
  corba::raise("TRANSIENT", corba::minor::kHeldTooLong, kNo,
               "the manager of POA '" + name_ + "' is in state HOLDING and was not activated in time");
}

void Poa::run(base::ConstByteSpan object_id, corba::ServantCore& servant, corba::ServerCall& call) {
  in_turn([&] { upcall(object_id, servant, call); }, call);
}

void Poa::refuse_operation(const corba::ServerCall& call) {
  corba::raise("BAD_OPERATION", corba::minor::kUnknownOperation, kNo,
               "the object has no operation '" + std::string(call.operation()) + "'");
}

/// From a handler: so has a call ended that the servant has made. Its status says nothing about what the servant has
/// done before, and that this ORB ends says nothing about the object: it may be found elsewhere, or again.
void Poa::throw_end_of_own_call(const corba::SystemExceptionCore& exception) const {
  const orb::Core& core = space_->core();
  auto failure = corba::failure_of(exception);
  const bool shut_down = failure.is("BAD_INV_ORDER") && failure.minor == corba::minor::kOrbShutDown;
  const bool destroyed = failure.is("OBJECT_NOT_EXIST") && failure.minor == corba::minor::kAdapterGone;
  if ((shut_down || destroyed) && (core.is_shut_down() || core.is_destroyed())) {
    failure = corba::system_failure("TRANSIENT", corba::minor::kPoaDestroyed, corba::Completed::maybe,
                                    "the server ends: " + failure.detail);
  } else if (failure.completed != kNo) {
    throw;
  }
  failure.completed = corba::Completed::maybe;
  corba::raise(std::move(failure));
}

/// From a handler.
void Poa::answer_thrown(corba::ServerCall& call) {
  const auto answer = [&] {
    if (!call.reply_exception()) throw;
  };
  // Servants of other mappings throw data. From here on it is what the mapping of this adapter throws.
  const auto answer_as_known = [&](auto& failure) {
    try {
      corba::raise(std::move(failure));
    } catch (...) {
      answer();
    }
  };
  try {
    throw;
  } catch (corba::SystemFailure& failure) {
    answer_as_known(failure);
  } catch (corba::UserFailure& failure) {
    answer_as_known(failure);
  } catch (...) {
    answer();
  }
}

ActiveObject* Poa::hold(const Upcall& upcall) noexcept {
  const std::lock_guard lock(slot_.mutex);
  ++running_;
  ActiveObject* object = policies_.retain ? objects_.find(upcall.id()) : nullptr;
  if (object != nullptr && object->servant.get() != &upcall.servant()) object = nullptr;
  if (object != nullptr) ++object->running;
  return object;
}

/// A request, or what behaves like one, has ended. If it was the last to hold something up, that is done here.
void Poa::leave(ActiveObject* object) noexcept {
  base::SharedPtr<Poa> keep;
  std::unique_lock lock(slot_.mutex);
  if (object != nullptr && --object->running == 0 && object->state == ActiveObject::State::leaving) [[unlikely]] {
    keep = slot_.poa;
    end_object(lock, *object);
  }
  if (--running_ != 0) return;
  if (life_ == Life::ending || life_ == Life::clearing) [[unlikely]] {
    keep = slot_.poa;
    clear(lock);
  } else if (waiters_ != 0) [[unlikely]] {
    changed_.notify_all();
  }
}

bool Poa::knows(base::ConstByteSpan object_id) {
  check_not_ending();
  if (policies_.use_default_servant() || policies_.use_servant_manager()) return true;
  return objects_.find_active(object_id) != nullptr;
}

}  // namespace corbel::poa
