// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

/// An asynchronous call to a remote object: RemoteTarget::invoke cut in two, so that no thread waits in between.
class RemoteCall final : public CallCarrier {
 public:
  /// `word` and `at`: as Invocation has them.
  RemoteCall(corba::AsyncCall& call, base::SharedPtr<RemoteTarget> target, EffectivePtr policies, std::uint64_t word,
             std::int64_t at);

  /// Sends the request, over the settled binding if there is one. Throws what invoke() would throw before the request
  /// has left; the call is over then.
  void begin(RemoteTarget::BindingPtr settled);

 private:
  void send(RemoteTarget::BindingPtr binding);
  void send_seen(RemoteTarget::BindingPtr settled);
  void start_seen(const RemoteTarget::BindingPtr& binding, ClientRequest& seen);
  base::Status start(const RemoteTarget::BindingPtr& binding, std::span<const messaging::ServiceContext> contexts);
  bool help(base::Deadline until) override;
  void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept override;
  void finish() noexcept override;
  bool over();

  base::SharedPtr<RemoteTarget> target_;
  RemoteTarget::BindingPtr binding_;  // of the attempt under way; guarded by mutex_, as its token is
  const EffectivePtr policies_;
  Invocation invocation_;
  const CallTrace trace_;
  std::exception_ptr failure_;
  std::shared_ptr<const void> slots_;  // ClientRequest::slots
};

}  // namespace corbel::orb
