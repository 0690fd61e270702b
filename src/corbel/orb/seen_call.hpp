// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "corbel/orb/hooks.hpp"
#include "corbel/orb/incoming_call.hpp"

namespace corbel::orb {

/// Notes the end as the client is told of it: the exception that is being handled, or the forward. Without a `call`,
/// user exceptions have been found to be those that its operation lists.
inline void note_exception(HookedRequest& request, const corba::ServerCall* call) noexcept {
  const auto unknown = [](std::uint32_t minor) { return corba::exception_of("UNKNOWN", minor, kMaybe); };
  request.outcome = Outcome::exception;
  try {
    throw;
  } catch (const LocationForward& forward) {
    try {
      request.forward = forward.ior;
      request.outcome = Outcome::forward;
    } catch (const std::bad_alloc&) {
      request.exception = corba::exception_of("NO_MEMORY", 0, kNo);
    }
  } catch (const corba::UserExceptionCore& exception) {
    const bool listed = call == nullptr || call->lists(exception._rep_id());
    request.exception = listed ? std::current_exception() : unknown(corba::minor::kUnlistedUserException);
  } catch (const corba::SystemExceptionCore&) {
    request.exception = std::current_exception();
  } catch (const std::bad_alloc&) {
    request.exception = corba::exception_of("NO_MEMORY", 0, kMaybe);
  } catch (...) {
    request.exception = unknown(corba::minor::kForeignException);
  }
}

/// A request that came over a connection and that hooks see.
class SeenCall final : public IncomingCall, private Waits {
 public:
  SeenCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
           cdr::Decoder& body)
      : IncomingCall(core, connection, request, body, &kNothing), hooks_(*core.hooks()), request_(request) {
    seen_.octets = body.remaining();
    seen_.waits = this;
  }
  /// One that was deferred, to be answered now.
  SeenCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
           cdr::Decoder& nothing, ServerRequest&& deferred)
      : IncomingCall(core, connection, request, nothing),
        hooks_(*core.hooks()),
        request_(request),
        seen_(std::move(deferred)) {}
  ~SeenCall() { hooks_.leave(seen_); }

  void begin() {
    seen_.operation = operation();
    seen_.object_key = request_.object_key;
    seen_.response_expected = request_.response == messaging::Response::with_target;
    seen_.sync_scope = scope_of(request_.response);
    seen_.request_contexts.keep(request_.contexts);
    hooks_.on_request(seen_);
    over_ = seen_.outcome != Outcome::pending;
    throw_outcome(seen_);
  }

  /// As long as for a POA manager; if nothing is to be held, without limit, as requests that take turns.
  base::Deadline begin_wait() override {
    pause_.emplace(core().deferrals(), connection(), request_.origin);
    begin_by_ = begin_by();
    const base::Duration held = core().request_policies().hold;
    return held == base::Duration::zero() ? begin_by_ : earlier(base::Deadline::no_sooner_than(held), begin_by_);
  }
  /// A oneway is executed although its client has gone.
  bool is_given_up() const noexcept override {
    if (begin_by_.expired()) return true;
    return request_.response == messaging::Response::with_target && (pause_->is_cancelled() || connection().failed());
  }

  /// Skeletons ask for octets when they know the operation, and then the servant has been found. That this call has
  /// octets already is hidden until then.
  void use_octets(std::uint64_t) override {
    if (local_arguments() == nullptr) return;
    set_octets(arguments());
    seen_.located = core().adapter()->describe(seen_.object);
    hooks_.before_upcall(seen_);
    throw_outcome(seen_);
  }

  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    if (!over_) {
      over_ = true;
      seen_.outcome = Outcome::reply;
      hooks_.before_reply(seen_);
      throw_outcome(seen_);
    }
    reply_with(results, with_added({}));
  }

  corba::DeferredReplyPtr defer(std::span<const std::string_view> raises, std::size_t octets) override;
  void show_values(base::SharedPtr<const corba::RunTimeValues> values) noexcept override {
    seen_.values = std::move(values);
  }

  bool reply_exception() noexcept override try {
    if (base::handles_thread_end()) {  // what is handled from here on is what is told instead
      try {
        base::rethrow_handled();
      } catch (...) {
        return reply_exception();
      }
    }
    if (over_) return IncomingCall::reply_exception();
    over_ = true;
    if (seen_.outcome == Outcome::pending) note_exception(seen_, this);
    const Outcome outcome = seen_.outcome;
    const std::exception_ptr exception = seen_.exception;
    const ior::Ior forward = seen_.forward;
    hooks_.before_reply(seen_);
    if (outcome == seen_.outcome && exception == seen_.exception && forward == seen_.forward) {
      return IncomingCall::reply_exception();
    }
    try {
      throw_outcome(seen_);
      return true;
    } catch (...) {
      return IncomingCall::reply_exception();
    }
  } catch (...) {  // no memory for a copy of the forward
    return IncomingCall::reply_exception();
  }

 private:
  static policy::SyncScope scope_of(messaging::Response response) noexcept {
    switch (response) {
      case messaging::Response::none:
        return policy::SyncScope::with_transport;
      case messaging::Response::with_server:
        return policy::SyncScope::with_server;
      case messaging::Response::with_target:
        break;
    }
    return policy::SyncScope::with_target;
  }

  Contexts with_added(Contexts contexts) override {
    if (!offers_contexts()) return contexts;
    added_.assign(contexts.begin(), contexts.end());
    seen_.reply_contexts.view(added_);
    return added_;
  }

  static constexpr void* kNothing = nullptr;
  CallHooks& hooks_;
  const messaging::IncomingRequest& request_;
  ServerRequest seen_;
  std::vector<messaging::ServiceContext> added_;
  std::optional<Pause> pause_;
  base::Deadline begin_by_ = base::Deadline::none();
  bool over_ = false;  // the hooks that were told of the request have been told of its end
};

}  // namespace corbel::orb
