// SPDX-License-Identifier: Apache-2.0
// What happens at the edges of calls: references say that messages may come compressed, and calls through such
// references, and replies of adapters with policies of their own, go to the session with the terms of their
// compression.
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "corbel/base/thread_value.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/ior/profile.hpp"
#include "layer.hpp"
#include "policies.hpp"

namespace corbel::ziop {
namespace {

namespace pi = PortableInterceptor;
constexpr const char* kName = "corbel.ziop";

/// An interceptor must not disturb the call that it looks at: for want of anything, that is not compressed.
template <class Do>
void quietly(Do action) noexcept {
  try {
    action();
  } catch (...) {
    return;
  }
}

/// Nothing of a profile that no GIOP goes to.
std::optional<std::vector<ior::TaggedComponent>> components_of(const ior::TaggedProfile& profile) {
  if (auto iiop = ior::decode_iiop_profile(profile)) return std::move(iiop->components);
  if (auto local = ior::decode_uiop_profile(profile)) return std::move(local->components);
  if (auto own = ior::decode_corbel_profile(profile)) return std::move(own->components);
  if (auto datagrams = ior::decode_diop_profile(profile)) return std::move(datagrams->components);
  return std::nullopt;
}

Exposed exposed_in(const std::vector<ior::TaggedComponent>& components) {
  for (const auto& component : components) {
    if (component.tag != kTagPolicies) continue;
    if (Exposed exposed = decode_exposed(component.data); exposed.enabled) return exposed;
  }
  return {};
}

/// What all of its profiles say of compression: the call may go by any. A thread mostly calls the same object again.
const Exposed& exposed_in(const ior::Ior& ior) {
  struct Last {
    ior::Ior ior;
    Exposed exposed;
  };
  Last& last = base::ThreadValue<Last>::here();
  if (last.ior == ior) return last.exposed;
  std::optional<Exposed> all;
  for (const auto& profile : ior.profiles) {
    const auto components = components_of(profile);
    if (!components) continue;
    Exposed one = exposed_in(*components);
    all = all ? Exposed{all->enabled && one.enabled, in_common(all->compressors, one.compressors)} : std::move(one);
  }
  last = {ior, all.value_or(Exposed())};
  return last.exposed;
}

class ClientSide final : public pi::ClientRequestInterceptor {
 public:
  using Info = IDL::traits<pi::ClientRequestInfo>::ref_type;
  explicit ClientSide(EnginePtr engine) : engine_(std::move(engine)) {}

  std::string name() override { return kName; }
  void send_request(Info info) override {
    quietly([&] {
      const auto effective = info->effective_target();
      if (effective->_target() == nullptr) return;
      const Exposed& exposed = exposed_in(effective->_target()->ior());
      if (!exposed.enabled) return;
      const auto target = info->target();
      Terms terms =
          terms_of([&](CORBA::PolicyType type) { return target->_get_client_policy(type); }, engine_->terms());
      if (!terms.enabled) return;
      terms.compressors = engine_->manager().known(in_common(terms.compressors, exposed.compressors));
      if (terms.compressors.empty()) return;
      info->add_request_service_context(IOP::ServiceContext(Engine::kTermsContext, engine_->encode(terms)), true);
    });
  }
  void send_poll(Info) override {}
  void receive_reply(Info) override {}
  void receive_exception(Info) override {}
  void receive_other(Info) override {}

 private:
  const EnginePtr engine_;
};

/// Which adapters have policies of compression. Thread-safe.
class Adapters {
 public:
  using Name = pi::AdapterName;

  /// An adapter has been made: what is known of others of its name holds no longer.
  void made(bool with_policies) {
    const std::lock_guard lock(mutex_);
    known_.clear();
    if (with_policies) any_.store(true, std::memory_order_relaxed);
  }
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// What `find` says, which is asked once for each name.
  template <class Find>
  std::optional<base::Bytes> terms(const Name& name, const Find& find) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(name); found != known_.end()) return found->second;
    }
    std::optional<base::Bytes> terms = find();
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(name, terms);
    return terms;
  }

 private:
  static constexpr std::size_t kMost = 1024;

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::map<Name, std::optional<base::Bytes>> known_;  // nothing: the ORB's hold
};

class ServerSide final : public pi::ServerRequestInterceptor {
 public:
  using Info = IDL::traits<pi::ServerRequestInfo>::ref_type;
  ServerSide(EnginePtr engine, std::shared_ptr<Adapters> adapters)
      : engine_(std::move(engine)), adapters_(std::move(adapters)) {}

