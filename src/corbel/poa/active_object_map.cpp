// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/active_object_map.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace corbel::poa {
namespace {

struct OwnId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

bool read_own(base::ConstByteSpan id, OwnId& own) noexcept {
  if (id.size() != sizeof own) return false;
  std::memcpy(&own, id.data(), sizeof own);
  return true;
}

}  // namespace

ActiveObject* ActiveObjectMap::find(base::ConstByteSpan id) noexcept {
  OwnId own;
  if (read_own(id, own) && own.slot < objects_.size()) {
    ActiveObject& object = objects_[own.slot];
    const bool same = object.generation == own.generation && object.state != ActiveObject::State::free;
    if (same && !object.indexed) return &object;
  }
  if (by_id_.empty()) return nullptr;
  const auto found = by_id_.find(base::as_text(id));
  return found == by_id_.end() ? nullptr : &objects_[found->second];
}

ActiveObject* ActiveObjectMap::find(const corba::ServantCore* servant) noexcept {
  const auto [begin, end] = by_servant_.equal_range(servant);
  for (auto i = begin; i != end; ++i) {
    ActiveObject& object = objects_[i->second];
    if (object.state == ActiveObject::State::active) return &object;
  }
  return nullptr;
}

ActiveObject& ActiveObjectMap::take_slot(ServantRef servant) {
  if (free_.empty()) {
    free_.reserve(objects_.size() + 1);  // so that remove() need not allocate
    objects_.emplace_back();
    objects_.back().slot = static_cast<std::uint32_t>(objects_.size() - 1);
    free_.push_back(objects_.back().slot);
  }
  ActiveObject& object = objects_[free_.back()];
  by_servant_.emplace(servant.get(), object.slot);
  free_.pop_back();
  object.servant = std::move(servant);
  object.state = ActiveObject::State::active;
  object.running = 0;
  object.indexed = false;
  object.cleanup = false;
  return object;
}

/// Without memory for the name there is no object either; the servant is still its caller's.
template <class Name>
ActiveObject& ActiveObjectMap::named(ActiveObject& object, const Name& name) try {
  name();
  return object;
} catch (...) {
  (void)remove(object);
  throw;
}

ActiveObject& ActiveObjectMap::add(const ServantRef& servant) {
  ActiveObject& object = take_slot(servant);
  return named(object, [&] {
    const OwnId own{object.slot, object.generation};
    const auto* octets = reinterpret_cast<const std::uint8_t*>(&own);
    object.id.assign(octets, octets + sizeof own);
  });
}

ActiveObject& ActiveObjectMap::add(const ObjectId& id, const ServantRef& servant) {
  ActiveObject& object = take_slot(servant);
  return named(object, [&] {
    object.id = id;
    by_id_.emplace(base::as_text(object.id), object.slot);
    object.indexed = true;
  });
}

ServantRef ActiveObjectMap::remove(ActiveObject& object) {
  if (object.indexed) by_id_.erase(base::as_text(object.id));
  const auto [begin, end] = by_servant_.equal_range(object.servant.get());
  for (auto i = begin; i != end; ++i) {
    if (i->second != object.slot) continue;
    by_servant_.erase(i);
    break;
  }
  object.state = ActiveObject::State::free;
  ++object.generation;
  free_.push_back(object.slot);
  return std::exchange(object.servant, nullptr);
}

bool ActiveObjectMap::may_have_made(base::ConstByteSpan id) const noexcept {
  OwnId own;
  return read_own(id, own) && own.slot < objects_.size() && own.generation <= objects_[own.slot].generation;
}

const ActiveObject* ActiveObjectMap::find_busy() const noexcept {
  const auto found = std::find_if(objects_.begin(), objects_.end(), [](const ActiveObject& object) {
    return object.state == ActiveObject::State::ending ||
           (object.state != ActiveObject::State::free && object.running != 0);
  });
  return found == objects_.end() ? nullptr : &*found;
}

}  // namespace corbel::poa
