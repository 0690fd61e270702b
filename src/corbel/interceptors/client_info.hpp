// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/interceptors/request_info.hpp"

namespace corbel::interceptors {

/// Table 16.1: at which points clients' interceptors may ask for what.
struct ClientPoints {
  static constexpr unsigned kEnding = point::kReceiveReply | point::kReceiveException | point::kReceiveOther;
  static constexpr unsigned kAll = point::kSendRequest | point::kSendPoll | kEnding;
  static constexpr unsigned kOther = point::kReceiveOther;
  static constexpr unsigned kArguments = point::kSendRequest | point::kReceiveReply;
  static constexpr unsigned kExceptions = point::kSendRequest | kEnding;
  static constexpr unsigned kOperationContext = kExceptions;
  static constexpr unsigned kResult = point::kReceiveReply;
  static constexpr unsigned kSyncScope = kExceptions;
  static constexpr unsigned kRequestContexts = kExceptions;
};

class ClientInfo final : public InfoBase<PortableInterceptor::ClientRequestInfo, orb::ClientRequest, ClientPoints> {
 public:
  using InfoBase::InfoBase;

  CORBA::Any get_slot(PortableInterceptor::SlotId id) override;
  IDL::traits<CORBA::Object>::ref_type target() override;
  IDL::traits<CORBA::Object>::ref_type effective_target() override;
  IOP::TaggedProfile effective_profile() override;
  CORBA::Any received_exception() override { return exception(); }
  CORBA::RepositoryId received_exception_id() override { return id_of(at(point::kReceiveException).exception); }
  IOP::TaggedComponent get_effective_component(IOP::ComponentId id) override;
  IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId id) override;
  IDL::traits<CORBA::Policy>::ref_type get_request_policy(CORBA::PolicyType type) override;
  void add_request_service_context(const IOP::ServiceContext& service_context, bool replace) override {
    add_context(at(point::kSendRequest | point::kSendPoll).request_contexts, service_context, replace);
  }
};

}  // namespace corbel::interceptors
