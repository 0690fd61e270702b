// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/adapter_impl.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/poa/built_in_operations.hpp"
#include "corbel/poa/known_ways.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

/// A copy, for one object, of a request that came for several.
class CopiedCall final : public corba::ServerCall {
 public:
  CopiedCall(corba::ServerCall& call, cdr::Decoder& arguments) noexcept
      : ServerCall(call.operation(), &arguments, nullptr), call_(call) {}
  void reply(base::FunctionRef<void(cdr::Encoder&)>) override {}
  void show_sender(base::FunctionRef<void(const RequestPeer&)> to) override { call_.show_sender(to); }
  base::Deadline begin_by() override { return call_.begin_by(); }

 private:
  corba::ServerCall& call_;
};

}  // namespace

Adapter::Adapter(orb::Core& core, const AdapterMakers& makers)
    : space_(base::make_shared<AdapterSpace>(core, makers)) {}

void Adapter::dispatch(base::ConstByteSpan object_key, corba::ServerCall& call) {
  KnownWays::Use way(space_.get(), object_key);
  orb::Place* const place = way.place();
  if (place != nullptr && place->leads()) [[likely]] {
    CORBEL_PROBE("servant lookup");
    if (place->serve(call)) [[likely]]
      return;
    way.forget();
  }
  take(object_key, call, way.place());
}

void Adapter::dispatch_here(base::ConstByteSpan object_key, corba::ServerCall& call, orb::Place& place) {
  take(object_key, call, &place);
}

