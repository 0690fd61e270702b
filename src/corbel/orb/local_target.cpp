// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_target.hpp"

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation.hpp"
#include "corbel/orb/local_call.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/orb/policy_levels.hpp"
#include "corbel/orb/seen_call.hpp"

namespace corbel::orb {
namespace {

class LocalTarget final : public corba::Target, public base::SharedFromThis {
 public:
  LocalTarget(Core& core, ior::Ior ior, base::Bytes object_key, corba::PolicySetPtr overrides)
      : core_(core),
        orb_(core.orb()),
        ior_(std::move(ior)),
        object_key_(std::move(object_key)),
        policies_(std::move(overrides)) {}

  void invoke(const corba::Call& call) override {
    if (call.operation.oneway || core_.edges().word() != word_.load(std::memory_order_relaxed)) [[unlikely]]
      return invoke_unsettled(call);
    carry_out(call);
  }

  void invoke_async(corba::AsyncCall& call) override;
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override { return core_; }
  bool is_local() const noexcept override { return true; }
  corba::PolicySetPtr overrides() const override { return policies_.overrides(); }
  corba::TargetPtr with_overrides(corba::PolicySetPtr overrides) const override {
    return core_.make_target(ior_, std::move(overrides));
  }
  CORBA::object_reference<CORBA::Policy> policy(CORBA::PolicyType type) override {
    return core_.policies().find(policies_, type);
  }
  void rebind() override { (void)adapter(); }

  EffectivePtr policies() { return core_.policies().effective(policies_); }
  /// A call that `calls` govern: throws TIMEOUT if it comes too late.
  void invoke(const corba::Call& call, const policy::ClientPolicies& calls,
              const std::shared_ptr<const void>& slots = nullptr) {
    if (policy::until(calls.request_end) == base::Duration::zero()) throw late(corba::minor::kRequestEndTimePassed);
    if (policy::until(calls.reply_end) == base::Duration::zero()) throw late(corba::minor::kReplyEndTimePassed);
    const bool told = !call.operation.oneway || calls.sync_scope == policy::SyncScope::with_target;
    const CallTrace trace(core_.log());
    const auto run = [&] {
      if ((core_.edges().word() & Edges::kHooks) != 0) return invoke_seen(call, calls, told, slots);
      told ? carry_out(call) : invoke_oneway(call);
    };
    trace.on() ? invoke_traced(call, run, trace) : run();
  }

 private:
  /// Something is installed, or the policies matter.
  [[gnu::noinline]] void invoke_unsettled(const corba::Call& call) {
    const std::uint64_t word = core_.edges().word();  // before the policies: if they change in between, it is seen
    const EffectivePtr effective = policies();
    const policy::ClientPolicies& calls = effective->calls;
    const bool in_time = calls.request_end == policy::kNever && calls.reply_end == policy::kNever;
    word_.store(in_time ? Edges::memorable_here(word) : Edges::kNever, std::memory_order_relaxed);
    invoke(call, calls);
  }

  static CORBA::TIMEOUT late(std::uint32_t minor) {
    return CORBA::TIMEOUT(minor, CORBA::CompletionStatus::COMPLETED_NO, "the call's time was over before it began");
  }

  /// Calls and tells about it.
  template <class Run>
  void invoke_traced(const corba::Call& call, const Run& run, const CallTrace& trace) try {
    run();
    trace.tell(call.operation.name, object_key_, kHere, "ok");
  } catch (const CORBA::Exception& exception) {
    trace.tell(call.operation.name, object_key_, kHere, exception._rep_id());
    throw;
  }

