// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/poa_impl.hpp"

#include <cstring>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/running.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

std::string path_below(const base::SharedPtr<Poa>& parent, const std::string& parent_path, const std::string& name) {
  if (parent == nullptr) return {};
  return parent_path.empty() ? name : parent_path + kPathSeparator + name;
}

/// What came of an activation.
base::SharedPtr<Poa> made(const Activation& activation, base::SharedPtr<Poa> poa) {
  if (poa != nullptr || !activation.failure) return poa;
  throw CORBA::OBJ_ADAPTER(corba::minor::kAdapterActivatorFailed, kNo, *activation.failure);
}

}  // namespace

Poa::Poa(base::SharedPtr<AdapterSpace> space, base::SharedPtr<Poa> parent, std::string name,
         base::SharedPtr<Manager> manager, const AdapterPolicies& policies, PoaSlot& slot)
    : space_(std::move(space)),
      name_(std::move(name)),
      path_(path_below(parent, parent != nullptr ? parent->path_ : std::string(), name_)),
      manager_(std::move(manager)),
      policies_(policies),
      slot_(slot),
      generation_(slot.generation),
      parent_(std::move(parent)) {}

Poa::~Poa() = default;

base::SharedPtr<Poa> Poa::make(base::SharedPtr<AdapterSpace> space, base::SharedPtr<Poa> parent, std::string name,
                               base::SharedPtr<Manager> manager, const AdapterPolicies& policies) {
  AdapterSpace& shared = *space;
  const std::lock_guard tree(shared.tree());
  if (parent != nullptr) {
    const std::lock_guard lock(parent->slot_.mutex);
    if (parent->life_ != Life::alive) throw CORBA::BAD_INV_ORDER(corba::minor::kPoaBeingDestroyed);
    if (parent->children_.contains(name)) throw AdapterAlreadyExists();
  }
  PoaSlot& slot = shared.table().take();
  auto poa = base::make_shared<Poa>(std::move(space), parent, name, std::move(manager), policies, slot);
  {
    const std::lock_guard lock(slot.mutex);
    slot.poa = poa;
  }
  poa->manager_->add(*poa);
  poa->look_again();  // a request that came before that may have found a state that has changed since
  if (policies.persistent) shared.paths()[poa->path_] = &slot;
  if (parent != nullptr) parent->children_.emplace(std::move(name), poa);
  return poa;
}

PoaRef Poa::create_POA(const std::string& adapter_name, IDL::traits<PortableServer::POAManager>::ref_type a_POAManager,
                       const CORBA::PolicyList& policies) {
  check_exists();
  const bool too_long = path_.size() + adapter_name.size() >= kLongestPath;
  if (adapter_name.empty() || too_long || adapter_name.find(kPathSeparator) != std::string::npos) {
    throw CORBA::BAD_PARAM(corba::minor::kServantProblem, kNo, "the POA's name is empty, too long or contains NUL");
  }
  orb::CallHooks* const hooks = space_->core().attached_hooks();
  AdapterPolicies resolved = resolve_policies(policies, hooks);
  if (!space_->core().has_lane(resolved.lane)) throw InvalidPolicy(resolved.lane_index);
  if (resolved.lane_group != nullptr) {
    for (const std::string& lane : resolved.lane_group->lanes()) {
      if (!space_->core().has_lane(lane)) throw InvalidPolicy(resolved.lane_index);
    }
  }
  establish_components(resolved, hooks);
  base::SharedPtr<Manager> manager;
  if (a_POAManager == nullptr) {
    manager = space_->managers().make_implicit(space_, path_.empty() ? adapter_name : path_ + '/' + adapter_name);
  } else {
    manager = base::dynamic_pointer_cast<Manager>(a_POAManager._shared());
    if (manager == nullptr || &manager->space() != space_.get()) {
      throw CORBA::BAD_PARAM(corba::minor::kServantProblem, kNo, "the POA manager belongs to another ORB");
    }
  }
  const auto made = make(space_, shared_from(this), adapter_name, std::move(manager), resolved);
  if (resolved.both_ways) space_->core().bidirectional().serve();
  return made->self();
}

/// With the tree locked.
base::SharedPtr<Poa> Poa::existing_child(std::string_view name) const {
  const auto found = children_.find(name);
  return found == children_.end() ? nullptr : found->second;
}

