// SPDX-License-Identifier: Apache-2.0
// The operations of a POA on objects, ids and references.
#include <algorithm>
#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

void check_servant(const ServantRef& servant) {
  if (servant == nullptr) corba::raise("BAD_PARAM", corba::minor::kServantProblem, kNo, "the servant is nil");
}

}  // namespace

/// True if it is an id for this POA's SYSTEM_ID policy: made by the map or by the id source.
bool Poa::own_id(base::ConstByteSpan object_id) const noexcept {
  return space_->ids().may_have_made(object_id, policies_.persistent) || objects_.may_have_made(object_id);
}

void Poa::check_unique(const ServantRef& servant) {
  if (policies_.unique_ids && objects_.count(servant.get()) != 0) raise(Refused::servant_already_active);
}

/// With the mutex locked. Ids that the map makes itself would repeat in the next run of a persistent POA.
ActiveObject& Poa::add(const ServantRef& servant) {
  if (policies_.persistent) return objects_.add(space_->ids().next_id(), servant);
  return objects_.add(servant);
}

/// The id of the new object; without memory for that there is no object.
ObjectId Poa::added(const ServantRef& servant) {
  ActiveObject& object = add(servant);
  try {
    return object.id;
  } catch (...) {
    (void)objects_.remove(object);  // the caller has the servant
    throw;
  }
}

ObjectId Poa::activate_object(const ServantRef& servant) {
  require(policies_.retain && policies_.system_ids);
  check_servant(servant);
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  check_unique(servant);
  return added(servant);
}

void Poa::activate_object_with_id(const ObjectId& object_id, const ServantRef& servant) {
  require(policies_.retain);
  check_servant(servant);
  std::unique_lock lock(slot_.mutex);
  check_alive();
  if (policies_.system_ids && !own_id(object_id)) {
    corba::raise("BAD_PARAM", corba::minor::kBadObjectId, kNo, "the object id was not made by this POA");
  }
  const Left left = wait_until_left(lock, object_id, space_->shutdown_deadline());
  if (left == Left::would_wait_for_itself) raise(Refused::object_already_active);
  if (left == Left::too_late) {
    corba::raise("TIMEOUT", kStillRunning, kNo,
                 "the object with this id in POA '" + name_ +
                     "' was deactivated, but has not ended after -ORBShutdownTimeout: a request still runs");
  }
  check_alive();
  if (objects_.find(object_id) != nullptr) raise(Refused::object_already_active);
  check_unique(servant);
  objects_.add(object_id, servant);
}

void Poa::deactivate_object(const ObjectId& object_id) {
  require(policies_.retain);
  std::unique_lock lock(slot_.mutex);
  check_alive();
  ActiveObject* object = objects_.find_active(object_id);
  if (object == nullptr) raise(Refused::object_not_active);
  deactivate(*object, lock, false);
}

/// Behaves like a request that ends: the last one to end has the object end.
void Poa::deactivate(ActiveObject& object, PoaLock& lock, bool cleanup) {
  close_entry(object);
  object.state = ActiveObject::State::leaving;
  object.cleanup = cleanup;
  ++object.running;
  ++running_;
  lock.unlock();
  leave(&object);
}

void Poa::etherealize_all() {
  for (;;) {
    std::unique_lock lock(slot_.mutex);
    if (life_ != Life::alive || !tells_of_ends()) return;
    bool any = false;
    close_entries();
    objects_.for_each_active([&](ActiveObject& object) {
      any = true;
      object.state = ActiveObject::State::leaving;
      object.cleanup = true;
      if (object.running == 0) list_to_end(object);
    });
    if (!any) return;
    ++running_;
    end_objects(lock);
    lock.unlock();
    leave(nullptr);
  }
}

base::Bytes Poa::key_of(base::ConstByteSpan object_id) const {
  ObjectKey key;
  key.persistent = policies_.persistent;
  key.run = space_->ids().run();
  key.slot = slot_.number;
  key.generation = generation_;
  key.path = path_;
  key.id = object_id;
  return make_key(key);
}

ior::Ior Poa::create_reference(const std::string& type_id) {
  require(policies_.system_ids);
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  return make_reference(space_->ids().next_id(), type_id);
}

ior::Ior Poa::create_reference_with_id(const ObjectId& object_id, const std::string& type_id) {
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
    if (policies_.system_ids && !own_id(object_id)) {
      corba::raise("BAD_PARAM", corba::minor::kBadObjectId, kNo, "the object id was not made by this POA");
    }
  }
  return make_reference(object_id, type_id);
}

/// Steps of servant_to_id and servant_to_reference (CORBA 3.3 part 1, 15.3.9.31 and 32).
ObjectId Poa::id_of(const ServantRef& servant, bool default_servant_counts) {
  check_servant(servant);
  const Upcall* upcall = Upcall::current();
  const bool in_its_upcall = upcall != nullptr && &upcall->poa() == this && &upcall->servant() == servant.get();
  const bool by_map = policies_.retain && (policies_.unique_ids || policies_.implicit_activation);
  require(by_map || in_its_upcall || (default_servant_counts && policies_.use_default_servant()));
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  if (policies_.retain && policies_.unique_ids) {
    if (const ActiveObject* object = objects_.find(servant.get())) return object->id;
  }
  // A servant that is just leaving is neither active nor free.
  const bool free = !policies_.unique_ids || objects_.count(servant.get()) == 0;
  if (policies_.retain && policies_.implicit_activation && free) return added(servant);
  if (!in_its_upcall) raise(Refused::servant_not_active);
  return {upcall->id().begin(), upcall->id().end()};
}

ObjectId Poa::servant_to_id(const ServantRef& servant) {
  return id_of(servant, true);
}

ior::Ior Poa::servant_to_reference(const ServantRef& servant) {
  const ObjectId object_id = id_of(servant, false);
  return make_reference(object_id, servant->_interface_in(object_id, *this));
}

ServantRef Poa::id_to_servant(const ObjectId& object_id) {
  require(policies_.retain || policies_.use_default_servant());
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  if (const ActiveObject* object = objects_.find_active(object_id)) return object->servant;
  if (policies_.use_default_servant() && default_servant_ != nullptr) return default_servant_;
  raise(Refused::object_not_active);
}

ObjectId Poa::reference_to_id(const ior::Ior* reference) {
  check_exists();
  if (reference == nullptr) raise(Refused::wrong_adapter);
  const ior::Ior& ior = *reference;
  if (policies_.persistent) {
    // Other servers may have an adapter of this name: the key alone proves nothing.
    for (const auto& octets : space_->core().keys_of_ours(ior)) {
      ObjectKey key;
      if (parse_key(octets, key) && key.persistent && key.path == path_) return ObjectId(key.id.begin(), key.id.end());
    }
    raise(Refused::wrong_adapter);
  }
  for (const auto& profile : ior.profiles) {
    const auto octets = ior::object_key_of(profile.tag, profile.data);
    ObjectKey key;
    if (!octets || !parse_key(*octets, key) || key.persistent) continue;
    if (key.run == space_->ids().run() && key.slot == slot_.number && key.generation == generation_) {
      return ObjectId(key.id.begin(), key.id.end());
    }
  }
  raise(Refused::wrong_adapter);
}

ior::Ior Poa::id_to_reference(const ObjectId& object_id) {
  require(policies_.retain);
  ServantRef servant;
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
    const ActiveObject* object = objects_.find_active(object_id);
    if (object == nullptr) raise(Refused::object_not_active);
    servant = object->servant;
  }
  return make_reference(object_id, servant->_interface_in(object_id, *this));
}

}  // namespace corbel::poa
