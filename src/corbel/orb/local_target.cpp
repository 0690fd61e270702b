// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_target.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "corbel/base/mutex.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/ask_here.hpp"
#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_limits.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/local_call.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/policy_levels.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {
namespace {

class LocalTarget final : public corba::Target, public base::SharedFromThis {
 public:
  LocalTarget(Core& core, ior::Ior ior, base::Bytes object_key, corba::PolicySetPtr overrides)
      : core_(core),
        owner_(core.owner()),
        ior_(std::move(ior)),
        object_key_(std::move(object_key)),
        policies_(std::move(overrides)) {}

  void invoke(const corba::Call& call) override try {
    if (call.operation.oneway || core_.edges().word() != word_.load(std::memory_order_relaxed)) [[unlikely]]
      return invoke_unsettled(call);
    carry_out(call);
  } catch (const corba::SystemExceptionCore& exception) {
    corba::raise_end_of_own_call(exception);
  } catch (const std::bad_alloc&) {
    raise_no_memory_for_arguments(true);
  }

  void invoke_async(corba::AsyncCall& call) override;
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override { return core_.context(); }
  bool is_local() const noexcept override { return true; }
  corba::PolicySetPtr overrides() const override { return policies_.overrides(); }
  corba::TargetPtr with_overrides(corba::PolicySetPtr overrides) const override {
    return core_.make_target(ior_, std::move(overrides));
  }
  corba::PolicyCorePtr policy(std::uint32_t type) override { return core_.policies().find(policies_, type); }
  void rebind() override { (void)adapter(); }

  EffectivePtr policies() { return core_.policies().effective(policies_); }
  /// What governs a call, settled when the call began.
  struct Terms {
    EffectivePtr policies;
    std::int64_t began = 0;                       ///< Deadline::exact_now() then; 0: asked for when it matters
    std::shared_ptr<const void> slots = nullptr;  ///< ClientRequest::slots

