// SPDX-License-Identifier: Apache-2.0
// What references say besides addresses, and policies of the application's types.
#include "corbel/interceptors/references.hpp"

#include <exception>
#include <span>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/policy_lists.hpp"
#include "corbel/interceptors/request_info.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/face.hpp"

namespace corbel::interceptors {
namespace {

using TemplateRef = IDL::traits<PortableInterceptor::ObjectReferenceTemplate>::ref_type;
using FactoryOfReferences = IDL::traits<PortableInterceptor::ObjectReferenceFactory>::ref_type;

class Template final : public PortableInterceptor::ObjectReferenceTemplate {
 public:
  Template(orb::Core& core, const orb::NewAdapter& adapter)
      : core_(core),
        orb_id_(core.options().id),
        server_id_(core.options().server_id),
        name_(adapter.name),
        references_(adapter.own) {}

  IDL::traits<CORBA::Object>::ref_type make_object(const std::string& repository_id,
                                                   const PortableInterceptor::ObjectId& id) override {
    ior::Ior ior = references_->make_reference(id, repository_id);  // throws if the ORB is gone
    return orb::face_of(core_).make_object(std::move(ior));
  }
  PortableInterceptor::ServerId server_id() override { return server_id_; }
  PortableInterceptor::ORBId orb_id() override { return orb_id_; }
  PortableInterceptor::AdapterName adapter_name() override { return name_; }

 private:
  orb::Core& core_;
  const std::string orb_id_;
  const std::string server_id_;
  const std::vector<std::string> name_;
  const std::shared_ptr<orb::ReferenceSource> references_;
};

/// What the application has put in the template's place.
class ReplacedReferences final : public orb::ReferenceSource {
 public:
  explicit ReplacedReferences(FactoryOfReferences factory) noexcept : factory_(std::move(factory)) {}

  ior::Ior make_reference(base::ConstByteSpan object_id, const std::string& type_id) override {
    const auto object = factory_->make_object(type_id, {object_id.begin(), object_id.end()});
    if (object == nullptr || object->_target() == nullptr) {
      throw CORBA::INV_OBJREF(0, kNo, "the ObjectReferenceFactory has made no reference");
    }
    return object->_target()->ior();
  }

 private:
  const FactoryOfReferences factory_;
};

class AdapterInfo final : public PortableInterceptor::IORInfo {
 public:
  AdapterInfo(const Interceptors& all, orb::NewAdapter& adapter) noexcept : all_(all), adapter_(&adapter) {}
  /// From now on the components do not change.
  void established(TemplateRef made) {
    factory_ = made;
    template_ = std::move(made);
  }
  const FactoryOfReferences& factory() const noexcept { return factory_; }
  void invalidate() noexcept { adapter_ = nullptr; }

  IDL::traits<CORBA::Policy>::ref_type get_effective_policy(CORBA::PolicyType type) override {
    const orb::NewAdapter& adapter = checked();
    if (!all_.adapters_have(type)) throw CORBA::INV_POLICY(corba::minor::kInvalidPolicyType, kNo);
    return corba::policy_of(adapter.policy(type));
  }
  void add_ior_component(const IOP::TaggedComponent& a_component) override {
    at(template_ == nullptr).components.push_back({std::nullopt, {a_component.tag(), a_component.component_data()}});
  }
  void add_ior_component_to_profile(const IOP::TaggedComponent& a_component, IOP::ProfileId profile_id) override {
    orb::NewAdapter& adapter = at(template_ == nullptr);
    const auto tag = static_cast<ior::ProfileTag>(profile_id);
    if (tag != ior::ProfileTag::internet_iop && tag != ior::ProfileTag::uiop && tag != ior::ProfileTag::corbel) {
      throw CORBA::BAD_PARAM(corba::minor::kNoSuchProfile, kNo);
    }
    adapter.components.push_back({profile_id, {a_component.tag(), a_component.component_data()}});
  }
  PortableInterceptor::AdapterManagerId manager_id() override { return checked().manager; }
  PortableInterceptor::AdapterState state() override {
    return static_cast<PortableInterceptor::AdapterState>(checked().state());
  }
  TemplateRef adapter_template() override {
    at(template_ != nullptr);
    return template_;
  }
  FactoryOfReferences current_factory() override {
    at(template_ != nullptr);
    return factory_;
  }
  void current_factory(FactoryOfReferences value) override {
    at(template_ != nullptr);
    if (value == nullptr) throw CORBA::BAD_PARAM();
    factory_ = std::move(value);
  }

 private:
  orb::NewAdapter& checked() const { return at(true); }
  orb::NewAdapter& at(bool point) const {
    if (adapter_ == nullptr || !point) throw CORBA::BAD_INV_ORDER(corba::minor::kNotAtThisPoint, kNo);
    return *adapter_;
  }

