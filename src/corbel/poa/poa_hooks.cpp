// SPDX-License-Identifier: Apache-2.0
// What hooks are told of an adapter, and what they make of its references.
#include <new>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// The references of a POA as it makes them itself, for hooks.
class Poa::OwnReferences final : public orb::ReferenceSource {
 public:
  explicit OwnReferences(const base::SharedPtr<Poa>& poa) : poa_(poa) {}

  ior::Ior make_reference(base::ConstByteSpan object_id, const std::string& type_id) override {
    const auto poa = poa_.lock();
    if (poa == nullptr) corba::raise("OBJECT_NOT_EXIST", corba::minor::kAdapterGone, kNo, "the POA has been destroyed");
    {
      const std::lock_guard lock(poa->slot_.mutex);
      poa->check_alive();
    }
    return poa->own_reference(object_id, type_id);
  }

 private:
  const base::WeakPtr<Poa> poa_;
};

/// No lock is held: hooks call the application.
void Poa::introduce(orb::CallHooks& hooks) {
  const AroundUpcall around(*space_, AroundUpcall::In::ending);
  hooked_ = std::make_unique<Hooked>();
  const auto policy = [this](std::uint32_t type) { return space_->makers().policy(policies_, type); };
  const auto state = [this] { return static_cast<orb::AdapterState>(manager_->state()); };
  std::vector<std::string> name = names_of(path_);
  name.insert(name.begin(), std::string(kRootName));
  orb::NewAdapter adapter{.policy = policy,
                          .state = state,
                          .manager = manager_->id(),
                          .name = std::move(name),
                          .own = std::make_shared<OwnReferences>(self()),
                          .components = hooked_->components};
  hooks.on_adapter(adapter);
  hooked_->source = std::move(adapter.source);
  hooked_->known = std::move(adapter.known);
}

ior::Ior Poa::make_reference(base::ConstByteSpan object_id, const std::string& type_id) {
  if (hooked_ != nullptr && hooked_->source != nullptr) return hooked_->source->make_reference(object_id, type_id);
  return own_reference(object_id, type_id);
}

ior::Ior Poa::own_reference(base::ConstByteSpan object_id, const std::string& type_id) {
  ior::Ior ior = space_->make_ior(key_of(object_id), type_id, policies_);
  if (hooked_ == nullptr) return ior;
  for (const auto& added : hooked_->components) {
    for (ior::TaggedProfile& profile : ior.profiles) {
      if (!added.profile || *added.profile == profile.tag) (void)ior::add_component(profile, added.component);
    }
  }
  return ior;
}

void Poa::note_gone(Gone& gone) noexcept try {
  if (hooked_ != nullptr && hooked_->known != nullptr) gone.push_back(hooked_->known);
} catch (const std::bad_alloc&) {
  log_untold();
}

/// Comes before the last of them counts as ended, so that the ORB is there.
void Poa::tell_gone(const Gone& gone) noexcept try {
  orb::CallHooks* const hooks = gone.empty() ? nullptr : space_->hooks();
  if (hooks == nullptr) return;
  const AroundUpcall around(*space_, AroundUpcall::In::ending, this);
  hooks->on_adapters_gone(gone);
} catch (const std::bad_alloc&) {
  log_untold();
}

void Poa::log_untold() noexcept {
  CORBEL_LOG(space_->log(), poa, error, "no memory to tell that a POA is gone", {"poa", shown_path()});
}

}  // namespace corbel::poa