base::SharedPtr<Poa> Poa::child(std::string_view name, bool activate) {
  const std::string path = path_.empty() ? std::string(name) : path_ + kPathSeparator + std::string(name);
  for (;;) {
    {
      std::unique_lock tree(space_->tree());
      if (!activate) return existing_child(name);
      if (const auto activation = space_->activations().find(path)) {
        if (!space_->activations().wait(tree, activation, space_->hold_deadline())) {
          throw CORBA::TRANSIENT(corba::minor::kHeldTooLong, kNo, "the adapter activator does not return");
        }
        if (activation->path == path) return made(*activation, existing_child(name));
        continue;
      }
      if (auto found = existing_child(name); found != nullptr || adapter_activator_ == nullptr) return found;
    }
    // No other thread may find that it is being made while this one waits for its turn: the thread that has the turn
    // may be the one that asks.
    std::optional<base::SharedPtr<Poa>> result;
    in_turn([&] { result = child_in_turn(name, path); });
    if (result) return *result;
  }
}

/// Asks the activator, unless that is no longer needed. Nothing if another thread has begun to ask: the caller then has
/// to wait for that without the turn.
std::optional<base::SharedPtr<Poa>> Poa::child_in_turn(std::string_view name, const std::string& path) {
  std::unique_lock tree(space_->tree());
  if (space_->activations().find(path) != nullptr) return std::nullopt;
  const auto activator = adapter_activator_;
  if (auto found = existing_child(name); found != nullptr || activator == nullptr) return found;
  const auto activation = space_->activations().begin(path);
  tree.unlock();
  const bool created = ask(*activator, std::string(name), activation->failure);
  tree.lock();
  space_->activations().end(activation);
  return made(*activation, created ? existing_child(name) : nullptr);
}

void Poa::wait_for_turn(base::FunctionRef<void()> act, Otherwise otherwise) {
  if (policies_.main_thread()) return space_->core().main_thread().run(act, space_->hold_deadline(), otherwise);
  (void)one_at_a_time_.take(base::Deadline::none());  // one after the other, however long each of them takes
  const HasTurn turn(*this, one_at_a_time_);
  act();
}

/// True if the activator says that it has made the adapter, or finds that it is there. Any exception but a system
/// exception means that it has not.
bool Poa::ask(PortableServer::AdapterActivator& activator, const std::string& name,
              std::optional<std::string>& failure) {
  try {
    return activator.unknown_adapter(self(), name);
  } catch (const CORBA::SystemException& exception) {
    CORBEL_LOG(space_->log(), poa, warning, "adapter activator failed", {"poa", name_}, {"missing", name},
               {"exception", exception.what()});
    failure = exception.what();
    return false;
  } catch (const AdapterAlreadyExists&) {
    return true;
  } catch (...) {
    CORBEL_LOG(space_->log(), poa, warning, "adapter activator failed", {"poa", name_}, {"missing", name},
               {"exception", orb::what_was_thrown()});
  }
  return false;
}

PoaRef Poa::find_POA(const std::string& adapter_name, bool activate_it) {
  check_exists();
  const auto found = child(adapter_name, activate_it);
  if (found == nullptr) throw AdapterNonExistent();
  return found->self();
}

void Poa::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) {
    space_->check_may_wait();
    check_not_ended_here();
  }
  if (end(etherealize_objects, wait_for_completion, space_->shutdown_deadline())) return;
  throw CORBA::TIMEOUT(kStillRunning, CORBA::CompletionStatus::COMPLETED_MAYBE,
                       "requests of POA '" + name_ + "' still run after -ORBShutdownTimeout; it ends when they do");
}

/// Throws if the calling thread is ending an object or adapter, and this adapter is that one or above it: its end would
/// wait for the calling thread.
void Poa::check_not_ended_here() const {
  const std::string below = path_.empty() ? std::string() : path_ + kPathSeparator;
  for (const AroundUpcall* around = AroundUpcall::current(); around != nullptr; around = around->previous()) {
    Poa* const poa = around->ends();
    if (poa == nullptr || &around->space() != space_.get()) continue;
    if (poa != this && !poa->path_.starts_with(below)) continue;
    const std::lock_guard lock(poa->slot_.mutex);
    if (poa->life_ == Life::gone) continue;
    throw CORBA::BAD_INV_ORDER(corba::minor::kWouldDeadlock, kNo,
                               "waiting for the end of POA '" + name_ + "' from inside the end of one of its objects");
  }
}

bool Poa::end(bool etherealize_objects, bool wait_for_completion, base::Deadline deadline) {
  const auto keep = shared_from(this);
  decltype(children_) children;
  base::SharedPtr<Poa> parent;
  decltype(adapter_activator_) activator;
  bool first = false;
  {
    const std::lock_guard tree(space_->tree());
    children.swap(children_);
    parent.swap(parent_);
    activator.swap(adapter_activator_);
    if (parent != nullptr) {
      const auto mine = parent->children_.find(name_);
      if (mine != parent->children_.end() && mine->second.get() == this) parent->children_.erase(mine);
    }
    first = begin_ending(etherealize_objects, parent);
  }
  for (const auto& [name, poa] : children) poa->end(etherealize_objects, false, deadline);
  if (first) {
    manager_->wake();
    leave(nullptr);
  }
  return !wait_for_completion || wait_until_gone(deadline);  // which is after the children
}

