// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/corba/servant_core.hpp"

namespace corbel::poa {

using ServantRef = corba::ServantCorePtr;
using ObjectId = base::Bytes;
class Entry;

/// One object in the map. Stays at its address; its octets stay while it is in the map.
struct ActiveObject {
  enum class State : std::uint8_t {
    free,
    active,   ///< requests find it
    leaving,  ///< deactivated; requests that run finish
    ending,   ///< no request runs; about to be etherealised, or just being so
  };
  ObjectId id;
  ServantRef servant;
  std::uint32_t slot = 0;
  std::uint32_t generation = 1;
  std::uint32_t running = 0;  ///< requests, other than those that the entry counts
  State state = State::free;
  bool indexed = false;  ///< found by its octets, not by its slot
  bool cleanup = false;  ///< the adapter is going away
  ActiveObject* next_to_end = nullptr;
  Entry* entry = nullptr;  ///< for calls of this process; stays with the slot
};

/// The active object map of one POA: from object id to servant and back, in constant time, without allocation when
/// looking up. Ids of its own making are a slot and a generation, so that looking them up is indexing and a stale id is
/// known; other ids are hashed. Not thread-safe: the POA's mutex guards it.
class ActiveObjectMap {
 public:
  /// The object, whatever its state; nullptr if there is none.
  ActiveObject* find(base::ConstByteSpan id) noexcept;
  /// The object if requests may go to it.
  ActiveObject* find_active(base::ConstByteSpan id) noexcept {
    ActiveObject* object = find(id);
    return object != nullptr && object->state == ActiveObject::State::active ? object : nullptr;
  }
  /// An active object that the servant incarnates; nullptr if none.
  ActiveObject* find(const corba::ServantCore* servant) noexcept;
  /// Objects that the servant incarnates, whatever their state.
  std::size_t count(const corba::ServantCore* servant) const noexcept { return by_servant_.count(servant); }

  /// Adds an object under an id of the map's own making.
  ActiveObject& add(const ServantRef& servant);
  /// Adds an object under an id that is not in the map.
  ActiveObject& add(const ObjectId& id, const ServantRef& servant);
  /// Takes the object out; its id becomes stale. The caller releases the servant without holding locks.
  ServantRef remove(ActiveObject& object);
  /// True if the map itself made the id at some time.
  bool may_have_made(base::ConstByteSpan id) const noexcept;

  /// Calls `act` with each object that is active, when its turn comes. It may remove it; nothing may be added
  /// meanwhile.
  template <class Act>
  void for_each_active(const Act& act) {
    for (ActiveObject& object : objects_) {
      if (object.state == ActiveObject::State::active) act(object);
    }
  }
  /// One on which requests run, or that is about to end; nullptr if none.
  const ActiveObject* find_busy() const noexcept;
  bool empty() const noexcept { return by_servant_.empty(); }

 private:
  ActiveObject& take_slot(ServantRef servant);
  template <class Name>
  ActiveObject& named(ActiveObject& object, const Name& name);

  std::deque<ActiveObject> objects_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::string_view, std::uint32_t> by_id_;  // keys refer to the objects' ids
  std::unordered_multimap<const corba::ServantCore*, std::uint32_t> by_servant_;
};

}  // namespace corbel::poa
