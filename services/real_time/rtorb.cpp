// SPDX-License-Identifier: Apache-2.0
// RTCORBA::RTORB, RTCORBA::Current, and the policies they make.
#include <optional>
#include <utility>

#include "RTCORBA.hpp"
#include "connections.hpp"
#include "mutex.hpp"
#include "parts.hpp"
#include "pools.hpp"
#include "protocols.hpp"

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr std::uint32_t kMappingFailed = CORBA::OMGVMCID | 2;  // of DATA_CONVERSION
constexpr std::uint32_t kNoPriority = CORBA::OMGVMCID | 0;

template <class T>
using Ref = typename IDL::traits<T>::ref_type;

void check(const Priorities& priorities, RTCORBA::Priority priority) {
  if (priority < RTCORBA::minPriority) throw CORBA::BAD_PARAM(0, kNo, "a priority is a number from 0 to 32767");
  if (priorities.is_mapped(priority)) return;
  throw CORBA::DATA_CONVERSION(kMappingFailed, kNo, "the PriorityMapping has no native priority for it");
}

class ModelPolicy final : public RTCORBA::PriorityModelPolicy, public HasModel {
 public:
  explicit ModelPolicy(const Model& model) noexcept : model_(model) {}
  RTCORBA::PriorityModel priority_model() override {
    return model_.declared ? RTCORBA::PriorityModel::SERVER_DECLARED : RTCORBA::PriorityModel::CLIENT_PROPAGATED;
  }
  RTCORBA::Priority server_priority() override { return model_.priority; }
  CORBA::PolicyType policy_type() override { return RTCORBA::PRIORITY_MODEL_POLICY_TYPE; }
  Ref<CORBA::Policy> copy() override { return CORBA::make_reference<ModelPolicy>(model_); }
  bool _overrides() const noexcept override { return false; }  // the server's alone
  Model model() const noexcept override { return model_; }

 private:
  const Model model_;
};

class ThreadCurrent final : public RTCORBA::Current {
 public:
  explicit ThreadCurrent(std::shared_ptr<Priorities> priorities) noexcept : priorities_(std::move(priorities)) {}
  RTCORBA::Priority the_priority() override {
    if (const auto priority = priorities_->get()) return *priority;
    throw CORBA::INITIALIZE(kNoPriority, kNo, "the thread has no priority of CORBA yet: set the_priority");
  }
  void the_priority(RTCORBA::Priority value) override {
    check(*priorities_, value);
    (void)priorities_->set(value);
  }

 private:
  const std::shared_ptr<Priorities> priorities_;
};

class RtOrb final : public RTCORBA::RTORB {
 public:
  RtOrb(std::shared_ptr<Priorities> priorities, std::shared_ptr<Pools> pools) noexcept
      : priorities_(std::move(priorities)), pools_(std::move(pools)) {}

  Ref<RTCORBA::Mutex> create_mutex() override { return CORBA::make_reference<InheritingMutex>(); }
  void destroy_mutex(Ref<RTCORBA::Mutex> the_mutex) override {
    auto* const own = the_mutex == nullptr ? nullptr : dynamic_cast<InheritingMutex*>(the_mutex._shared().get());
    if (own == nullptr) throw CORBA::BAD_PARAM(0, kNo, "no RTCORBA::Mutex of this ORB's");
    own->destroy();
    named_.forget(the_mutex);
  }
  Ref<RTCORBA::Mutex> create_named_mutex(const std::string& name, bool& created_flag) override {
    return named_.create(name, created_flag);
  }
  Ref<RTCORBA::Mutex> open_named_mutex(const std::string& name) override { return named_.open(name); }

  Ref<RTCORBA::TCPProtocolProperties> create_tcp_protocol_properties(std::int32_t send_buffer_size,
                                                                     std::int32_t recv_buffer_size, bool keep_alive,
                                                                     bool dont_route, bool no_delay,
                                                                     bool enable_network_priority) override {
    return make_tcp_properties(send_buffer_size, recv_buffer_size, keep_alive, dont_route, no_delay,
                               enable_network_priority);
  }
  Ref<RTCORBA::UnixDomainProtocolProperties> create_unix_domain_protocol_properties(
      std::int32_t send_buffer_size, std::int32_t recv_buffer_size) override {
    return make_unix_domain_properties(send_buffer_size, recv_buffer_size);
  }
  Ref<RTCORBA::SharedMemoryProtocolProperties> create_shared_memory_protocol_properties(
      std::int32_t send_buffer_size, std::int32_t recv_buffer_size, bool keep_alive, bool dont_route, bool no_delay,
      std::int32_t preallocate_buffer_size, const std::string& mmap_filename,
      const std::string& mmap_lockname) override {
    return make_shared_memory_properties(send_buffer_size, recv_buffer_size, keep_alive, dont_route, no_delay,
                                         preallocate_buffer_size, mmap_filename, mmap_lockname);
  }