    CallLimits limits() const noexcept { return CallLimits::of(policies->calls, began); }
  };
  /// Throws TIMEOUT if the call comes too late. `waited`: it has, for a thread.
  void invoke(const corba::Call& call, const Terms& terms, bool waited = false) {
    const policy::ClientPolicies& calls = terms.policies->calls;
    if (policy::until(calls.request_end) == base::Duration::zero()) refuse_late(corba::minor::kRequestEndTimePassed);
    if (policy::until(calls.reply_end) == base::Duration::zero()) refuse_late(corba::minor::kReplyEndTimePassed);
    if (waited && terms.limits().begin_by().expired()) refuse_late(corba::minor::kRequestEndTimePassed);
    const bool told = !call.operation.oneway || calls.sync_scope == policy::SyncScope::with_target;
    const CallTrace trace(core_.log());
    const auto run = [&] {
      if ((core_.edges().word() & Edges::kHooks) != 0) return invoke_seen(call, terms, told);
      told ? carry_out(call, &terms, terms.began) : invoke_oneway(call, terms);
    };
    trace.on() ? invoke_traced(call, run, trace) : run();
  }
  /// The same, for a caller on another thread.
  void invoke_for(const corba::Call& call, const Terms& terms) {
    const PolicyLevels::Restored restored(core_.policies());
    invoke(call, terms, true);
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
  /// A call that nothing else looks at. When it began is asked for when it matters: by then nothing has taken time,
  /// unless it is one that is timed().
  class OwnCall final : public LocalCall {
   public:
    /// `given`: null: those of the reference.
    OwnCall(const corba::Call& call, LocalTarget& target, const Terms* given, std::int64_t began)
        : LocalCall(call, target.core_), target_(target), given_(given), began_(began) {}
    base::Deadline begin_by() override { return terms().limits().begin_by(); }
    Terms terms() {
      Terms terms = given_ == nullptr ? Terms{target_.policies()} : *given_;
      if (began_ == 0) began_ = base::Deadline::exact_now();
      terms.began = began_;
      return terms;
    }

   private:
    LocalTarget& target_;
    const Terms* const given_;
    std::int64_t began_;
  };

  /// Something is installed, or the policies matter.
  [[gnu::noinline]] void invoke_unsettled(const corba::Call& call) {
    const std::uint64_t word = core_.edges().word();  // before the policies: if they change in between, it is seen
    if (!call.operation.oneway && word == timed_word_.load(std::memory_order_relaxed))
      return carry_out(call, nullptr, base::Deadline::exact_now());
    EffectivePtr effective = policies();
    const policy::ClientPolicies& calls = effective->calls;
    const bool in_time = calls.request_end == policy::kNever && calls.reply_end == policy::kNever;
    const std::uint64_t memorable = in_time ? Edges::memorable_here(word) : Edges::kNever;
    word_.store(calls.timed() ? Edges::kNever : memorable, std::memory_order_relaxed);
    timed_word_.store(calls.timed() ? memorable : Edges::kNever, std::memory_order_relaxed);
    const std::int64_t began = calls.timed() ? base::Deadline::exact_now() : 0;
    invoke(call, Terms{std::move(effective), began});
  }

  [[noreturn]] static void refuse_late(std::uint32_t minor) {
    corba::raise("TIMEOUT", minor, kNo, "the call's time was over before it began");
  }

  /// Calls and tells about it.
  template <class Run>
  void invoke_traced(const corba::Call& call, const Run& run, const CallTrace& trace) try {
    run();
    trace.tell(call.operation.name, object_key_, kHere, "ok");
  } catch (const corba::SystemExceptionCore& exception) {
    trace.tell(call.operation.name, object_key_, kHere, exception._rep_id());
    throw;
  } catch (const corba::UserExceptionCore& exception) {
    trace.tell(call.operation.name, object_key_, kHere, exception._rep_id());
    throw;
  }

  /// `given`: the terms, if they are known; the warm path does without. `began`: as there.
  [[gnu::always_inline]] void carry_out(const corba::Call& call, const Terms* given = nullptr, std::int64_t began = 0) {
    OwnCall server_call(call, *this, given, began);
    try {
      serve_here(core_, object_key_, server_call, &place_);
    } catch (const AwaitHere& awaited) {
      await_here(core_, object_key_, server_call, awaited, server_call.terms().limits().deadline);
    } catch (const LocationForward& forward) {
      follow({forward.ior, forward.permanent}, call, server_call.terms());
    } catch (const corba::SystemExceptionCore& refusal) {
      if (server_call.was_begun() || !went_on(refusal_of(refusal), call, server_call.terms())) throw;
    }
  }

  // --- calls that the adapter sends on, or refuses, and that another place may carry out ---

  static Terms begun(Terms terms) {
    if (terms.began == 0) terms.began = base::Deadline::exact_now();
    return terms;
  }

  /// True if a call goes on that the adapter has refused, before anything of the application ran.
  bool goes_on(const Refusal& refusal, const Terms& terms) {
    if (!refusal.asks_elsewhere() || refusal.is("OBJECT_NOT_EXIST")) return false;
    // A call that may not be bound anew stays here.
    if (terms.policies->calls.rebind != policy::Rebind::transparent) return false;
    return !terms.limits().deadline.expired() && core_.routes_elsewhere(ior_, terms.policies->preference);
  }

  [[gnu::noinline]] bool went_on(Refusal refusal, const corba::Call& call, const Terms& terms) {
    if (!goes_on(refusal, terms)) return false;
    go_on(std::move(refusal), call, terms);
    return true;
  }

  void go_on(Refusal refusal, const corba::Call& call, const Terms& terms) {
    CORBEL_LOG(core_.log(), client, debug, "call goes on elsewhere", {"operation", call.operation.name},
               {"peer", kHere}, {"to", "the other places of the reference"}, {"after", "raised " + refusal.id});
    base::SharedPtr<RemoteTarget> target;
    {
      const std::lock_guard lock(mutex_);
      if (elsewhere_ == nullptr) elsewhere_ = target_to(RemoteTarget::Leads::elsewhere);
      target = elsewhere_;
    }
    target->go_on(call, *terms.policies, terms.limits(), std::move(refusal), {shared_from(this), terms.slots});
  }

  /// The call goes there each time anew: calls begin here, wherever the last one was sent on to.
  [[gnu::noinline]] void follow(Forward forward, const corba::Call& call, const Terms& terms) {
    const base::SharedPtr<RemoteTarget> target = target_to(RemoteTarget::Leads::onward);
    target->follow(call, *terms.policies, terms.limits(), std::move(forward), {shared_from(this), terms.slots});
  }

  base::SharedPtr<RemoteTarget> target_to(RemoteTarget::Leads leads) const {
    return base::make_shared<RemoteTarget>(core_, ior_, policies_.overrides(), nullptr, leads);
  }

  /// Calls that hooks see: as over the wire, first the client's side and then the server's.
  void invoke_seen(const corba::Call& call, const Terms& given, bool told) {
    const Terms terms = begun(given);
    CallHooks& hooks = *core_.hooks();
    ClientRequest seen;
    seen.operation = call.operation.name;
    seen.values = {call.operation.values, nullptr};  // as long as the call
    seen.response_expected = !call.operation.oneway;
    seen.sync_scope = call.operation.oneway ? terms.policies->calls.sync_scope : policy::SyncScope::with_target;
    seen.target = shared_from(this);
    seen.effective = ior_;
    seen.slots = terms.slots;
    seen.here = true;
    hooks.begin_call(seen);
    hooks.before_send(seen);
    bool permanent = false;
    Refusal refusal;
    bool way = false;
    if (seen.outcome == Outcome::pending) {
      auto answer = ask_here_seen(core_, object_key_, call, told, terms.limits(), seen);
      if (answer && std::holds_alternative<Forward>(*answer)) permanent = std::get<Forward>(*answer).permanent;
      if (answer && std::holds_alternative<Refusal>(*answer)) {
        refusal = std::get<Refusal>(*std::move(answer));
        way = goes_on(refusal, terms);
      }
      if (way) {
        seen.outcome = Outcome::retry;
        seen.exception = nullptr;
      }
      hooks.after_reply(seen);
    }
    if (seen.outcome == Outcome::forward) return follow({seen.forward, permanent}, call, terms);
    if (seen.outcome == Outcome::retry) return go_on(std::move(refusal), call, terms);
    throw_outcome(seen);
  }

  ObjectAdapter& adapter() const {
    core_.check_serves();
    return *core_.adapter();
  }

  /// A oneway has no outcome, here as over the wire, unless the caller waits for the target.
  void invoke_oneway(const corba::Call& call, const Terms& given) {
    const policy::ClientPolicies& calls = given.policies->calls;
    const bool limited = given.began != 0 || calls.request_end != policy::kNever || calls.reply_end != policy::kNever;
    auto answer = ask_here(core_, object_key_, call, false, limited ? begun(given).limits() : CallLimits());
    if (!answer) return;
    const Terms terms = begun(given);
    if (auto* forward = std::get_if<Forward>(&*answer)) return follow(std::move(*forward), call, terms);
    (void)went_on(std::get<Refusal>(*std::move(answer)), call, terms);
  }

  Core& core_;
  const base::SharedPtr<Core> owner_;  // of core_
  const ior::Ior ior_;
  const base::Bytes object_key_;
  ReferencePolicies policies_;
  std::atomic<std::uint64_t> word_{Edges::kNever};        // while the ORB's is the same, twoway calls need no policies
  std::atomic<std::uint64_t> timed_word_{Edges::kNever};  // nor while it is this, but to know when they began
  Place place_;
  base::Mutex mutex_;
  base::SharedPtr<RemoteTarget> elsewhere_;  // guarded by mutex_; null until a call goes on
};

/// An asynchronous call inside the process: a thread of the ORB, or one that waits for it, makes it synchronously.
class LocalAsyncCall final : public CallCarrier {
 public:
  LocalAsyncCall(corba::AsyncCall& call, base::SharedPtr<LocalTarget> target, EffectivePtr policies, Core& core)
      : CallCarrier(call, core.completions(), core.attends_calls()),
        target_(std::move(target)),
        terms_{std::move(policies), base::Deadline::exact_now(), slots_of_caller(core)} {}

