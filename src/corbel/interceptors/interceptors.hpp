// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/interceptors/slots.hpp"
#include "corbel/orb/hooks.hpp"

namespace corbel::orb {
class Core;
}

namespace corbel::interceptors {

class SeesThreads;

/// Points, as bits: at which of them a function of RequestInfo may be called.
namespace point {
inline constexpr unsigned kSendRequest = 1, kSendPoll = 2, kReceiveReply = 4, kReceiveException = 8, kReceiveOther = 16;
inline constexpr unsigned kReceiveContexts = 1, kReceiveRequest = 2, kSendReply = 4, kSendException = 8,
                          kSendOther = 16;
}  // namespace point

using ClientRef = IDL::traits<PortableInterceptor::ClientRequestInterceptor>::ref_type;
using ServerRef = IDL::traits<PortableInterceptor::ServerRequestInterceptor>::ref_type;
/// An interceptor of requests, and of which it is told.
template <class Ref>
struct Told : Ref {
  Told(Ref interceptor, PortableInterceptor::ProcessingMode which) : Ref(std::move(interceptor)), mode(which) {}
  PortableInterceptor::ProcessingMode mode;

  bool of(const orb::HookedRequest& request) const noexcept {
    return mode == PortableInterceptor::LOCAL_AND_REMOTE || (mode == PortableInterceptor::LOCAL_ONLY) == request.here;
  }
};
using IorRef = IDL::traits<PortableInterceptor::IORInterceptor>::ref_type;
using FactoryRef = IDL::traits<PortableInterceptor::PolicyFactory>::ref_type;

/// The interceptors of one ORB, called by the rules of the flow stack (CORBA 3.3 part 1, 16.3.2). Filled while the ORB
/// is being made; then it does not change and is thread-safe.
class Interceptors final : public orb::CallHooks {
 public:
  explicit Interceptors(orb::Core& core) : core_(core) {}

  orb::Core& core() noexcept { return core_; }
  std::shared_ptr<SlotArea> slots() const noexcept { return slots_; }
  /// Throw DuplicateName.
  void add(ClientRef interceptor, PortableInterceptor::ProcessingMode mode);
  void add(ServerRef interceptor, PortableInterceptor::ProcessingMode mode);
  void add(IorRef interceptor);
  /// Throws BAD_INV_ORDER if there is one for the type.
  void add(CORBA::PolicyType type, FactoryRef factory);
  /// Nil if none is registered for the type.
  FactoryRef factory(CORBA::PolicyType type) const;
  /// True if object adapters may have policies of the type: CORBA's own, and those of the application's types.
  bool adapters_have(CORBA::PolicyType type) const noexcept;

  bool for_clients() const noexcept override { return !clients_.empty(); }
  bool for_servers() const noexcept override { return !servers_.empty() || !slots_->empty(); }
  std::shared_ptr<const orb::Branches> branches_of(const ior::Ior& ior) const override;
  void begin_call(orb::ClientRequest& request) noexcept override;
  void before_send(orb::ClientRequest& request) noexcept override;
  void after_reply(orb::ClientRequest& request) noexcept override;
  void on_request(orb::ServerRequest& request) noexcept override;
  void before_upcall(orb::ServerRequest& request) noexcept override;
  void before_reply(orb::ServerRequest& request) noexcept override;
  void defer(orb::ServerRequest& request) noexcept override;
  void leave(orb::ServerRequest& request) noexcept override;
  void* lend() noexcept override;
  void borrow(void* lent) noexcept override;
  void give_back(void* lent) noexcept override;
  bool for_adapters() const noexcept override { return !iors_.empty(); }
  void on_adapter(orb::NewAdapter& adapter) override;
  void on_adapters_gone(const std::vector<std::shared_ptr<void>>& known) override;
  void on_manager(const std::string& id, orb::AdapterState state) noexcept override;
  bool takes_policy(CORBA::PolicyType type) const noexcept override { return factories_.contains(type); }
  void close() noexcept override;

 private:
  void begin(orb::ClientRequest& request);
  void begin(orb::ServerRequest& request);
  void end(orb::ClientRequest& request);
  void end(orb::ServerRequest& request);
  void leave(std::uint32_t request_id) noexcept;
  using SeesAdapters = PortableInterceptor::IORInterceptor_3_0;
  /// Tells the first `count` of them.
  void tell_gone(const PortableInterceptor::ObjectReferenceTemplateSeq& templates, std::size_t count) const noexcept;
  std::exception_ptr failure_at(std::string_view point, PortableInterceptor::IORInterceptor& one,
                                base::FunctionRef<void()> act) const noexcept;

  orb::Core& core_;
  const std::shared_ptr<SlotArea> slots_ = std::make_shared<SlotArea>();
  std::vector<Told<ClientRef>> clients_;
  const orb::PartsCalls* parts_calls_ = nullptr;  // one of them
  std::vector<Told<ServerRef>> servers_;
  std::vector<SeesThreads*> see_threads_;  // some of them
  std::vector<IorRef> iors_;
  std::vector<SeesAdapters*> see_adapters_;  // some of them
  std::map<CORBA::PolicyType, FactoryRef> factories_;
  std::atomic<std::uint32_t> last_id_{0};
};

}  // namespace corbel::interceptors