  const Interceptors& all_;
  orb::NewAdapter* adapter_;
  TemplateRef template_;
  FactoryOfReferences factory_;
};

}  // namespace

/// Calls an interceptor. What it throws goes to the log, and is returned.
std::exception_ptr Interceptors::failure_at(std::string_view point, PortableInterceptor::IORInterceptor& one,
                                            base::FunctionRef<void()> act) const noexcept {
  try {
    act();
    return nullptr;
  } catch (...) {
    CORBEL_LOG(core_.log(), orb, warning, "IOR interceptor failed", {"interceptor", one.name()}, {"point", point},
               {"exception", orb::what_was_thrown()});
    return base::handled_exception();
  }
}

void Interceptors::on_adapter(orb::NewAdapter& adapter) {
  const auto info = CORBA::make_reference<AdapterInfo>(*this, adapter);
  struct End {
    AdapterInfo& info;
    ~End() { info.invalidate(); }
  } const end{*info._shared()};
  for (const IorRef& one : iors_) {  // 16.5.4.1: whatever it throws
    (void)failure_at("establish_components", *one, [&] { one->establish_components(info); });
  }
  if (see_adapters_.empty()) return;
  const auto made = CORBA::make_reference<Template>(core_, adapter);
  info._shared()->established(made);
  for (std::size_t i = 0; i < see_adapters_.size(); ++i) {
    SeesAdapters& one = *see_adapters_[i];
    const auto failure = failure_at("components_established", one, [&] { one.components_established(info); });
    if (failure == nullptr) continue;
    tell_gone({made}, i);
    throw CORBA::OBJ_ADAPTER(corba::minor::kComponentsNotEstablished, kNo,
                             "IOR interceptor '" + one.name() + "' raised " + id_of(failure));
  }
  const FactoryOfReferences& factory = end.info.factory();
  if (factory != FactoryOfReferences(made)) adapter.source = std::make_shared<ReplacedReferences>(factory);
  adapter.known = std::make_shared<TemplateRef>(made);
}

void Interceptors::on_adapters_gone(const std::vector<std::shared_ptr<void>>& known) {
  PortableInterceptor::ObjectReferenceTemplateSeq templates;
  for (const auto& one : known) templates.push_back(*static_cast<const TemplateRef*>(one.get()));
  tell_gone(templates, see_adapters_.size());
}

void Interceptors::tell_gone(const PortableInterceptor::ObjectReferenceTemplateSeq& templates,
                             std::size_t count) const noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    SeesAdapters& one = *see_adapters_[i];
    (void)failure_at("adapter_state_changed", one,
                     [&] { one.adapter_state_changed(templates, PortableInterceptor::NON_EXISTENT); });
  }
}

void Interceptors::on_manager(const std::string& id, orb::AdapterState state) noexcept {
  const auto as_told = static_cast<PortableInterceptor::AdapterState>(state);
  for (SeesAdapters* const one : see_adapters_) {
    (void)failure_at("adapter_manager_state_changed", *one, [&] { one->adapter_manager_state_changed(id, as_told); });
  }
}

CORBA::object_reference<CORBA::Policy> make_policy(orb::Core& core, CORBA::PolicyType type, const CORBA::Any& value) {
  const auto* hooks = static_cast<const Interceptors*>(core.hooks());
  if (hooks == nullptr) return nullptr;
  const FactoryRef factory = hooks->factory(type);
  return factory == nullptr ? nullptr : factory->create_policy(type, value);
}

}  // namespace corbel::interceptors

namespace PortableInterceptor {
namespace {

constexpr std::string_view kIds[] = {"IDL:omg.org/PortableInterceptor/ObjectReferenceTemplate:1.0",
                                     "IDL:omg.org/PortableInterceptor/ObjectReferenceFactory:1.0"};

[[noreturn]] void refuse() {
  throw CORBA::MARSHAL(corbel::corba::minor::kLocalObjectMarshalled, CORBA::CompletionStatus::COMPLETED_NO,
                       "what makes the references of an adapter stays in its process");
}

}  // namespace

constinit const corbel::corba::ValueType ObjectReferenceTemplate::_static_type{kIds[0], kIds};
constinit const corbel::corba::ValueType ObjectReferenceFactory::_static_type{kIds[1], std::span(kIds).subspan(1)};

const corbel::corba::ValueType& ObjectReferenceTemplate::_value_type() const noexcept {
  return _static_type;
}
const corbel::corba::ValueType& ObjectReferenceFactory::_value_type() const noexcept {
  return _static_type;
}
void ObjectReferenceFactory::_encode_state(corbel::cdr::Encoder&) const {
  refuse();
}
void ObjectReferenceFactory::_decode_state(corbel::cdr::Decoder&) {
  refuse();
}

}  // namespace PortableInterceptor
