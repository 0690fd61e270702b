// SPDX-License-Identifier: Apache-2.0
#include "poa/poa.hpp"

#include <cstring>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "orb/core.hpp"
#include "poa/object_key.hpp"
#include "poa/upcall.hpp"

namespace corbel::poa {
namespace {

std::string path_below(const base::SharedPtr<Poa>& parent, const std::string& parent_path, const std::string& name) {
  if (parent == nullptr) return {};
  return parent_path.empty() ? name : parent_path + kPathSeparator + name;
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
  if (policies.persistent) shared.paths()[poa->path_] = &slot;
  if (parent != nullptr) parent->children_.emplace(std::move(name), poa);
  return poa;
}

PoaRef Poa::create_POA(const std::string& adapter_name, IDL::traits<PortableServer::POAManager>::ref_type a_POAManager,
                       const CORBA::PolicyList& policies) {
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  const bool too_long = path_.size() + adapter_name.size() >= kLongestPath;
  if (adapter_name.empty() || too_long || adapter_name.find(kPathSeparator) != std::string::npos) {
    throw CORBA::BAD_PARAM(corba::minor::kServantProblem, kNo, "the POA's name is empty, too long or contains NUL");
  }
  const AdapterPolicies resolved = resolve_policies(policies);
  base::SharedPtr<Manager> manager;
  if (a_POAManager == nullptr) {
    manager = space_->managers().make_implicit(space_, path_.empty() ? adapter_name : path_ + '/' + adapter_name);
  } else {
    manager = base::dynamic_pointer_cast<Manager>(a_POAManager._shared());
    if (manager == nullptr || &manager->space() != space_.get()) {
      throw CORBA::BAD_PARAM(corba::minor::kServantProblem, kNo, "the POA manager belongs to another ORB");
    }
  }
  return make(space_, shared_from(this), adapter_name, std::move(manager), resolved)->self();
}

base::SharedPtr<Poa> Poa::child(std::string_view name, bool activate) {
  IDL::traits<PortableServer::AdapterActivator>::ref_type activator;
  const auto look = [&]() -> base::SharedPtr<Poa> {
    const std::lock_guard tree(space_->tree());
    activator = adapter_activator_;
    const auto found = children_.find(name);
    return found == children_.end() ? nullptr : found->second;
  };
  if (auto found = look(); found != nullptr || !activate || activator == nullptr) return found;
  bool created = false;
  try {
    created = activator->unknown_adapter(self(), std::string(name));
  } catch (const CORBA::SystemException& exception) {
    CORBEL_LOG(space_->core().log(), poa, warning, "adapter activator failed", {"poa", name_}, {"missing", name},
               {"exception", exception.what()});
    throw CORBA::OBJ_ADAPTER(corba::minor::kAdapterActivatorFailed, kNo, exception.what());
  }
  return created ? look() : nullptr;
}

PoaRef Poa::find_POA(const std::string& adapter_name, bool activate_it) {
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  const auto found = child(adapter_name, activate_it);
  if (found == nullptr) throw AdapterNonExistent();
  return found->self();
}

void Poa::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) space_->check_may_wait();
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  end(etherealize_objects, wait_for_completion);
}

void Poa::end(bool etherealize_objects, bool wait_for_completion) {
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
  for (const auto& [name, poa] : children) poa->end(etherealize_objects, wait_for_completion);
  if (first) {
    manager_->wake();
    leave(nullptr);
  }
  if (!wait_for_completion) return;
  std::unique_lock lock(slot_.mutex);
  ++waiters_;
  changed_.wait(lock, [&] { return life_ == Life::gone; });
  --waiters_;
}

/// With the tree locked: no new requests from now on. The parent ends after this. False if it has begun before.
bool Poa::begin_ending(bool etherealize_objects, const base::SharedPtr<Poa>& parent) {
  {
    const std::lock_guard lock(slot_.mutex);
    if (life_ != Life::alive) return false;
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

/// With the mutex locked and nothing running: releases everything and gives the slot back; unlocked afterwards.
void Poa::clear(PoaLock& lock) {
  const AroundUpcall around(*space_, AroundUpcall::In::ending);
  life_ = Life::clearing;
  std::vector<ServantRef> servants;
  for (ActiveObject* object : objects_.active()) {
    object->state = ActiveObject::State::ending;
    object->cleanup = true;
    if (etherealize_at_end_ && activator_ != nullptr) {
      const bool remaining = objects_.count(object->servant._shared().get()) > 1;
      lock.unlock();
      tell_activator(*object, remaining);
      lock.lock();
    }
    servants.push_back(objects_.remove(*object));
  }
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

void Poa::wait_until_idle(base::FunctionRef<bool()> give_up) {
  std::unique_lock lock(slot_.mutex);
  ++waiters_;
  changed_.wait(lock, [&] { return running_ == 0 || life_ != Life::alive || give_up(); });
  --waiters_;
}

void Poa::look_again() {
  const std::lock_guard lock(slot_.mutex);
  if (waiters_ != 0) changed_.notify_all();
}

std::string Poa::the_name() {
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  return name_;
}

PoaRef Poa::the_parent() {
  const std::lock_guard tree(space_->tree());
  return parent_ == nullptr ? nullptr : parent_->self();
}

PortableServer::POAList Poa::the_children() {
  PortableServer::POAList list;
  const std::lock_guard tree(space_->tree());
  for (const auto& [name, poa] : children_) list.push_back(poa->self());
  return list;
}

IDL::traits<PortableServer::POAManager>::ref_type Poa::the_POAManager() {
  return IDL::traits<PortableServer::POAManager>::ref_type(manager_);
}

IDL::traits<PortableServer::POAManagerFactory>::ref_type Poa::the_POAManagerFactory() {
  return IDL::traits<PortableServer::POAManagerFactory>::ref_type(space_->managers().factory(space_));
}

IDL::traits<PortableServer::AdapterActivator>::ref_type Poa::the_activator() {
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
  std::vector<std::uint8_t> octets(sizeof slot_.number + sizeof generation_);
  std::memcpy(octets.data(), &slot_.number, sizeof slot_.number);
  std::memcpy(octets.data() + sizeof slot_.number, &generation_, sizeof generation_);
  return octets;
}

bool Poa::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

void Poa::check_alive() const {
  if (life_ != Life::alive) {
    throw CORBA::OBJECT_NOT_EXIST(corba::minor::kAdapterGone, kNo, "POA '" + name_ + "' has been destroyed");
  }
}

}  // namespace corbel::poa
