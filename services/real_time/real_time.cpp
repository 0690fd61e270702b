// SPDX-License-Identifier: Apache-2.0
// What happens at the edges of calls: priorities travel with requests, servants run with them, references say of which
// model they are.
#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <corbel/base/log.hpp>
#include <corbel/corba/minor_codes.hpp>

#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/interceptors/sees_threads.hpp"
#include "corbel/interceptors/waiting_request.hpp"
#include "endpoints.hpp"
#include "memory.hpp"
#include "parts.hpp"
#include "ways.hpp"

namespace corbel::real_time {
namespace {

namespace pi = PortableInterceptor;
constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr std::uint32_t kMappingFailed = CORBA::OMGVMCID | 2;  // of DATA_CONVERSION
constexpr const char* kName = "corbel.real_time";

using PrioritiesPtr = std::shared_ptr<Priorities>;

class ClientSide final : public pi::ClientRequestInterceptor, public orb::PartsCalls {
 public:
  using Info = IDL::traits<pi::ClientRequestInfo>::ref_type;
  explicit ClientSide(PrioritiesPtr priorities) : priorities_(std::move(priorities)) {}

  std::string name() override { return kName; }
  std::shared_ptr<const orb::Branches> branches_of(const ior::Ior& ior) const override {
    return std::make_shared<Ways>(priorities_, ior);
  }
  /// As TAO does, only objects whose references ask for it are told the priority.
  void send_request(Info info) override {
    const auto model = model_in(info);
    if (!model || model->declared) return;
    info->add_request_service_context(
        IOP::ServiceContext(kPriorityContext, encode_priority(priorities_->get_or_native())), true);
  }
  void send_poll(Info) override {}
  void receive_reply(Info) override {}
  void receive_exception(Info) override {}
  void receive_other(Info) override {}

 private:
  static std::optional<Model> model_in(const Info& info) try {
    for (const auto& component : info->get_effective_components(kTagPolicies)) {
      if (const auto model = decode_policies(component.component_data()).model) return model;
    }
    return std::nullopt;
  } catch (const CORBA::BAD_PARAM&) {  // the reference says nothing of policies
    return std::nullopt;
  }

  const PrioritiesPtr priorities_;
};

/// What a request has as long as it runs.
struct Run {
  std::shared_ptr<Held> held;
  Admission::PlacePtr place;  ///< null if there is enough for all
};

/// The requests that run with priorities, by their numbers, which are of one ORB only. Thread-safe.
class Running {
 public:
  void begin(std::uint32_t id, std::shared_ptr<Held> held) {
    Shard& mine = shard(id);
    const std::lock_guard lock(mine.mutex);
    mine.all.insert_or_assign(id, Run{std::move(held), nullptr});
  }
  void admit(std::uint32_t id, Admission::PlacePtr place) {
    Shard& mine = shard(id);
    const std::lock_guard lock(mine.mutex);
    mine.all[id].place = std::move(place);
  }
  std::shared_ptr<Held> find(std::uint32_t id) {
    Shard& mine = shard(id);
    const std::lock_guard lock(mine.mutex);
    const auto found = mine.all.find(id);
    return found == mine.all.end() ? nullptr : found->second.held;
  }
  Run end(std::uint32_t id) {
    Shard& mine = shard(id);
    const std::lock_guard lock(mine.mutex);
    auto node = mine.all.extract(id);
    return node.empty() ? Run() : std::move(node.mapped());
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint32_t, Run> all;
  };
  Shard& shard(std::uint32_t id) { return shards_[id % shards_.size()]; }
  std::array<Shard, 16> shards_;
};

using Info = IDL::traits<pi::ServerRequestInfo>::ref_type;

/// A request and the thread pool whose thread runs it, if it is one: what comes from this process takes none.
class Served {
 public:
  Served(IDL::traits<CORBA::Policy>::ref_type policy, const Info& info) : policy_(std::move(policy)) {
    if (policy_ == nullptr) return;
    auto* const sized = dynamic_cast<interceptors::SizedRequest*>(info._shared().get());
    if (sized != nullptr) octets_ = sized->request_octets();
    if (octets_) pool_ = dynamic_cast<const HasPool*>(policy_._shared().get());
    const auto threads =
        IDL::traits<PortableServer::ThreadPolicy>::narrow(info->get_server_policy(PortableServer::THREAD_POLICY_ID));
    on_main_thread_ = threads != nullptr && threads->value() == PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL;
  }
  /// Of the thread when it has run a request of this priority; none: its own.
  std::optional<Priority> rest(Priority priority) const {
    return pool_ == nullptr || on_main_thread_ ? std::nullopt : std::optional(lane_for(pool_->lanes(), priority));
  }
  const HasPool* pool() const { return pool_; }
  Admission* admission() const { return pool_ == nullptr ? nullptr : pool_->admission().get(); }
  const std::optional<std::uint64_t>& octets() const { return octets_; }

