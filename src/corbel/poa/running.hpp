// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "corbel/poa/poa_impl.hpp"

namespace corbel::poa {

/// Counts a request as running on its POA, and on an object of it, as long as it lives. Made with the POA's mutex
/// locked; unlocks it.
class Poa::Running {
 public:
  Running(Poa& poa, PoaLock& lock, ActiveObject* object = nullptr) noexcept : poa_(poa), object_(object) {
    ++poa.running_;
    if (object != nullptr) ++object->running;
    lock.unlock();
  }
  ~Running() { poa_.leave(object_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Takes over an object on which the request has been counted.
  void set_object(ActiveObject& object) noexcept { object_ = &object; }

 private:
  Poa& poa_;
  ActiveObject* object_;
};

/// Gives back a turn that was taken, and with it ends the objects whose end other threads have left to the one that has
/// it.
class Poa::HasTurn {
 public:
  HasTurn(Poa& poa, Turn& turn) noexcept : poa_(poa), turn_(turn) {}
  ~HasTurn() {
    turn_.give_back();
    // Whoever left something has found the turn taken after that, so it is seen here.
    if (poa_.some_to_end_.load(std::memory_order_relaxed) && !turn_.is_mine()) [[unlikely]]
      poa_.end_objects_after_turn();
  }
  HasTurn(const HasTurn&) = delete;
  HasTurn& operator=(const HasTurn&) = delete;

 private:
  Poa& poa_;
  Turn& turn_;
};

}  // namespace corbel::poa
