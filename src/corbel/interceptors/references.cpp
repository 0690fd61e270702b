// SPDX-License-Identifier: Apache-2.0
// What references say besides addresses, and policies of the application's types.
#include "corbel/interceptors/references.hpp"

#include <exception>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/policy_lists.hpp"
#include "corbel/interceptors/request_info.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"

namespace corbel::interceptors {
namespace {

constexpr CORBA::PolicyType kFirstOfAdapters = 16, kLastOfAdapters = 22;

class AdapterInfo final : public PortableInterceptor::IORInfo {
 public:
  AdapterInfo(const Interceptors& all, orb::NewAdapter& adapter) noexcept : all_(all), adapter_(&adapter) {}
  void invalidate() noexcept { adapter_ = nullptr; }

  IDL::traits<CORBA::Policy>::ref_type get_effective_policy(CORBA::PolicyType type) override {
    const orb::NewAdapter& adapter = checked();
    const bool known = (type >= kFirstOfAdapters && type <= kLastOfAdapters) || all_.takes_policy(type);
    if (!known) throw CORBA::INV_POLICY(corba::minor::kInvalidPolicyType, kNo);
    return corba::policy_of(adapter.policy(type));
  }
  void add_ior_component(const IOP::TaggedComponent& a_component) override {
    checked().components.push_back({std::nullopt, {a_component.tag(), a_component.component_data()}});
  }
  void add_ior_component_to_profile(const IOP::TaggedComponent& a_component, IOP::ProfileId profile_id) override {
    orb::NewAdapter& adapter = checked();
    const auto tag = static_cast<ior::ProfileTag>(profile_id);
    if (tag != ior::ProfileTag::internet_iop && tag != ior::ProfileTag::uiop && tag != ior::ProfileTag::corbel) {
      throw CORBA::BAD_PARAM(corba::minor::kNoSuchProfile, kNo);
    }
    adapter.components.push_back({profile_id, {a_component.tag(), a_component.component_data()}});
  }

 private:
  orb::NewAdapter& checked() const {
    if (adapter_ == nullptr) throw CORBA::BAD_INV_ORDER(corba::minor::kNotAtThisPoint, kNo);
    return *adapter_;
  }

  const Interceptors& all_;
  orb::NewAdapter* adapter_;
};

}  // namespace

void Interceptors::on_adapter(orb::NewAdapter& adapter) noexcept {
  if (iors_.empty()) return;
  try {
    const auto info = CORBA::make_reference<AdapterInfo>(*this, adapter);
    for (const IorRef& one : iors_) {
      try {
        one->establish_components(info);
      } catch (...) {  // 16.5.1.1: as if nothing had happened
        CORBEL_LOG(core_.log(), orb, warning, "establish_components failed", {"interceptor", one->name()},
                   {"exception", orb::what_was_thrown()});
      }
    }
    info._shared()->invalidate();
  } catch (const std::bad_alloc&) {
    CORBEL_LOG(core_.log(), orb, error, "no memory for an IORInfo");
  }
}

CORBA::object_reference<CORBA::Policy> make_policy(orb::Core& core, CORBA::PolicyType type, const CORBA::Any& value) {
  const auto* hooks = static_cast<const Interceptors*>(core.hooks());
  if (hooks == nullptr) return nullptr;
  const FactoryRef factory = hooks->factory(type);
  return factory == nullptr ? nullptr : factory->create_policy(type, value);
}

}  // namespace corbel::interceptors