 private:
  const IDL::traits<CORBA::Policy>::ref_type policy_;
  std::optional<std::uint64_t> octets_;
  const HasPool* pool_ = nullptr;
  bool on_main_thread_ = false;  // which is none of the pool's
};

/// How long a request waits for a place in its pool.
class Waiting final : public Admission::Patience {
 public:
  explicit Waiting(const Info& info) noexcept : info_(info) {}

  base::Deadline begin() override {
    request_ = dynamic_cast<interceptors::WaitingRequest*>(info_._shared().get());
    if (request_ != nullptr) until_ = request_->begin_wait();
    return until_;
  }
  bool is_over() const noexcept override { return request_ != nullptr && request_->is_given_up(); }
  /// Tells why it has got none.
  [[noreturn]] void refuse(Priority priority) const {
    if (is_over()) {
      CORBEL_LOG(request_->log(), server, debug, "nobody waits for a request of a thread pool any more",
                 {"operation", info_->operation()}, {"priority", priority});
      throw CORBA::TIMEOUT(corba::minor::kRequestEndTimePassed, kNo,
                           "the client has given up while the request waited in its thread pool");
    }
    if (!until_.expired()) {
      throw CORBA::TRANSIENT(0, kNo, "the thread pool buffers no more requests, and all of its threads are busy");
    }
    CORBEL_LOG(request_->log(), server, warning, "request waited too long for a thread of its pool",
               {"operation", info_->operation()}, {"priority", priority}, {"limit", "-ORBHoldTimeout"});
    throw CORBA::TRANSIENT(corba::minor::kHeldTooLong, kNo,
                           "the request has waited too long: all threads of its pool are busy");
  }

 private:
  const Info& info_;
  interceptors::WaitingRequest* request_ = nullptr;  // once it waits
  base::Deadline until_ = base::Deadline::none();
};

class ServerSide final : public pi::ServerRequestInterceptor, public interceptors::SeesThreads {
 public:
  ServerSide(PrioritiesPtr priorities, std::shared_ptr<OrbOf> orb)
      : priorities_(std::move(priorities)), orb_(std::move(orb)) {}

  std::string name() override { return kName; }
  void destroy() override { orb_->ended.store(true, std::memory_order_release); }
  void receive_request_service_contexts(Info) override {}
  /// On the servant's thread.
  void receive_request(Info info) override {
    const auto priority = priority_of(info);
    if (!priority) return;
    const Served served(policy(info, kPoolPolicy), info);
    auto held = *priority < 0 ? nullptr : priorities_->begin(*priority, served.rest(*priority));
    if (held == nullptr) {
      throw CORBA::DATA_CONVERSION(kMappingFailed, kNo,
                                   "no native priority for the request's, " + std::to_string(*priority));
    }
    if (held->refused != 0) tell_refused(info, served, *priority, held->refused);
    const std::uint32_t id = info->request_id();
    running_.begin(id, std::move(held));
    if (served.admission() == nullptr) return;
    Waiting waiting(info);
    auto place = served.admission()->enter(*priority, *served.octets(), &waiting);
    if (place == nullptr) waiting.refuse(*priority);
    running_.admit(id, std::move(place));
  }
  void send_reply(Info info) override { end(info); }
  void send_exception(Info info) override { end(info); }
  void send_other(Info info) override { end(info); }
  /// Its thread has no more of a request that is answered later.
  void on_left(std::uint32_t id) noexcept override {
    if (const auto held = running_.find(id)) held->over.store(true, std::memory_order_release);
    priorities_->settle();
  }

 private:
  /// Of the adapter; nil if it has none.
  static IDL::traits<CORBA::Policy>::ref_type policy(const Info& info, CORBA::PolicyType type) try {
    return info->get_server_policy(type);
  } catch (const CORBA::INV_POLICY&) {
    return nullptr;
  }

  static std::optional<Priority> priority_of(const Info& info) {
    if (const auto model = model_of(policy(info, kModelPolicy))) {
      return model->declared ? model->priority : propagated(info).value_or(model->priority);
    }
    const auto pool = policy(info, kPoolPolicy);
    const auto* has = pool == nullptr ? nullptr : dynamic_cast<const HasPool*>(pool._shared().get());
    return has == nullptr ? std::nullopt : has->default_priority();
  }

