// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

/// An asynchronous call to a remote object: RemoteTarget::invoke cut in two, so that no thread waits in between.
class RemoteCall final : public CallCarrier {
 public:
  /// `settled`: the binding to begin with, which keeps the policies; else `kept` does. `word` and `at`: as Invocation
  /// has them.
  [[gnu::always_inline]] RemoteCall(corba::AsyncCall& call, base::SharedPtr<RemoteTarget> target,
                                    const EffectivePolicies& policies, EffectivePtr kept,
                                    const RemoteTarget::BindingPtr& settled, std::uint64_t word, std::int64_t at)
      : CallCarrier(call, target->core_.completions(), target->core_.attends_calls()),
        target_(std::move(target)),
        binding_(settled),
        policies_(std::move(kept)),
        invocation_(call.operation(), policies, word, at),
        trace_(target_->core_.log()) {
    if (binding_ == nullptr && !policies.calls.plain()) invocation_.limit(at);
    deadline = invocation_.deadline;
  }

  /// Sends the request, over the settled binding if there is one. Throws what invoke() would throw before the request
  /// has left; the call is over then.
  void begin(const RemoteTarget::BindingPtr& settled);
  /// Gives it up, if it is under way: it ends as with its ORB.
  void give_up() noexcept;

 private:
  void send();
  void send_seen();
  void start_seen(const RemoteTarget::BindingPtr& binding, ClientRequest& seen);
  base::Status start(const RemoteTarget::BindingPtr& binding, std::span<const messaging::ServiceContext> contexts);
  base::Status ask(const RemoteTarget::Binding& binding, std::span<const messaging::ServiceContext> contexts);
  bool help(base::Deadline until) override;
  void attend() noexcept override;
  bool cancel() noexcept override;
  void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept override;
  void finish() noexcept override;
  bool finish_quietly() noexcept override;
  bool went_well() const noexcept {
    return failure_ == nullptr && error.code == base::Code::none && invocation_.attempts.well();
  }
  void go_on() noexcept;
  void check_wanted() const;
  void drop_sent() noexcept;
  inline bool let_go() noexcept;
  std::pair<RemoteTarget::BindingPtr, messaging::Token> under_way() noexcept;
  void end(std::exception_ptr failure) noexcept;

  base::SharedPtr<RemoteTarget> target_;  // stays until binding_ has gone
  bool again_ = false;                    // it was not executed, and is to be sent; guarded by mutex_
  RemoteTarget::BindingPtr binding_;      // of the attempt under way; guarded by mutex_, as its token is
  EffectivePtr policies_;                 // null while the binding that it began with keeps them
  Invocation invocation_;
  const CallTrace trace_;
  std::exception_ptr failure_;
  std::shared_ptr<const void> slots_;  // ClientRequest::slots
};

}  // namespace corbel::orb