  std::string name() override { return kName; }
  void receive_request_service_contexts(Info) override {}
  void receive_request(Info) override {}
  void send_reply(Info info) override { tell(info); }
  void send_exception(Info info) override { tell(info); }
  void send_other(Info info) override { tell(info); }

 private:
  static PolicyRef policy(const Info& info, CORBA::PolicyType type) try {
    return info->get_server_policy(type);
  } catch (const CORBA::INV_POLICY&) {  // the adapter has none
    return nullptr;
  }

  void tell(const Info& info) {
    if (!adapters_->any()) return;
    quietly([&] {
      const auto of_adapter = [&](CORBA::PolicyType type) { return policy(info, type); };
      const auto terms = adapters_->terms(info->adapter_name(), [&]() -> std::optional<base::Bytes> {
        if (!any_policy(of_adapter)) return std::nullopt;
        return engine_->encode(terms_of(of_adapter, engine_->terms()));
      });
      if (terms) info->add_reply_service_context(IOP::ServiceContext(Engine::kTermsContext, *terms), true);
    });
  }

  const EnginePtr engine_;
  const std::shared_ptr<Adapters> adapters_;
};

/// References say what may come compressed, and how.
class References final : public pi::IORInterceptor {
 public:
  References(EnginePtr engine, std::shared_ptr<Adapters> adapters)
      : engine_(std::move(engine)), adapters_(std::move(adapters)) {}

  std::string name() override { return kName; }
  void establish_components(IDL::traits<pi::IORInfo>::ref_type info) override {
    const auto of_adapter = [&](CORBA::PolicyType type) { return info->get_effective_policy(type); };
    adapters_->made(any_policy(of_adapter));
    const Terms terms = terms_of(of_adapter, engine_->terms());
    const Exposed exposed{terms.enabled, engine_->manager().known(terms.compressors)};
    if (!exposed.enabled || exposed.compressors.empty()) return;
    info->add_ior_component(IOP::TaggedComponent(kTagPolicies, encode(exposed)));
  }

 private:
  const EnginePtr engine_;
  const std::shared_ptr<Adapters> adapters_;
};

class Factory final : public pi::PolicyFactory {
 public:
  PolicyRef create_policy(CORBA::PolicyType type, const CORBA::Any& value) override { return make_policy(type, value); }
};

/// Keeps the engine where traffic() finds it.
class Statistics final : public CORBA::LocalObject {
 public:
  explicit Statistics(EnginePtr engine) : engine_(std::move(engine)) {}
  Traffic traffic() const {
    const auto figures = [](const Count& count) {
      return Figures{count.messages.load(), count.octets.load(), count.compressed.load()};
    };
    return {figures(engine_->sent), figures(engine_->received), engine_->refused.load()};
  }

 private:
  const EnginePtr engine_;
};
constexpr const char* kStatistics = "CorbelZiopTraffic";

class Initializer final : public pi::ORBInitializer {
 public:
  explicit Initializer(MakingPtr making) : making_(std::move(making)) {}

  void pre_init(IDL::traits<pi::ORBInitInfo>::ref_type info) override {
    const EnginePtr engine = making_->take();
    if (engine == nullptr) return;
    const auto adapters = std::make_shared<Adapters>();
    info->add_client_request_interceptor(CORBA::make_reference<ClientSide>(engine));
    info->add_server_request_interceptor(CORBA::make_reference<ServerSide>(engine, adapters));
    info->add_ior_interceptor(CORBA::make_reference<References>(engine, adapters));
    for (const CORBA::PolicyType type : {kEnablingPolicy, kCompressorsPolicy, kLowValuePolicy, kMinRatioPolicy}) {
      info->register_policy_factory(type, CORBA::make_reference<Factory>());
    }
    info->register_initial_reference("CompressionManager", engine->manager_reference());
    info->register_initial_reference(kStatistics, CORBA::make_reference<Statistics>(engine));
  }
  void post_init(IDL::traits<pi::ORBInitInfo>::ref_type) override {}

 private:
  const MakingPtr making_;
};

}  // namespace

base::SharedPtr<PortableInterceptor::ORBInitializer> make_initializer(MakingPtr making) {
  return CORBA::make_reference<Initializer>(std::move(making))._shared();
}

Traffic traffic(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  try {
    const auto found = orb->resolve_initial_references(kStatistics);
    if (const auto* const own = dynamic_cast<const Statistics*>(found._shared().get())) return own->traffic();
  } catch (const CORBA::ORB::InvalidName&) {  // below
  }
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         "the ORB does not compress: see corbel::ziop::add_to");
}

}  // namespace corbel::ziop
