// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

/// An asynchronous call to a remote object: RemoteTarget::invoke cut in two, so that no thread waits in between.
class RemoteCall final : public CallCarrier {
 public:
  RemoteCall(corba::AsyncCall& call, base::SharedPtr<RemoteTarget> target, base::Deadline until);

  /// Sends the request. Throws what invoke() would throw before the request has left; the call is over then.
  void begin();

 private:
  void send();
  bool help(base::Deadline until) override;
  void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept override;
  void finish() noexcept override;
  bool over();

  base::SharedPtr<RemoteTarget> target_;
  RemoteTarget::BindingPtr binding_;  // of the attempt under way; guarded by mutex_, as its request_id is
  Attempts attempts_;
  const CallTrace trace_;
  std::exception_ptr failure_;
};

}  // namespace corbel::orb
