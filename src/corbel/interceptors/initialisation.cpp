// SPDX-License-Identifier: Apache-2.0
#include "corbel/interceptors/initialisation.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/corba/define_exception.hpp"
#include "corbel/corba/local_interface.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/interceptors/interceptors.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/orb.hpp"

template struct corbel::corba::KnownLocalInterface<PortableInterceptor::Interceptor>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::Current>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::RequestInfo>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ClientRequestInfo>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ServerRequestInfo>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ClientRequestInterceptor>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ServerRequestInterceptor>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::IORInfo>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::IORInterceptor>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::IORInterceptor_3_0>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::PolicyFactory>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ORBInitInfo>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ORBInitInfo_3_1>;
template struct corbel::corba::KnownLocalInterface<PortableInterceptor::ORBInitializer>;

namespace PortableInterceptor {

CORBEL_DEFINE_EXCEPTION_NAMES(ForwardRequest, "ForwardRequest")
void ForwardRequest::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  const bool remote = _forward != nullptr && _forward->_target() != nullptr;
  corbel::ior::encode(encoder, remote ? _forward->_target()->ior() : corbel::ior::Ior());
}

CORBEL_DEFINE_EXCEPTION_NAMES(ORBInitInfo::DuplicateName, "DuplicateName")
void ORBInitInfo::DuplicateName::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put_plain_string(_name_);
}

ProcessingModePolicy::ProcessingModePolicy(ProcessingMode mode) : mode_(mode) {
  if (mode < LOCAL_AND_REMOTE || mode > LOCAL_ONLY) throw CORBA::BAD_PARAM();
}
IDL::traits<CORBA::Policy>::ref_type ProcessingModePolicy::copy() {
  return CORBA::make_reference<ProcessingModePolicy>(mode_);
}
bool ProcessingModePolicy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id);
}

}  // namespace PortableInterceptor

namespace corbel::interceptors {
namespace {

using PortableInterceptor::ProcessingMode;

ProcessingMode mode_of(const CORBA::PolicyList& policies) {
  if (policies.empty()) return PortableInterceptor::LOCAL_AND_REMOTE;
  if (policies.size() > 1 || policies[0] == nullptr) throw CORBA::PolicyError(CORBA::BAD_POLICY);
  const auto policy = IDL::traits<PortableInterceptor::ProcessingModePolicy>::narrow(policies[0]);
  if (policy == nullptr) throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY);
  return policy->processing_mode();
}

using InitializerRef = IDL::traits<PortableInterceptor::ORBInitializer>::ref_type;

/// The initialisers of the process.
class Initializers {
 public:
  static Initializers& instance() {
    static Initializers& all = *new Initializers;  // ORBs may be made while the process ends
    return all;
  }
  void add(InitializerRef initializer) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(initializer));
  }
  std::vector<InitializerRef> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  base::ForkMutex mutex_;  // guards all_
  std::vector<InitializerRef> all_;
};

class InitInfo final : public PortableInterceptor::ORBInitInfo_3_1 {
 public:
  InitInfo(orb::Core& core, Interceptors& interceptors, const std::vector<std::string>& arguments)
      : core_(core), interceptors_(interceptors), arguments_(arguments) {}

  enum class Stage : std::uint8_t { pre_init, post_init, over };
  void enter(Stage stage) noexcept { stage_ = stage; }

  std::vector<std::string> arguments() override {
    check();
    return arguments_;
  }
  std::string orb_id() override {
    check();
    return core_.options().id;
  }
  IDL::traits<IOP::CodecFactory>::ref_type codec_factory() override {
    check();
    return CORBA::make_reference<IOP::CodecFactory>(orb::face_of(core_));
  }
  void register_initial_reference(const ObjectId& id, IDL::traits<CORBA::Object>::ref_type obj) override {
    check();
    try {
      orb::face_of(core_).orb()->register_initial_reference(id, std::move(obj));
    } catch (const CORBA::InvalidName&) {
      throw InvalidName();
    }
  }
  IDL::traits<CORBA::Object>::ref_type resolve_initial_references(const ObjectId& id) override {
    check();
    if (stage_ == Stage::pre_init) {
      throw CORBA::BAD_INV_ORDER(corba::minor::kNotAtThisPoint, CORBA::CompletionStatus::COMPLETED_NO,
                                 "resolve_initial_references is for post_init");
    }
    try {
      return orb::face_of(core_).orb()->resolve_initial_references(id);
    } catch (const CORBA::InvalidName&) {
      throw InvalidName();
    }
  }
  void add_client_request_interceptor(ClientRef interceptor) override {
    add_client_request_interceptor_with_policy(std::move(interceptor), {});
  }
  void add_server_request_interceptor(ServerRef interceptor) override {
    add_server_request_interceptor_with_policy(std::move(interceptor), {});
  }
  void add_ior_interceptor(IorRef interceptor) override { add_ior_interceptor_with_policy(std::move(interceptor), {}); }
  void add_client_request_interceptor_with_policy(ClientRef interceptor, const CORBA::PolicyList& policies) override {
    check();
    interceptors_.add(std::move(interceptor), mode_of(policies));
  }
  void add_server_request_interceptor_with_policy(ServerRef interceptor, const CORBA::PolicyList& policies) override {
    check();
    interceptors_.add(std::move(interceptor), mode_of(policies));
  }
  void add_ior_interceptor_with_policy(IorRef interceptor, const CORBA::PolicyList& policies) override {
    check();
    (void)mode_of(policies);
    interceptors_.add(std::move(interceptor));
  }
  void register_policy_factory(CORBA::PolicyType type, FactoryRef policy_factory) override {
    check();
    interceptors_.add(type, std::move(policy_factory));
  }
  PortableInterceptor::SlotId allocate_slot_id() override {
    check();
    return interceptors_.slots()->allocate();
  }

 private:
  void check() const {
    if (stage_ == Stage::over) {
      throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO, "the ORB has been made");
    }
  }

  orb::Core& core_;
  Interceptors& interceptors_;
  const std::vector<std::string> arguments_;
  Stage stage_ = Stage::pre_init;
};

}  // namespace

void initialise(orb::Core& core, const std::vector<std::string>& arguments, const orb::Initialisers& own) {
  auto all = Initializers::instance().all();
  for (const auto& each : own) all.emplace_back(each);
  if (all.empty()) return;
  auto made = std::make_unique<Interceptors>(core);
  Interceptors& interceptors = *made;
  core.set_hooks(std::move(made));
  const auto info = CORBA::make_reference<InitInfo>(core, interceptors, arguments);
  struct End {
    InitInfo& info;
    ~End() { info.enter(InitInfo::Stage::over); }
  } const end{*info._shared()};
  for (const auto& one : all) one->pre_init(info);
  end.info.enter(InitInfo::Stage::post_init);
  for (const auto& one : all) one->post_init(info);
  interceptors.slots()->seal();
  core.attach_hooks();
}

}  // namespace corbel::interceptors

void PortableInterceptor::register_orb_initializer(IDL::traits<ORBInitializer>::ref_type init) {
  if (init == nullptr) throw CORBA::BAD_PARAM();
  corbel::interceptors::Initializers::instance().add(std::move(init));
}