/// With the tree locked: no new requests from now on. The parent ends after this. False if the end had begun before.
bool Poa::begin_ending(bool etherealize_objects, const base::SharedPtr<Poa>& parent) {
  {
    const std::lock_guard lock(slot_.mutex);
    if (life_ != Life::alive) return false;
    close_entries();
    life_ = Life::ending;
    etherealize_at_end_ = etherealize_objects;
    waiting_parent_ = parent;
    ++running_;  // until the children have begun to end
  }
  if (parent == nullptr) return true;
  const std::lock_guard lock(parent->slot_.mutex);
  ++parent->running_;
  return true;
}

/// With the mutex locked and nothing running: releases everything and gives the slot back; unlocked afterwards. If a
/// servant activator has to be told before, the last of the objects comes here again.
void Poa::clear(PoaLock& lock) {
  const AroundUpcall around(*space_, AroundUpcall::In::ending, this);
  std::vector<ServantRef> servants;
  const bool begins = std::exchange(life_, Life::clearing) == Life::ending;
  if (begins && etherealize_at_end_ && activator_ != nullptr) {
    ++running_;
    for (ActiveObject* object : objects_.active()) {
      object->cleanup = true;
      list_to_end(*object);
    }
    end_objects(lock);
    if (--running_ != 0) return;
  }
  for (ActiveObject* object : objects_.active()) servants.push_back(objects_.remove(*object));
  servants.push_back(std::exchange(default_servant_, nullptr));
  const auto servant_manager = std::exchange(servant_manager_, nullptr);
  const auto activator = std::exchange(activator_, nullptr);
  const auto locator = std::exchange(locator_, nullptr);
  lock.unlock();
  manager_->remove(*this);
  base::SharedPtr<Poa> parent;
  {
    base::SharedPtr<Poa> self;
    const std::lock_guard tree(space_->tree());
    const auto mine = space_->paths().find(path_);
    if (mine != space_->paths().end() && mine->second == &slot_) space_->paths().erase(mine);
    lock.lock();
    self.swap(slot_.poa);
    parent.swap(waiting_parent_);
    ++slot_.generation;
    life_ = Life::gone;
    changed_.notify_all();
    lock.unlock();
    space_->table().give_back(slot_);
  }
  if (parent != nullptr) parent->leave(nullptr);
}

std::string Poa::the_name() {
  check_exists();
  return name_;
}

PoaRef Poa::the_parent() {
  check_exists();
  const std::lock_guard tree(space_->tree());
  return parent_ == nullptr ? nullptr : parent_->self();
}

PortableServer::POAList Poa::the_children() {
  check_exists();
  PortableServer::POAList list;
  const std::lock_guard tree(space_->tree());
  for (const auto& [name, poa] : children_) list.push_back(poa->self());
  return list;
}

IDL::traits<PortableServer::POAManager>::ref_type Poa::the_POAManager() {
  return IDL::traits<PortableServer::POAManager>::ref_type(manager_);
}

IDL::traits<PortableServer::POAManagerFactory>::ref_type Poa::the_POAManagerFactory() {
  check_exists();
  return IDL::traits<PortableServer::POAManagerFactory>::ref_type(space_->managers().factory(space_));
}

IDL::traits<PortableServer::AdapterActivator>::ref_type Poa::the_activator() {
  check_exists();
  const std::lock_guard tree(space_->tree());
  return adapter_activator_;
}

void Poa::the_activator(IDL::traits<PortableServer::AdapterActivator>::ref_type activator) {
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  const std::lock_guard tree(space_->tree());
  adapter_activator_.swap(activator);
}

std::vector<std::uint8_t> Poa::id() {
  check_exists();
  std::vector<std::uint8_t> octets(sizeof slot_.number + sizeof generation_);
  std::memcpy(octets.data(), &slot_.number, sizeof slot_.number);
  std::memcpy(octets.data() + sizeof slot_.number, &generation_, sizeof generation_);
  return octets;
}

bool Poa::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

void Poa::check_exists() {
  const std::lock_guard lock(slot_.mutex);
  if (life_ == Life::clearing || life_ == Life::gone) check_alive();
}

void Poa::check_alive() const {
  if (life_ != Life::alive) {
    throw CORBA::OBJECT_NOT_EXIST(corba::minor::kAdapterGone, kNo, "POA '" + name_ + "' has been destroyed");
  }
}

}  // namespace corbel::poa