  void carry_out(const corba::Call& call) {
    UnseenLocalCall server_call(call, core_);
    try {
      serve(server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    }
  }

  /// Throws LocationForward, and what the caller is told.
  [[gnu::always_inline]] inline void serve(LocalCall& server_call) {
    try {
      adapter().dispatch(object_key_, server_call);
    } catch (const LocationForward&) {
      throw;
    } catch (const CORBA::SystemException&) {
      throw;
    } catch (const CORBA::UserException& exception) {
      if (server_call.lists(exception._rep_id())) {
        server_call.raise_as_expected(exception);
        throw;
      }
      throw CORBA::UNKNOWN(corba::minor::kUnlistedUserException, kMaybe,
                           std::string("the operation does not declare ") + exception._rep_id());
    } catch (const std::bad_alloc&) {
      throw CORBA::NO_MEMORY(0, kMaybe);
    } catch (const std::exception& exception) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, kMaybe,
                           std::string("the servant threw ") + exception.what());
    } catch (...) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, kMaybe, "the servant threw a foreign exception");
    }
  }

  // --- calls that hooks see: as over the wire, first the client's side and then the server's ---

  void invoke_seen(const corba::Call& call, const policy::ClientPolicies& calls, bool told,
                   const std::shared_ptr<const void>& slots) {
    CallHooks& hooks = *core_.hooks();
    ClientRequest seen;
    seen.operation = call.operation.name;
    seen.response_expected = !call.operation.oneway;
    seen.sync_scope = call.operation.oneway ? calls.sync_scope : policy::SyncScope::with_target;
    seen.target = shared_from(this);
    seen.effective = ior_;
    seen.slots = slots;
    hooks.begin_call(seen);
    hooks.before_send(seen);
    if (seen.outcome == Outcome::pending) {
      try {
        serve_seen(call, seen, told);
        seen.outcome = call.operation.oneway ? Outcome::sent : Outcome::reply;
      } catch (const LocationForward& forward) {
        seen.outcome = Outcome::forward;
        seen.forward = forward.ior;
      } catch (...) {
        seen.outcome = told ? Outcome::exception : Outcome::sent;
        seen.exception = std::current_exception();
      }
      hooks.after_reply(seen);
    }
    if (seen.outcome == Outcome::forward) return follow({seen.forward, false}, call);
    throw_outcome(seen);
  }

  /// Throws what ends the call; the caller is `told`, if not before then when it is the arguments that are wrong.
  void serve_seen(const corba::Call& call, ClientRequest& client, bool& told) {
    CallHooks& hooks = *core_.hooks();
    struct Seen : ServerRequest {
      explicit Seen(CallHooks& all) : hooks(all) {}
      ~Seen() { hooks.leave(*this); }
      CallHooks& hooks;
    } seen(hooks);
    seen.operation = client.operation;
    seen.response_expected = client.response_expected;
    seen.sync_scope = client.sync_scope;
    seen.request_contexts = client.request_contexts;
    core_.check_serves();
    hooks.on_request(seen);
    if (seen.outcome == Outcome::pending) {
      SeenLocalCall server_call(call, core_, seen);
      try {
        serve(server_call);
        seen.outcome = Outcome::reply;
      } catch (...) {
        told = told || server_call.unmarshalled();
        if (seen.outcome == Outcome::pending) note_exception(seen, nullptr);
      }
      hooks.before_reply(seen);
    }
    client.reply_contexts = std::move(seen.reply_contexts);
    throw_outcome(seen);
  }

  ObjectAdapter& adapter() const {
    core_.check_serves();
    return *core_.adapter();
  }

  /// A oneway has no outcome, here as over the wire, unless the caller waits for the target.
  void invoke_oneway(const corba::Call& call) {
    ObjectAdapter& target = adapter();
    UnseenLocalCall server_call(call, core_);
    try {
      target.dispatch(object_key_, server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (const CORBA::Exception& exception) {
      if (server_call.unmarshalled()) throw;
      CORBEL_LOG(core_.log(), server, debug, "request ends in an exception", {"exception", exception.what()},
                 {"operation", call.operation.name}, {"key", object_key_}, {"peer", kHere});
    } catch (const std::exception& exception) {
      if (server_call.unmarshalled()) throw;
      CORBEL_LOG(core_.log(), server, warning, "servant threw a foreign exception", {"operation", call.operation.name},
                 {"type", current_exception_type()}, {"what", exception.what()}, {"key", object_key_}, {"peer", kHere});
    } catch (...) {  // else nobody waits for the outcome
      if (server_call.unmarshalled()) throw;
      CORBEL_LOG(core_.log(), server, warning, "servant threw a foreign exception", {"operation", call.operation.name},
                 {"type", current_exception_type()}, {"what", ""}, {"key", object_key_}, {"peer", kHere});
    }
  }

  void follow(const LocationForward& forward, const corba::Call& call) {
    thread_local unsigned depth = 0;
    struct Guard {
      Guard() { ++depth; }
      ~Guard() { --depth; }
    } guard;
    if (depth > policies()->calls.forward_limit) {
      raise(base::error(base::Stage::wait, base::Code::forward_loop),
            "forwarded " + std::to_string(depth) + " times inside this process");
    }
    if (forward.ior.is_nil()) {
      throw CORBA::OBJECT_NOT_EXIST(corba::minor::kObjectNotActive, CORBA::CompletionStatus::COMPLETED_NO,
                                    "forwarded to a nil reference");
    }
    core_.make_target(forward.ior, policies_.overrides())->invoke(call);
  }

  static constexpr std::string_view kHere = "this process";

  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps core_ alive
  const ior::Ior ior_;
  const base::Bytes object_key_;
  ReferencePolicies policies_;
  std::atomic<std::uint64_t> word_{Edges::kNever};  // while the ORB's is the same, twoway calls need no policies
};

/// An asynchronous call inside the process: a thread of the ORB, or one that waits for it, makes it synchronously.
class LocalAsyncCall final : public CallCarrier {
 public:
  LocalAsyncCall(corba::AsyncCall& call, base::SharedPtr<LocalTarget> target, EffectivePtr policies, Core& core)
      : CallCarrier(call, core.completions()),
        target_(std::move(target)),
        policies_(std::move(policies)),
        slots_(slots_of_caller(core)),
        begin_by_(Invocation::after(policies_->calls.round_trip, base::Deadline::clock_now())) {}

 private:
  bool help(base::Deadline) override { return false; }
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void finish() noexcept override {
    may_take_long();
    std::exception_ptr failure;
    try {
      if (begin_by_.expired()) {
        throw CORBA::TIMEOUT(corba::minor::kRequestEndTimePassed, CORBA::CompletionStatus::COMPLETED_NO,
                             "the call's time was over before a thread could make it");
      }
      std::exchange(target_, nullptr)
          ->invoke({call().operation(), [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); },
                    [this](cdr::Decoder& decoder) { call().decode_results(decoder); }, call().local_arguments()},
                   policies_->calls, slots_);
    } catch (...) {
      failure = std::current_exception();
    }
    complete(std::move(failure));
  }

  base::SharedPtr<LocalTarget> target_;
  static std::shared_ptr<const void> slots_of_caller(Core& core) {
    ClientRequest seen;
    if ((core.edges().word() & Edges::kHooks) != 0) core.hooks()->begin_call(seen);
    return std::move(seen.slots);
  }

  const EffectivePtr policies_;
  const std::shared_ptr<const void> slots_;
  const base::Deadline begin_by_;
};

void LocalTarget::invoke_async(corba::AsyncCall& call) {
  core_.start_threads();
  core_.completions().push(call.emplace_carrier<LocalAsyncCall>(call, shared_from(this), policies(), core_));
}

}  // namespace

corba::TargetPtr make_local_target(Core& core, ior::Ior ior, base::Bytes object_key, corba::PolicySetPtr overrides) {
  return base::make_shared<LocalTarget>(core, std::move(ior), std::move(object_key), std::move(overrides));
}

}  // namespace corbel::orb
