// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "corbel/interceptors/request_info.hpp"
#include "corbel/interceptors/waiting_request.hpp"

namespace corbel::interceptors {

/// The slots of a request that came (16.4.2): the servant's thread has them while the request runs there.
class RequestSlots {
 public:
  SlotValues& values() noexcept { return values_; }

  /// The calling thread's own are set aside; it has none until it is given these.
  void enter_thread(const SlotArea& area);
  void give_to_thread(const SlotArea& area);
  /// What it made of them.
  void take_from_thread(const SlotArea& area);
  /// It has its own again.
  void leave_thread(const SlotArea& area) noexcept;

 private:
  SlotValues values_;
  SlotValues of_thread_;  // meanwhile
  const void* outer_ = nullptr;
};

/// Table 16.2: at which points servers' interceptors may ask for what.
struct ServerPoints {
  static constexpr unsigned kEnding = point::kSendReply | point::kSendException | point::kSendOther;
  static constexpr unsigned kAll = point::kReceiveContexts | point::kReceiveRequest | kEnding;
  static constexpr unsigned kLater = point::kReceiveRequest | kEnding;
  static constexpr unsigned kOther = point::kSendOther;
  static constexpr unsigned kArguments = point::kReceiveRequest | point::kSendReply;
  static constexpr unsigned kExceptions = kLater;
  static constexpr unsigned kOperationContext = kArguments;
  static constexpr unsigned kResult = point::kSendReply;
  static constexpr unsigned kSyncScope = kAll;
  static constexpr unsigned kRequestContexts = kAll;
};

class ServerInfo final : public InfoBase<PortableInterceptor::ServerRequestInfo, orb::ServerRequest, ServerPoints>,
                         public SizedRequest,
                         public WaitingRequest {
 public:
  using InfoBase::InfoBase;

  std::optional<std::uint64_t> request_octets() override;
  base::Deadline begin_wait() override;
  bool is_given_up() const noexcept override { return waits_ != nullptr && waits_->is_given_up(); }
  const base::Log& log() const noexcept override { return all_.core().log(); }

  // slots() first: it refuses when the interceptors may be gone.
  CORBA::Any get_slot(PortableInterceptor::SlotId id) override {
    const SlotValues& values = slots();
    return all_.slots()->get(values, id);
  }
  void set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) override {
    SlotValues& values = slots();
    all_.slots()->set(values, id, data);
  }
  CORBA::Any sending_exception() override { return exception(); }
  PortableInterceptor::ServerId server_id() override;
  PortableInterceptor::ORBId orb_id() override;
  PortableInterceptor::AdapterName adapter_name() override { return object(ServerPoints::kLater).adapter_name; }
  PortableInterceptor::ObjectId object_id() override { return object(ServerPoints::kLater).object_id; }
  CORBA::OctetSeq adapter_id() override { return object(ServerPoints::kLater).adapter_id; }
  CORBA::RepositoryId target_most_derived_interface() override;
  bool target_is_a(const CORBA::RepositoryId& id) override;
  IDL::traits<CORBA::Policy>::ref_type get_server_policy(CORBA::PolicyType type) override;
  void add_reply_service_context(const IOP::ServiceContext& service_context, bool replace) override {
    add_context(at(ServerPoints::kAll).reply_contexts, service_context, replace);
  }

 private:
  SlotValues& slots();
  const orb::ServedObject& object(unsigned points) const;

  const orb::Waits* waits_ = nullptr;  // since it waits
};

}  // namespace corbel::interceptors
