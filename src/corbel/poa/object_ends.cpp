// SPDX-License-Identifier: Apache-2.0
// The end of objects whose last request has left. A servant activator has to be told, one object at a time, and by a
// thread that has the turn for that. Nobody waits for the turn: what a thread cannot tell now is told by the one that
// has the turn, when it gives it back.
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// With the mutex locked, nothing running on the object and its state leaving; the caller counts as running.
void Poa::end_object(PoaLock& lock, ActiveObject& object) {
  if (!tells_of_ends()) return remove(lock, object);
  list_to_end(object);
  end_objects(lock);
}

/// With the mutex locked. What is listed counts as running.
void Poa::list_to_end(ActiveObject& object) noexcept {
  object.state = ActiveObject::State::ending;
  object.next_to_end = nullptr;
  if (first_to_end_ == nullptr) {
    first_to_end_ = &object;
  } else {
    last_to_end_->next_to_end = &object;
  }
  last_to_end_ = &object;
  some_to_end_.store(true, std::memory_order_relaxed);
  ++running_;
}

/// With the mutex locked, which is unlocked meanwhile: ends what is listed, as far as no other thread has the turn. The
/// caller counts as running.
void Poa::end_objects(PoaLock& lock) {
  if (!policies_.main_thread()) return end_objects_here(lock);
  if (first_to_end_ == nullptr) return;
  lock.unlock();
  const auto end = [this] {
    PoaLock there(slot_.mutex);
    end_objects_here(there);
  };
  try {
    wait_for_turn(end, Otherwise::run_here);
  } catch (...) {
    end();
  }
  lock.lock();
}

/// The same, on the thread that may call the application.
void Poa::end_objects_here(PoaLock& lock) {
  const bool one_at_a_time = policies_.takes_turns() && !policies_.main_thread();
  if (activator_turn_.is_mine()) return;  // a servant activator that deactivates: incarnate and etherealize do not nest
  while (ActiveObject* const object = first_to_end_) {
    if (one_at_a_time && !one_at_a_time_.take_now()) return;
    const bool taken = activator_turn_.take_now();
    if (taken) {
      first_to_end_ = object->next_to_end;
      some_to_end_.store(first_to_end_ != nullptr, std::memory_order_relaxed);
      const bool remaining = objects_.count(object->servant.get()) > 1;
      lock.unlock();
      tell_activator(*object, remaining);
      lock.lock();
      activator_turn_.give_back();  // with the mutex: whoever lists another one now finds the turn free
    }
    if (one_at_a_time) one_at_a_time_.give_back();
    if (!taken) return;
    remove(lock, *object);
    --running_;
  }
}

void Poa::tell_activator(const ActiveObject& object, bool remaining) try {
  const AroundUpcall around(*space_, AroundUpcall::In::ending, this);
  servant_source_->etherealize(object.id, *this, object.servant, object.cleanup, remaining);
} catch (...) {  // exceptions of etherealize are ignored (CORBA 3.3 part 1, 15.3.5.2)
  CORBEL_LOG(space_->core().log(), poa, warning, "servant activator failed to etherealize", {"poa", name_},
             {"object", base::ConstByteSpan(object.id)}, {"exception", orb::what_was_thrown()});
  base::call_off_thread_end();
}

/// By a thread that has just given back a turn.
void Poa::end_objects_after_turn() noexcept {
  PoaLock lock(slot_.mutex);
  if (first_to_end_ == nullptr) return;
  ++running_;
  end_objects(lock);
  lock.unlock();
  leave(nullptr);
}

/// With the mutex locked, which is unlocked meanwhile: takes the object out of the map.
void Poa::remove(PoaLock& lock, ActiveObject& object) {
  const AroundUpcall around(*space_, AroundUpcall::In::ending, this);
  ServantRef servant = objects_.remove(object);
  if (waiters_ != 0) changed_.notify_all();
  lock.unlock();
  servant.reset();  // its destructor is the application's
  lock.lock();
}

}  // namespace corbel::poa
