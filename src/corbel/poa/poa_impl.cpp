// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/poa_impl.hpp"

#include <cstring>
#include <exception>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/running.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

/// What hooks have of the thread that waits, the one that runs something for it has meanwhile.
class Borrowed {
 public:
  Borrowed(orb::CallHooks* hooks, void* lent) noexcept : hooks_(lent == nullptr ? nullptr : hooks), lent_(lent) {
    if (hooks_ != nullptr) hooks_->borrow(lent_);
  }
  ~Borrowed() {
    if (hooks_ != nullptr) hooks_->give_back(lent_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  orb::CallHooks* const hooks_;
  void* const lent_;
};

/// What came of an activation.
base::SharedPtr<Poa> made(const Activation& activation, base::SharedPtr<Poa> poa) {
  if (poa != nullptr || !activation.failure) return poa;
  corba::raise("OBJ_ADAPTER", corba::minor::kAdapterActivatorFailed, kNo, *activation.failure);
}

}  // namespace

Poa::Poa(PoaMaking making)
    : space_(std::move(making.space)),
      name_(std::move(making.name)),
      path_(making.parent == nullptr ? std::string() : path_below(making.parent->path_, name_)),
      manager_(std::move(making.manager)),
      policies_(making.policies),
      slot_(making.slot),
      generation_(making.slot.generation),
      parent_(std::move(making.parent)) {}

Poa::~Poa() = default;

void Poa::raise(Refused why) const {
  throw_refused(why);
  std::terminate();
}

void Poa::check_name(const std::string& name) {
  const bool too_long = path_.size() + name.size() >= kLongestPath;
  if (name.empty() || too_long || name.find(kPathSeparator) != std::string::npos) {
    corba::raise("BAD_PARAM", corba::minor::kServantProblem, kNo, "the POA's name is empty, too long or contains NUL");
  }
}

/// With the tree locked.
base::SharedPtr<Poa> Poa::existing_child(std::string_view name) const {
  const auto found = children_.find(name);
  return found == children_.end() ? nullptr : found->second;
}

base::SharedPtr<Poa> Poa::child(std::string_view name, Missing missing) {
  const std::string path = path_below(path_, name);
  for (;;) {
    {
      std::unique_lock tree(space_->tree());
      if (missing == Missing::leave || space_->activations().asks_here(path)) return existing_child(name);
      if (const auto activation = space_->activations().find(path)) {
        if (!space_->activations().wait(tree, activation, space_->hold_deadline())) {
          corba::raise("TRANSIENT", corba::minor::kHeldTooLong, kNo, "the adapter activator does not return");
        }
        if (activation->path == path) return made(*activation, existing_child(name));
        continue;
      }
      if (auto found = existing_child(name); found != nullptr || child_source_ == nullptr) return found;
      // Before the activator has its turn, which requests of the old one may need.
      if (leaving_.contains(name)) {
        if (missing == Missing::activate_for_request) {
          corba::raise("TRANSIENT", corba::minor::kPoaDestroyed, kNo,
                       "POA '" + std::string(name) + "' is being destroyed");
        }
        wait_until_free(tree, name);
        continue;
      }
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
  const auto source = child_source_;
  if (auto found = existing_child(name); found != nullptr || source == nullptr) return found;
  const auto activation = space_->activations().begin(path);
  tree.unlock();
  bool created = false;
  {
    struct Over {  // also without memory: nobody is to wait for it then
      ~Over() {
        tree.lock();
        activations.end(activation);
      }
      std::unique_lock<std::mutex>& tree;
      Activations& activations;
      const std::shared_ptr<Activation>& activation;
    } const over{tree, space_->activations(), activation};
    created = ask(*source, std::string(name), activation->failure);
  }
  return made(*activation, created ? existing_child(name) : nullptr);
}

void Poa::wait_for_turn(base::FunctionRef<void()> act, Otherwise otherwise, corba::ServerCall* call) {
  const auto begin_by = [&] { return call == nullptr ? base::Deadline::none() : call->begin_by(); };
  bool waits = true;
  const auto act_in_time = [&] {
    if (call != nullptr) call->check_in_time();
    waits = false;
    act();
  };
  if (policies_.main_thread()) {
    try {
      return wait_for_main_thread(act_in_time, otherwise, begin_by());
    } catch (const corba::SystemExceptionCore&) {
      if (waits && call != nullptr) call->check_in_time();
      throw;
    }
  }
  // One after the other, however long each of them takes.
  while (!one_at_a_time_.take(begin_by())) call->check_in_time();
  const HasTurn turn(*this, one_at_a_time_);
  act_in_time();
}

void Poa::wait_for_main_thread(base::FunctionRef<void()> act, Otherwise otherwise, base::Deadline begin_by) {
  orb::CallHooks* const hooks = space_->core().attached_hooks();
  void* const lent = hooks == nullptr ? nullptr : hooks->lend();
  const auto here = std::this_thread::get_id();
  const auto act_there = [&] {
    const Borrowed borrowed(hooks, lent);
    std::optional<orb::PolicyLevels::Restored> restored;
    if (std::this_thread::get_id() != here) restored.emplace(space_->core().policies());
    act();
  };
  // Without a limit for turns what can be done here waits no longer than the end that it belongs to.
  const bool bounded = space_->holds() || otherwise == Otherwise::refuse;
  const base::Deadline limit = bounded ? turn_deadline() : space_->shutdown_deadline();
  space_->core().main_thread().run(act_there, earlier(limit, begin_by), otherwise);
}

/// True if the activator says that it has made the adapter, or finds that it is there. Any exception but a system
/// exception means that it has not.
bool Poa::ask(ChildSource& source, const std::string& name, std::optional<std::string>& failure) {
  try {
    return source.unknown_adapter(*this, name);
  } catch (const corba::SystemExceptionCore& exception) {
    CORBEL_LOG(space_->log(), poa, warning, "adapter activator failed", {"poa", name_}, {"missing", name},
               {"exception", exception.what()});
    failure = exception.what();
  } catch (...) {
    CORBEL_LOG(space_->log(), poa, warning, "adapter activator failed", {"poa", name_}, {"missing", name},
               {"exception", orb::what_was_thrown()});
    base::call_off_thread_end();
  }
  return false;
}

void Poa::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) {
    space_->check_may_wait();
    check_not_ended_here();
  }
  if (end(etherealize_objects, wait_for_completion, space_->shutdown_deadline())) return;
  corba::raise("TIMEOUT", kStillRunning, corba::Completed::maybe,
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
    corba::raise("BAD_INV_ORDER", corba::minor::kWouldDeadlock, kNo,
                 "waiting for the end of POA '" + name_ + "' from inside the end of one of its objects");
  }
}

bool Poa::end(bool etherealize_objects, bool wait_for_completion, base::Deadline deadline) {
  const auto keep = shared_from(this);
  Gone gone;
  end_tree(etherealize_objects, gone, true);
  return !wait_for_completion || wait_until_gone(deadline);  // which is after the children
}

/// Begins the end of this POA and of those below. Hooks are told of all of them together by the outermost.
void Poa::end_tree(bool etherealize_objects, Gone& gone, bool outermost) {
  decltype(children_) children;
  base::SharedPtr<Poa> parent;
  ChildSourcePtr source;
  bool first = false;
  {
    const std::lock_guard tree(space_->tree());
    children.swap(children_);
    parent.swap(parent_);
    source.swap(child_source_);
    if (parent != nullptr) {
      const auto mine = parent->children_.find(name_);
      if (mine != parent->children_.end() && mine->second.get() == this) {
        parent->leaving_.insert(parent->children_.extract(mine));  // which does not allocate
      }
    }
    first = begin_ending(etherealize_objects, parent);
    space_->ends_changed().notify_all();
  }
  if (first) note_gone(gone);
  for (const auto& [name, poa] : children) poa->end_tree(etherealize_objects, gone, false);
  if (!first) return;
  manager_->wake();
  if (outermost) tell_gone(gone);
  leave(nullptr);
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
  ServantRef default_servant;
  const bool begins = std::exchange(life_, Life::clearing) == Life::ending;
  if (begins && etherealize_at_end_ && tells_of_ends()) {
    ++running_;
    objects_.for_each_active([&](ActiveObject& object) {
      object.cleanup = true;
      list_to_end(object);
    });
    end_objects(lock);
    if (--running_ != 0) return;
  }
  default_servant.swap(default_servant_);
  const auto source = std::exchange(servant_source_, nullptr);
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
    if (parent != nullptr) {
      const auto leaving = parent->leaving_.find(name_);
      if (leaving != parent->leaving_.end() && leaving->second.get() == this) parent->leaving_.erase(leaving);
    }
    ++slot_.generation;
    life_ = Life::gone;
    changed_.notify_all();
    lock.unlock();
    space_->table().give_back(slot_);
    space_->ends_changed().notify_all();
  }
  if (parent != nullptr) parent->leave(nullptr);
  // Nobody looks at the objects any more; the destructors of servants are the application's.
  objects_.for_each_active([&](ActiveObject& object) {
    lock.lock();
    const ServantRef servant = objects_.remove(object);
    lock.unlock();
  });
}