  /// The servant may take long. Only where there is no other thread does the one that polls run it.
  bool poll() override { return attended() ? is_over(state()) : CallCarrier::poll(); }
  /// A servant that runs is left to run; nobody hears of its results.
  bool cancel() noexcept override {
    base::SharedPtr<LocalTarget> target;  // keeps the ORB
    {
      const std::lock_guard lock(mutex_);
      if (!begin_cancelling()) return false;
      target = target_;
    }
    const bool unsent = completions_.take(*this);
    end_cancelled(unsent ? kNo : corba::Completed::maybe);
    if (unsent) finish();
    return true;
  }

 private:
  /// A thread whose time is limited runs the servant only if no other one does so soon: how long that takes cannot be
  /// limited.
  bool help(base::Deadline until) override {
    const std::uint32_t before = state();
    if (attended() && !until.is_none() && !is_over(before)) sleep(before, earlier(until, base::Deadline::after(kSoon)));
    return false;
  }
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void finish() noexcept override {
    std::exception_ptr failure;
    if (!cancelled()) try {
        reactor::ThreadPool::promote_follower();  // as for a request that came from outside
        target_->invoke_for(
            {call().operation(), [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); },
             [this](cdr::Decoder& decoder) { call().decode_results(decoder); }, call().local_arguments()},
            terms_);
      } catch (const std::bad_alloc&) {
        failure = no_memory_for_arguments();
      } catch (...) {
        failure = base::handled_exception();
      }
    if (end_helping()) {  // who cancels it may be about to look at the target
      const std::lock_guard lock(mutex_);
    }
    target_ = nullptr;
    cancelled() ? withdraw() : complete(std::move(failure));
  }

  base::SharedPtr<LocalTarget> target_;
  static std::shared_ptr<const void> slots_of_caller(Core& core) {
    ClientRequest seen;
    if ((core.edges().word() & Edges::kHooks) != 0) core.hooks()->begin_call(seen);
    return std::move(seen.slots);
  }

  static constexpr base::Duration kSoon = std::chrono::milliseconds(100);

  const LocalTarget::Terms terms_;
};

void LocalTarget::invoke_async(corba::AsyncCall& call) try {
  core_.start_threads();
  core_.completions().push(call.emplace_carrier<LocalAsyncCall>(call, shared_from(this), policies(), core_));
} catch (const std::bad_alloc&) {
  raise_no_memory_for_arguments(true);
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
