// SPDX-License-Identifier: Apache-2.0
#include "corbel/interceptors/client_info.hpp"

#include "corbel/corba/policy_lists.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::interceptors {
namespace {

/// A reference to what was called, with its policies.
class Called final : public CORBA::Object {};

/// By which the request goes; null if there is none.
const ior::TaggedProfile* profile_of(const orb::ClientRequest& request) noexcept {
  const auto& profiles = request.effective.profiles;
  return request.effective_profile < profiles.size() ? &profiles[request.effective_profile] : nullptr;
}

std::vector<ior::TaggedComponent> components_of(const ior::TaggedProfile& profile, const cdr::Limits& limits) {
  if (auto iiop = ior::decode_iiop_profile(profile, limits)) return std::move(iiop->components);
  if (auto local = ior::decode_uiop_profile(profile, limits)) return std::move(local->components);
  if (auto datagrams = ior::decode_diop_profile(profile, limits)) return std::move(datagrams->components);
  if (auto own = ior::decode_corbel_profile(profile, limits)) return std::move(own->components);
  return {};
}

}  // namespace

CORBA::Any ClientInfo::get_slot(PortableInterceptor::SlotId id) {
  static const SlotValues kNone;
  const auto* values = static_cast<const SlotValues*>(at(ClientPoints::kAll).slots.get());
  return all_.slots()->get(values == nullptr ? kNone : *values, id);
}

IDL::traits<CORBA::Object>::ref_type ClientInfo::target() {
  auto object = base::make_shared<Called>();
  object->_bind(at(ClientPoints::kAll).target);
  return CORBA::object_reference<CORBA::Object>(std::move(object));
}

IDL::traits<CORBA::Object>::ref_type ClientInfo::effective_target() {
  const orb::ClientRequest& request = at(ClientPoints::kAll);
  return request.effective == request.target->ior() ? target()
                                                    : orb::face_of(all_.core()).make_object(request.effective);
}

IOP::TaggedProfile ClientInfo::effective_profile() {
  const ior::TaggedProfile* profile = profile_of(at(ClientPoints::kAll));
  return profile == nullptr ? IOP::TaggedProfile() : IOP::TaggedProfile(profile->tag, profile->data);
}

IOP::TaggedComponent ClientInfo::get_effective_component(IOP::ComponentId id) {
  return get_effective_components(id).front();
}

IOP::TaggedComponentSeq ClientInfo::get_effective_components(IOP::ComponentId id) {
  IOP::TaggedComponentSeq found;
  if (const ior::TaggedProfile* profile = profile_of(at(ClientPoints::kExceptions))) {
    for (auto& one : components_of(*profile, all_.core().limits())) {
      if (one.tag == id) found.emplace_back(id, std::move(one.data));
    }
  }
  if (found.empty()) throw CORBA::BAD_PARAM(corba::minor::kNoComponent, kNo);
  return found;
}

IDL::traits<CORBA::Policy>::ref_type ClientInfo::get_request_policy(CORBA::PolicyType type) {
  auto policy = corba::policy_of(at(ClientPoints::kExceptions).target->policy(type));
  if (policy == nullptr) throw CORBA::INV_POLICY(corba::minor::kPolicyNotThere, kNo);
  return policy;
}

}  // namespace corbel::interceptors