  /// What the client says, which goes back to it as it came.
  static std::optional<Priority> propagated(const Info& info) {
    IOP::ServiceContext context;
    try {
      context = info->get_request_service_context(kPriorityContext);
    } catch (const CORBA::BAD_PARAM&) {  // nothing
      return std::nullopt;
    }
    const auto priority = decode_priority(context.context_data());
    if (!priority) throw CORBA::MARSHAL(0, kNo, "the service context RTCorbaPriority makes no sense");
    info->add_reply_service_context(context, true);
    return priority;
  }

  /// Aloud, once for each lane of a pool and once for all that is in none.
  void tell_refused(const Info& info, const Served& served, Priority priority, int why) {
    const auto* const request = dynamic_cast<const interceptors::WaitingRequest*>(info._shared().get());
    if (request == nullptr) return;
    const HasPool* const pool = served.pool();
    const auto lane = pool == nullptr ? std::string() : name_of_lane(pool->id(), lane_for(pool->lanes(), priority));
    {
      const std::lock_guard lock(mutex_);
      if (!told_.insert(lane).second) return;
    }
    CORBEL_LOG(request->log(), server, warning, "the operating system refuses a thread the priority of its request",
               {"lane", lane}, {"priority", priority}, {"why", std::generic_category().message(why)},
               {"mend", "CAP_SYS_NICE or RLIMIT_RTPRIO"});
  }

  void end(const Info& info) {
    const Run run = running_.end(info->request_id());
    if (run.held != nullptr) priorities_->end(*run.held);
  }

  const PrioritiesPtr priorities_;
  const std::shared_ptr<OrbOf> orb_;
  Running running_;
  std::mutex mutex_;  // guards told_
  std::set<std::string> told_;
};

/// References of adapters with a priority model, or with bands, say which.
class References final : public pi::IORInterceptor {
 public:
  std::string name() override { return kName; }
  void establish_components(IDL::traits<pi::IORInfo>::ref_type info) override {
    Exposed exposed;
    exposed.model = model_of(info->get_effective_policy(kModelPolicy));
    const auto bands = info->get_effective_policy(kBandsPolicy);
    const auto* const has = bands == nullptr ? nullptr : dynamic_cast<const HasBands*>(bands._shared().get());
    if (has != nullptr) exposed.bands = has->bands();
    if (!exposed.model && exposed.bands.empty()) return;
    info->add_ior_component(IOP::TaggedComponent(kTagPolicies, encode_policies(exposed)));
  }
};

/// Adapters take policies of its types because of it. RTORB makes them.
class Factory final : public pi::PolicyFactory {
 public:
  IDL::traits<CORBA::Policy>::ref_type create_policy(CORBA::PolicyType, const CORBA::Any&) override {
    throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY);
  }
};

class Initializer final : public pi::ORBInitializer {
 public:
  Initializer(const PrioritiesPtr& priorities, std::vector<std::string> endpoints)
      : priorities_(priorities), endpoints_(std::move(endpoints)) {}
  void pre_init(IDL::traits<pi::ORBInitInfo>::ref_type info) override {
    const auto priorities = priorities_.lock();
    if (priorities == nullptr) return;
    auto orb = std::make_shared<OrbOf>();
    orb->id = info->orb_id();
    try {
      info->add_client_request_interceptor(CORBA::make_reference<ClientSide>(priorities));
    } catch (const pi::ORBInitInfo::DuplicateName&) {
      throw CORBA::INITIALIZE(0, kNo, "two corbel::real_time::RealTime live in this process; an ORB takes one");
    }
    info->add_server_request_interceptor(CORBA::make_reference<ServerSide>(priorities, orb));
    info->add_ior_interceptor(CORBA::make_reference<References>());
    for (const auto type : {kModelPolicy, kPoolPolicy, kServerProtocolPolicy, kBandsPolicy}) {
      info->register_policy_factory(type, CORBA::make_reference<Factory>());
    }
    info->register_initial_reference("RTORB", make_rtorb(priorities, orb, endpoints_));
    info->register_initial_reference("RTCurrent", make_current(priorities));
  }
  void post_init(IDL::traits<pi::ORBInitInfo>::ref_type) override {}

 private:
  const std::weak_ptr<Priorities> priorities_;  // ORBs that are made when the RealTime is gone have no priorities
  const std::vector<std::string> endpoints_;
};

}  // namespace

RealTime::RealTime(Settings settings) : priorities_(std::make_shared<Priorities>(settings)) {
  if (auto why = lock_memory(settings.memory); !why.empty()) priorities_->note_refusal(std::move(why));
  pi::register_orb_initializer(CORBA::make_reference<Initializer>(priorities_, settings.lane_endpoints));
}

std::string RealTime::refused() const {
  return priorities_->refused();
}

}  // namespace corbel::real_time