  RTCORBA::ThreadpoolId create_threadpool(std::uint32_t stacksize, std::uint32_t static_threads,
                                          std::uint32_t dynamic_threads, RTCORBA::Priority default_priority,
                                          bool allow_request_buffering, std::uint32_t max_buffered_requests,
                                          std::uint32_t max_request_buffer_size) override {
    check(*priorities_, default_priority);
    return pools_->create(
        static_threads, dynamic_threads, default_priority,
        {stacksize, false, buffers(allow_request_buffering, max_buffered_requests, max_request_buffer_size)});
  }
  RTCORBA::ThreadpoolId create_threadpool_with_lanes(std::uint32_t stacksize, const RTCORBA::ThreadpoolLanes& lanes,
                                                     bool allow_borrowing, bool allow_request_buffering,
                                                     std::uint32_t max_buffered_requests,
                                                     std::uint32_t max_request_buffer_size) override {
    for (const auto& lane : lanes) check(*priorities_, lane.lane_priority());
    return pools_->create(lanes, {stacksize, allow_borrowing,
                                  buffers(allow_request_buffering, max_buffered_requests, max_request_buffer_size)});
  }
  void destroy_threadpool(RTCORBA::ThreadpoolId threadpool) override { pools_->destroy(threadpool); }

  Ref<RTCORBA::PriorityModelPolicy> create_priority_model_policy(RTCORBA::PriorityModel priority_model,
                                                                 RTCORBA::Priority server_priority) override {
    if (priority_model > RTCORBA::PriorityModel::SERVER_DECLARED) throw CORBA::BAD_PARAM();
    check(*priorities_, server_priority);
    const bool declared = priority_model == RTCORBA::PriorityModel::SERVER_DECLARED;
    return CORBA::make_reference<ModelPolicy>(Model{declared, server_priority});
  }
  Ref<RTCORBA::ThreadpoolPolicy> create_threadpool_policy(RTCORBA::ThreadpoolId threadpool) override {
    return pools_->make_policy(threadpool);
  }
  Ref<RTCORBA::PriorityBandedConnectionPolicy> create_priority_banded_connection_policy(
      const RTCORBA::PriorityBands& priority_bands) override {
    return make_bands(priority_bands);
  }
  Ref<RTCORBA::ServerProtocolPolicy> create_server_protocol_policy(const RTCORBA::ProtocolList& protocols) override {
    return make_server_protocols(protocols);
  }
  Ref<RTCORBA::ClientProtocolPolicy> create_client_protocol_policy(const RTCORBA::ProtocolList& protocols) override {
    return make_client_protocols(protocols);
  }
  Ref<RTCORBA::PrivateConnectionPolicy> create_private_connection_policy() override { return make_private(); }

 private:
  static std::optional<Admission::Buffers> buffers(bool allowed, std::uint32_t requests, std::uint32_t octets) {
    return allowed ? std::optional(Admission::Buffers{requests, octets}) : std::nullopt;
  }

  const std::shared_ptr<Priorities> priorities_;
  const std::shared_ptr<Pools> pools_;
  NamedMutexes named_;
};

}  // namespace

IDL::traits<CORBA::Object>::ref_type make_rtorb(std::shared_ptr<Priorities> priorities,
                                                std::shared_ptr<const OrbOf> orb, std::vector<std::string> endpoints) {
  return CORBA::make_reference<RtOrb>(std::move(priorities),
                                      std::make_shared<Pools>(std::move(orb), std::move(endpoints)));
}

IDL::traits<CORBA::Object>::ref_type make_current(std::shared_ptr<Priorities> priorities) {
  return CORBA::make_reference<ThreadCurrent>(std::move(priorities));
}

}  // namespace corbel::real_time
