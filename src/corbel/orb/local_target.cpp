// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_target.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "corbel/base/mutex.hpp"
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
#include "corbel/orb/remote_target.hpp"
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
  corba::PolicyCorePtr policy(std::uint32_t type) override { return core_.policies().find(policies_, type)._shared(); }
  void rebind() override { (void)adapter(); }

  EffectivePtr policies() { return core_.policies().effective(policies_); }
  /// What governs a call and was settled when it began.
  struct Terms {
    EffectivePtr policies;
    base::Deadline deadline = base::Deadline::none();  ///< if that is known; used if the call goes on elsewhere
    std::shared_ptr<const void> slots = nullptr;       ///< ClientRequest::slots
  };
  /// Throws TIMEOUT if the call comes too late.
  void invoke(const corba::Call& call, const Terms& terms) {
    const policy::ClientPolicies& calls = terms.policies->calls;
    if (policy::until(calls.request_end) == base::Duration::zero()) throw late(corba::minor::kRequestEndTimePassed);
    if (policy::until(calls.reply_end) == base::Duration::zero()) throw late(corba::minor::kReplyEndTimePassed);
    const bool told = !call.operation.oneway || calls.sync_scope == policy::SyncScope::with_target;
    const CallTrace trace(core_.log());
    const auto run = [&] {
      if ((core_.edges().word() & Edges::kHooks) != 0) return invoke_seen(call, terms, told);
      told ? carry_out(call, terms) : invoke_oneway(call, terms);
    };
    trace.on() ? invoke_traced(call, run, trace) : run();
  }
  bool flush_oneways_elsewhere(base::Deadline deadline) {
    base::SharedPtr<RemoteTarget> target;
    {
      const std::lock_guard lock(mutex_);
      target = elsewhere_;
    }
    return target == nullptr || target->flush_oneways(deadline);
  }

 private:
  /// Something is installed, or the policies matter.
  [[gnu::noinline]] void invoke_unsettled(const corba::Call& call) {
    const std::uint64_t word = core_.edges().word();  // before the policies: if they change in between, it is seen
    EffectivePtr effective = policies();
    const policy::ClientPolicies& calls = effective->calls;
    const bool in_time = calls.request_end == policy::kNever && calls.reply_end == policy::kNever;
    word_.store(in_time ? Edges::memorable_here(word) : Edges::kNever, std::memory_order_relaxed);
    invoke(call, Terms{std::move(effective)});
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

  /// `terms`: if they are known; the warm path does without.
  template <class... Known>
  void carry_out(const corba::Call& call, const Known&... terms) {
    UnseenLocalCall server_call(call, core_);
    try {
      serve(server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (const CORBA::SystemException& refusal) {
      if (server_call.was_begun() || !went_on(refusal, call, &terms...)) throw;
    }
  }

  // --- calls that the adapter refuses, and that another place may take ---

  struct WayOn {
    Refusal refusal;
    Terms terms;
  };

  /// How a call goes on that the adapter has refused, before anything of the application ran; nothing if it does not.
  std::optional<WayOn> way_on(const CORBA::SystemException& exception, const Terms* given) {
    Refusal refusal{{exception._rep_id(), exception.minor(), static_cast<corba::Completed>(exception.completed()),
                     exception.detail()}};
    if (!refusal.asks_elsewhere() || refusal.is("OBJECT_NOT_EXIST")) return std::nullopt;
    Terms terms = given == nullptr ? Terms{policies()} : *given;
    // Who may not be bound anew stays here.
    if (terms.policies->calls.rebind != policy::Rebind::transparent) return std::nullopt;
    const base::Duration longest = terms.policies->calls.round_trip;
    if (terms.deadline.is_none() && longest != base::Duration::zero()) {
      // When it began is not known, but how long it was held.
      const bool held = refusal.minor == corba::minor::kHeldTooLong;
      terms.deadline = base::Deadline::after(longest - (held ? core_.options().hold_timeout : base::Duration::zero()));
    }
    if (terms.deadline.expired() || !core_.routes_elsewhere(ior_, terms.policies->preference)) return std::nullopt;
    return WayOn{std::move(refusal), std::move(terms)};
  }

  [[gnu::noinline]] bool went_on(const CORBA::SystemException& refusal, const corba::Call& call,
                                 const Terms* terms = nullptr) {
    auto way = way_on(refusal, terms);
    if (!way) return false;
    go_on(*std::move(way), call);
    return true;
  }

  void go_on(WayOn way, const corba::Call& call) {
    CORBEL_LOG(core_.log(), client, debug, "call goes on elsewhere", {"operation", call.operation.name},
               {"peer", kHere}, {"to", "the other places of the reference"}, {"after", "raised " + way.refusal.id});
    base::SharedPtr<RemoteTarget> target;
    {
      const std::lock_guard lock(mutex_);
      if (elsewhere_ == nullptr) {
        elsewhere_ = base::make_shared<RemoteTarget>(core_, ior_, policies_.overrides(), nullptr,
                                                     RemoteTarget::Leads::elsewhere);
      }
      target = elsewhere_;
    }
    target->go_on(call, *way.terms.policies, way.terms.deadline, std::move(way.refusal),
                  {shared_from(this), way.terms.slots});
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
      throw CORBA::UNKNOWN(corba::minor::kUnlistedUserException, CORBA::COMPLETED_MAYBE,
                           std::string("the operation does not declare ") + exception._rep_id());
    } catch (const std::bad_alloc&) {
      throw CORBA::NO_MEMORY(0, CORBA::COMPLETED_MAYBE);
    } catch (const std::exception& exception) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, CORBA::COMPLETED_MAYBE,
                           std::string("the servant threw ") + exception.what());
    } catch (...) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, CORBA::COMPLETED_MAYBE,
                           "the servant threw a foreign exception");
    }
  }

  // --- calls that hooks see: as over the wire, first the client's side and then the server's ---

  void invoke_seen(const corba::Call& call, const Terms& terms, bool told) {
    CallHooks& hooks = *core_.hooks();
    ClientRequest seen;
    seen.operation = call.operation.name;
    seen.response_expected = !call.operation.oneway;
    seen.sync_scope = call.operation.oneway ? terms.policies->calls.sync_scope : policy::SyncScope::with_target;
    seen.target = shared_from(this);
    seen.effective = ior_;
    seen.slots = terms.slots;
    hooks.begin_call(seen);
    hooks.before_send(seen);
    std::optional<WayOn> way;
    if (seen.outcome == Outcome::pending) {
      bool begun = true;
      try {
        serve_seen(call, seen, told, begun);
        seen.outcome = call.operation.oneway ? Outcome::sent : Outcome::reply;
      } catch (const LocationForward& forward) {
        seen.outcome = Outcome::forward;
        seen.forward = forward.ior;
      } catch (const CORBA::SystemException& refusal) {
        if (!begun) way = way_on(refusal, &terms);
        seen.outcome = way ? Outcome::retry : told ? Outcome::exception : Outcome::sent;
        if (!way) seen.exception = std::current_exception();
      } catch (...) {
        seen.outcome = told ? Outcome::exception : Outcome::sent;
        seen.exception = std::current_exception();
      }
      hooks.after_reply(seen);
    }
    if (seen.outcome == Outcome::forward) return follow({seen.forward, false}, call);
    if (seen.outcome == Outcome::retry) return go_on(*std::move(way), call);
    throw_outcome(seen);
  }

  /// Throws what ends the call; the caller is `told`, if not before then when it is the arguments that are wrong.
  /// `begun`: false if it is the adapter that refuses.
  void serve_seen(const corba::Call& call, ClientRequest& client, bool& told, bool& begun) {
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
        begun = server_call.was_begun();
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
  void invoke_oneway(const corba::Call& call, const Terms& terms) {
    ObjectAdapter& target = adapter();
    UnseenLocalCall server_call(call, core_);
    try {
      target.dispatch(object_key_, server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (const CORBA::Exception& exception) {
      if (server_call.unmarshalled()) throw;
      if (const auto* refusal = dynamic_cast<const CORBA::SystemException*>(&exception)) {
        if (!server_call.was_begun() && went_on(*refusal, call, &terms)) return;
      }
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
  base::Mutex mutex_;
  base::SharedPtr<RemoteTarget> elsewhere_;  // guarded by mutex_; null until a call goes on
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
                   LocalTarget::Terms{policies_, begin_by_, slots_});
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

bool flush_oneways_elsewhere(corba::Target& target, base::Deadline deadline) {
  auto* const local = dynamic_cast<LocalTarget*>(&target);
  return local == nullptr || local->flush_oneways_elsewhere(deadline);
}

}  // namespace corbel::orb