std::string Poa::the_name() {
  check_exists();
  return name_;
}

base::SharedPtr<Poa> Poa::the_parent() {
  check_exists();
  const std::lock_guard tree(space_->tree());
  return parent_;
}

std::vector<base::SharedPtr<Poa>> Poa::the_children() {
  check_exists();
  std::vector<base::SharedPtr<Poa>> list;
  const std::lock_guard tree(space_->tree());
  for (const auto& [name, poa] : children_) list.push_back(poa);
  return list;
}

ChildSourcePtr Poa::child_source() {
  check_exists();
  const std::lock_guard tree(space_->tree());
  return child_source_;
}

void Poa::set_child_source(ChildSourcePtr source) {
  const std::lock_guard tree(space_->tree());  // first: an end that begins after the look drops it
  {
    const std::lock_guard lock(slot_.mutex);
    check_alive();
  }
  child_source_.swap(source);
}

base::Bytes Poa::id() {
  check_exists();
  base::Bytes octets(sizeof slot_.number + sizeof generation_);
  std::memcpy(octets.data(), &slot_.number, sizeof slot_.number);
  std::memcpy(octets.data() + sizeof slot_.number, &generation_, sizeof generation_);
  return octets;
}

void Poa::check_exists() {
  const std::lock_guard lock(slot_.mutex);
  if (life_ == Life::clearing || life_ == Life::gone) check_alive();
}

void Poa::check_alive() const {
  if (life_ != Life::alive) {
    corba::raise("OBJECT_NOT_EXIST", corba::minor::kAdapterGone, kNo, "POA '" + name_ + "' has been destroyed");
  }
}

}  // namespace corbel::poa
