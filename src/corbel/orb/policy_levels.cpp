// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/policy_levels.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "corbel/base/thread_value.hpp"

namespace corbel::orb {

using corba::PolicySet;
using corba::PolicySetPtr;

/// A thread's policies for one ORB, and what it last made of them.
struct PolicyLevels::OfThread {
  std::uint64_t levels;
  PolicySetPtr set;
  // Valid for a reference with these overrides, as long as the ORB's version is this.
  PolicySetPtr reference;
  std::uint64_t version = 0;
  EffectivePtr effective;

  static std::vector<OfThread>& all() { return base::ThreadValue<std::vector<OfThread>>::here(); }
};

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

PolicyLevels::PolicyLevels(const policy::ClientPolicies& defaults, const policy::ProtocolPreference& preference,
                           Edges& edges)
    : defaults_(defaults),
      preference_(preference),
      id_(next_id()),
      edges_(edges),
      of_orb_alone_(new EffectivePolicies(defaults, preference)) {}

PolicySetPtr PolicyLevels::of_orb() {
  const std::lock_guard lock(mutex_);
  return of_orb_;
}

void PolicyLevels::change_orb(const corba::PolicyCores& policies, PolicySet::Change how) {
  PolicySetPtr before;  // what is let go of may run code of the application: after the lock
  const std::lock_guard lock(mutex_);
  PolicySetPtr changed = PolicySet::changed(of_orb_, policies, how);
  before = std::move(of_orb_);
  of_orb_ = std::move(changed);
  of_orb_alone_ = resolve(nullptr, nullptr);
  ++version_;
  edges_.change();
}

PolicyLevels::OfThread* PolicyLevels::thread() const noexcept {
  auto& all = OfThread::all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OfThread& one) { return one.levels == id_; });
  return found == all.end() ? nullptr : &*found;
}

PolicySetPtr PolicyLevels::of_thread() const {
  const OfThread* mine = thread();
  return mine == nullptr ? nullptr : mine->set;
}

void PolicyLevels::change_thread(const corba::PolicyCores& policies, PolicySet::Change how) {
  OfThread* mine = thread();
  PolicySetPtr changed = PolicySet::changed(mine == nullptr ? nullptr : mine->set, policies, how);
  if (changed != nullptr) edges_.set(Edges::kThreadPolicies, true);
  set_thread(std::move(changed));
}

void PolicyLevels::set_thread(PolicySetPtr policies) {
  OfThread* mine = thread();
  if (policies == nullptr) {
    if (mine == nullptr) return;
    const OfThread before = std::move(*mine);  // goes last: it may run code of the application
    OfThread::all().erase(OfThread::all().begin() + (mine - OfThread::all().data()));
    return;
  }
  if (mine == nullptr) mine = &OfThread::all().emplace_back(OfThread{id_, nullptr, nullptr, 0, nullptr});
  mine->effective = nullptr;
  mine->set = std::move(policies);
}

void PolicyLevels::replace_thread(PolicySetPtr policies) noexcept try {
  if (!(of_thread() == policies)) set_thread(std::move(policies));
} catch (const std::bad_alloc&) {
  // The room that the thread had for them is another ORB's by now: it does without.
}

EffectivePtr PolicyLevels::effective(ReferencePolicies& reference) {
  if (OfThread* mine = thread(); mine != nullptr) return effective_in(*mine, reference);
  const std::lock_guard lock(mutex_);
  if (reference.overrides_ == nullptr) return of_orb_alone_;
  if (reference.version_ != version_) {
    reference.effective_ = resolve(reference.overrides_, nullptr);
    reference.version_ = version_;
  }
  return reference.effective_;
}

EffectivePtr PolicyLevels::effective_in(OfThread& thread, const ReferencePolicies& reference) {
  PolicySetPtr before;  // what is let go of may run code of the application: after the lock
  const std::lock_guard lock(mutex_);
  if (thread.effective == nullptr || thread.version != version_ || !(thread.reference == reference.overrides_)) {
    thread.effective = resolve(reference.overrides_, thread.set);
    before = std::exchange(thread.reference, reference.overrides_);
    thread.version = version_;
  }
  return thread.effective;
}

/// With the mutex.
EffectivePtr PolicyLevels::resolve(const PolicySetPtr& reference, const PolicySetPtr& thread) const {
  policy::ClientPolicies calls = defaults_;
  for (const PolicySetPtr* level : {&of_orb_, &thread, &reference}) {  // the weakest first
    if (*level != nullptr) (*level)->calls().apply_to(calls);
  }
  return EffectivePtr(new EffectivePolicies(calls, preference_));
}

corba::PolicyCorePtr PolicyLevels::find(const ReferencePolicies& reference, std::uint32_t type) {
  for (const PolicySetPtr& level : {reference.overrides_, of_thread(), of_orb()}) {  // the strongest first
    if (auto found = PolicySet::find(level, type); found != nullptr) return found;
  }
  return corba::make_default_policy(defaults_, type);
}

}  // namespace corbel::orb
