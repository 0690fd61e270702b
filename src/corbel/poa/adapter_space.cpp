// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/adapter_space.hpp"

#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

AdapterSpace::AdapterSpace(orb::Core& core, const AdapterMakers& makers) noexcept
    : core_(core),
      makers_(makers),
      hold_timeout_(core.request_policies().hold),
      shutdown_timeout_(core.options().timeouts.shutdown) {}

base::Deadline AdapterSpace::hold_deadline() const {
  return base::Deadline::after(hold_timeout_);
}

base::Deadline AdapterSpace::shutdown_deadline() const {
  const bool unbounded = shutdown_timeout_ == base::Duration::zero();
  return unbounded ? base::Deadline::none() : base::Deadline::after(shutdown_timeout_);
}

const base::Log& AdapterSpace::log() const noexcept {
  return core_.log();
}

base::SharedPtr<Poa> AdapterSpace::root() {
  const auto here = std::this_thread::get_id();
  if (root_maker_ == here) {
    corba::raise("BAD_INV_ORDER", corba::minor::kNotAtThisPoint, corba::Completed::no, "the root POA is being made");
  }
  const std::lock_guard lock(root_mutex_);
  if (root_ != nullptr || closed()) return root_;
  struct Making {
    std::atomic<std::thread::id>& maker;
    ~Making() { maker = std::thread::id(); }
  } const making{root_maker_};
  root_maker_ = here;
  AdapterPolicies policies;
  policies.implicit_activation = true;  // CORBA 3.3 part 1, 15.3.8
  const auto self = shared_from(this);
  root_ = Poa::make(self, nullptr, std::string(kRootName), managers_.make_implicit(self, "RootPOAManager"), policies);
  if (closed()) (void)root_->end(true, false, base::Deadline::none());  // by hooks that were told of it
  return root_;
}

base::SharedPtr<Poa> AdapterSpace::existing_root() {
  if (root_maker_ == std::this_thread::get_id()) return nullptr;
  const std::lock_guard lock(root_mutex_);
  return root_;
}

bool AdapterSpace::close(bool wait, base::Deadline deadline) {
  closed_.store(true, std::memory_order_release);
  const auto root = existing_root();
  // Requests that a manager held learn from their POA that it ends.
  if (root != nullptr) (void)root->end(true, false, deadline);
  // Now that no POA can be made any more, these are all managers that have one.
  for (const auto& manager : managers_.close()) manager->retire();
  if (!wait) return root == nullptr || root->is_gone();
  if (!wait_until_told(deadline)) return false;
  if (root == nullptr) return true;
  if (!root->end(true, true, deadline)) return false;  // a thread that closes again with waiting waits for it
  const std::lock_guard lock(root_mutex_);
  root_.reset();
  return true;
}

bool AdapterSpace::in_request() const noexcept {
  for (const Upcall* upcall = Upcall::current(); upcall != nullptr; upcall = upcall->previous()) {
    if (&upcall->poa().space() == this) return true;
  }
  for (const AroundUpcall* around = AroundUpcall::current(); around != nullptr; around = around->previous()) {
    if (&around->space() == this && around->in_request()) return true;
  }
  return orb::AtEdge::is_of(core_);
}

bool AdapterSpace::in_upcall() const noexcept {
  for (const AroundUpcall* around = AroundUpcall::current(); around != nullptr; around = around->previous()) {
    if (&around->space() == this) return true;
  }
  return in_request();
}

void AdapterSpace::check_may_wait() const {
  if (!in_request()) return;
  corba::raise("BAD_INV_ORDER", corba::minor::kWouldDeadlock, kNo,
               "waiting for requests to finish from inside a request");
}

void AdapterSpace::check_may_wait_for_requests() const {
  check_may_wait();
  if (!in_upcall()) return;
  corba::raise("BAD_INV_ORDER", corba::minor::kWouldDeadlock, kNo,
               "waiting for requests to finish from inside the end of an object or an IOR interceptor");
}

ior::Ior AdapterSpace::make_ior(base::ConstByteSpan key, const std::string& type_id, const AdapterPolicies& policies) {
  ior::Ior ior{type_id, {}};
  const auto select = [&](std::vector<ior::TaggedProfile>& profiles) {
    for (const SelectsProfiles* const selector : policies.selectors) selector->select_profiles(profiles);
  };
  if (policies.lane_group == nullptr) {
    ior.profiles = core_.make_profiles(key, policies.lane);
  } else {
    std::vector<std::vector<ior::TaggedProfile>> profiles;
    for (const std::string& lane : policies.lane_group->lanes()) {
      profiles.push_back(core_.make_profiles(key, lane));
      select(profiles.back());  // before a profile of one lane lists endpoints of another
    }
    ior.profiles = policies.lane_group->join(std::move(profiles));
  }
  select(ior.profiles);
  if (!policies.selectors.empty() && ior.profiles.empty()) {
    corba::raise("INV_POLICY", 0, kNo, "the adapter listens by nothing that its policies let references name");
  }
  return ior;
}

orb::CallHooks* AdapterSpace::hooks() const noexcept {
  orb::CallHooks* const hooks = core_.attached_hooks();
  return hooks != nullptr && hooks->for_adapters() ? hooks : nullptr;
}

AdapterSpace::Telling::Telling(AdapterSpace& space) : space_(space) {
  if (space.closed() || space.hooks() == nullptr) return;
  const std::lock_guard lock(space.telling_mutex_);
  if (space.closed()) return;  // and its end may not wait for this
  ++space.telling_;
  hooks_ = space.hooks();
}

AdapterSpace::Telling::~Telling() {
  if (hooks_ == nullptr) return;
  const std::lock_guard lock(space_.telling_mutex_);
  --space_.telling_;
  space_.told_.notify_all();
}

bool AdapterSpace::wait_until_told(base::Deadline deadline) {
  std::unique_lock lock(telling_mutex_);
  const auto over = [&] { return telling_ == 0; };
  if (!deadline.is_none()) return told_.wait_for(lock, deadline.remaining(), over);
  told_.wait(lock, over);
  return true;
}

}  // namespace corbel::poa
