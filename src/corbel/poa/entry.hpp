// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "corbel/orb/entrance.hpp"
#include "corbel/poa/gate.hpp"

namespace corbel::poa {

class Poa;
struct ActiveObject;

/// The way to one object for calls of this process. Made when the first one comes, and stays with the object's slot in
/// the map, whichever object that holds.
class Entry final : public orb::Entrance {
 public:
  Entry(Poa& poa, ActiveObject& object) noexcept : poa_(poa), object_(object) {}
  bool serve(std::uint64_t ticket, corba::ServerCall& call) override;
  Gate& gate() noexcept { return gate_; }
  ActiveObject& object() const noexcept { return object_; }

 private:
  class Inside;

  alignas(64) Gate gate_;  // calls to different objects do not share a cache line
  // Both exist while somebody is inside:
  Poa& poa_;
  ActiveObject& object_;
};

/// Those of one POA. Guarded by its mutex.
struct Entries final : orb::Entrances {
  std::deque<Entry> all;
  std::uint64_t last_ticket = 0;
};

}  // namespace corbel::poa