/// What is sent to a group is for its members alone: whoever may send to it need not reach other objects.
void Adapter::dispatch_to_group(base::ConstByteSpan profile_body, corba::ServerCall& call) {
  const auto members = space_->core().groups().members(profile_body);
  if (members == nullptr) corba::raise("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, kNo);
  take_for_all(*members, call);
}

void Adapter::locate(base::ConstByteSpan object_key) {
  find(object_key, nullptr);
}
void Adapter::locate_for(base::ConstByteSpan object_key, orb::Sender sender) {
  find(object_key, &sender);
}

void Adapter::find(base::ConstByteSpan object_key, const orb::Sender* sender) {
  ObjectKey key;
  if (!parse_key(object_key, key)) forward_named(object_key);
  PoaLock lock;
  Poa* const poa = lock_poa(key, lock);
  // Whoever may not call learns no more than by calling: not which objects there are.
  if (sender != nullptr && poa->policies().callers != nullptr) poa->check_caller((*sender)(), "LocateRequest");
  if (!poa->knows(key.id)) corba::raise("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, kNo);
}

void Adapter::check_both_ways(base::ConstByteSpan object_key) {
  ObjectKey key;
  if (parse_key(object_key, key)) {
    PoaLock lock;
    if (lock_poa(key, lock)->policies().both_ways) return;
  }
  corba::raise("OBJ_ADAPTER", corba::minor::kOtherWayOnly, kNo,
               "the object adapter does not answer over connections that this process has opened: its "
               "BidirectionalPolicy is not BOTH");
}

bool Adapter::made_here(base::ConstByteSpan object_key) const noexcept {
  ObjectKey key;
  return parse_key(object_key, key) && !key.persistent && key.run == space_->ids().run();
}

bool Adapter::describe(orb::ServedObject& object) {
  const Upcall* upcall = Upcall::current();
  if (upcall == nullptr) return false;
  object.object_id.assign(upcall->id().begin(), upcall->id().end());
  object.adapter_id = upcall->poa().id();
  object.policies = std::make_shared<const AdapterPolicies>(upcall->poa().policies());
  object.adapter_name = names_of(upcall->poa().path());
  return true;
}
std::string Adapter::served_interface() {
  const Upcall* upcall = Upcall::current();
  return upcall == nullptr ? std::string() : interface_of(*upcall);
}
bool Adapter::served_is_a(const std::string& id) {
  const Upcall* upcall = Upcall::current();
  return upcall != nullptr && (upcall->servant()._is_a(id) || interface_of(*upcall) == id);
}
corba::PolicyCorePtr Adapter::served_policy(const orb::ServedObject& object, std::uint32_t type) {
  const auto* policies = static_cast<const AdapterPolicies*>(object.policies.get());
  return policies == nullptr ? nullptr : space_->makers().policy(*policies, type);
}

std::shared_ptr<const void> Adapter::policies_at(base::ConstByteSpan object_key) {
  ObjectKey key;
  if (!parse_key(object_key, key)) return nullptr;
  std::unique_lock<std::mutex> tree;
  PoaSlot* slot = nullptr;
  if (key.persistent) {
    tree = std::unique_lock(space_->tree());
    const auto found = space_->paths().find(key.path);
    if (found != space_->paths().end()) slot = found->second;
  } else if (key.run == space_->ids().run()) {
    slot = space_->table().find(key.slot);
  }
  if (slot == nullptr) return nullptr;
  const PoaLock lock(slot->mutex);
  if (slot->poa == nullptr || (!key.persistent && slot->generation != key.generation)) return nullptr;
  return std::make_shared<const AdapterPolicies>(slot->poa->policies());
}

orb::ObjectAdapter::Hold Adapter::hold() noexcept {
  const Upcall* const upcall = Upcall::current();
  if (upcall == nullptr) return {};
  // Those of locators and default servants are in no map that would keep them.
  corba::ServantCore& servant = upcall->servant();
  return {&upcall->poa(), upcall->poa().hold(*upcall), servant.shared_from(&servant)};
}
void Adapter::release(const Hold& hold) noexcept {
  if (hold.adapter != nullptr) static_cast<Poa*>(hold.adapter)->release(static_cast<ActiveObject*>(hold.object));
}

[[gnu::always_inline]] inline void Adapter::take(base::ConstByteSpan object_key, corba::ServerCall& call,
                                                 orb::Place* place) {
  CORBEL_PROBE("object adapter");
  ObjectKey key;
  if (!parse_key(object_key, key)) [[unlikely]] {
    if (const auto members = space_->core().groups().members(object_key)) return take_for_all(*members, call);
    forward_named(object_key);
  }
  std::optional<base::Deadline> held_until;
  for (;;) {
    PoaLock lock;
    if (lock_poa(key, lock, &call)->serve(lock, key.id, call, held_until, place)) return;
  }
}

/// Gives a request to a group to each member, one after the other; an error of one does not concern the others.
void Adapter::take_for_all(const orb::GroupTable::Keys& members, corba::ServerCall& call) {
  if (members.size() > 1 && call.local_arguments() != nullptr) call.use_octets();
  // What lies apart would be the first one's alone.
  if (members.size() > 1) (void)call.arguments().join_rest();
  for (std::size_t i = 0; i + 1 < members.size(); ++i) {
    cdr::Decoder arguments = call.arguments();
    CopiedCall copy(call, arguments);
    try {
      take(members[i], copy, nullptr);
    } catch (...) {  // an exception of whatever kind, or a reference to where the object is now
      CORBEL_LOG(space_->core().log(), poa, debug, "a member of a group did not serve a request",
                 {"operation", call.operation()}, {"exception", orb::what_was_thrown()});
      base::call_off_thread_end();
    }
  }
  take(members.back(), call, nullptr);
}

/// The POA that the key names, with its mutex locked.
Poa* Adapter::lock_poa(const ObjectKey& key, PoaLock& lock, corba::ServerCall* call) {
  if (key.persistent) return lock_persistent(key, lock, call);
  PoaSlot* slot = key.run == space_->ids().run() ? space_->table().find(key.slot) : nullptr;
  if (slot == nullptr) [[unlikely]]
    refuse("the reference was made by an earlier run of the server");
  lock = std::unique_lock(slot->mutex);
  if (slot->generation != key.generation || slot->poa == nullptr) [[unlikely]]
    refuse("its POA has been destroyed");
  return slot->poa.get();
}

Poa* Adapter::lock_persistent(const ObjectKey& key, PoaLock& lock, corba::ServerCall* call) {
  for (bool activated = false;; activated = true) {
    {
      std::unique_lock tree(space_->tree());
      // Asked again after each: an activator of a POA above may have begun to make the next one meanwhile.
      while (const auto activation = space_->activations().find(key.path)) [[unlikely]] {
          wait_for(tree, activation, call);
        }
      const auto found = space_->paths().find(key.path);
      if (found != space_->paths().end()) {
        lock = std::unique_lock(found->second->mutex);
        return found->second->poa.get();
      }
    }
    if (activated || !activate(key.path)) refuse("there is no such POA");
    if (call != nullptr) call->check_in_time();
  }
}

/// A request for a POA that is being made waits, as long as one would for a manager.
void Adapter::wait_for(std::unique_lock<std::mutex>& tree, const ActivationPtr& activation, corba::ServerCall* call) {
  const base::Deadline begin_by = call == nullptr ? base::Deadline::none() : call->begin_by();
  const base::Deadline deadline = earlier(space_->hold_deadline(), begin_by);
  bool over = false;
  do {  // the clock may lag behind the wait
    over = space_->activations().wait(tree, activation, deadline);
  } while (!over && !deadline.expired());
  if (call != nullptr) call->check_in_time();
  if (over) return;
  corba::raise("TRANSIENT", corba::minor::kHeldTooLong, kNo,
               "the adapter activator has not made POA '" + activation->path + "' in time");
}

/// Walks down the path, asking adapter activators for what is missing.
bool Adapter::activate(std::string_view path) {
  base::SharedPtr<Poa> poa = space_->root();
  while (poa != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find(kPathSeparator), path.size());
    poa = poa->child(path.substr(0, end), Poa::Missing::activate_for_request);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return poa != nullptr;
}

void Adapter::refuse(std::string why) const {
  if (space_->closed()) corba::raise("TRANSIENT", corba::minor::kPoaDestroyed, kNo, "the server is shutting down");
  corba::raise("OBJECT_NOT_EXIST", corba::minor::kPoaNotFound, kNo, std::move(why));
}

/// A key that no POA made may be the name of an initial reference, or in the IORTable (corbaloc:...:/Name).
void Adapter::forward_named(base::ConstByteSpan object_key) const {
  if (auto ior = named(base::as_text(object_key))) throw orb::LocationForward{*std::move(ior), false};
  if (space_->closed()) refuse({});  // and its names, perhaps, before
  corba::raise("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, kNo, "no object has this key");
}

}  // namespace corbel::poa
