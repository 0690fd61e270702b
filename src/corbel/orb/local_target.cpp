// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_target.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/call_carrier.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/orb/policy_levels.hpp"

namespace corbel::orb {
namespace {

/// A request that never was a message: the skeleton works on the caller's own arguments and results, unless one of them
/// needs octets, both sides need values of their own, or one side's types are not the other's (a reference that came
/// from outside names whatever object its sender liked).
class LocalCall final : public corba::ServerCall {
 public:
  LocalCall(const corba::Call& call, Core& core)
      : ServerCall(call.operation.name, nullptr, call.local_arguments,
                   call.operation.copies ? corba::kUnknownStub : call.operation.signature),
        call_(call),
        core_(core) {
    if (call.local_arguments == nullptr) use_octets(corba::kUnknownSkeleton);
  }

  void use_octets(std::uint64_t served) override {
    if (octets_ != nullptr) return;
    octets_ = std::make_unique<Octets>();
    octets_->limits = served == call_.operation.signature ? kNoLimits : core_.options().limits;
    unmarshalled_ = true;
    if (!transfer(call_.encode_arguments)) fail("arguments", CORBA::CompletionStatus::COMPLETED_NO);
    unmarshalled_ = false;
    set_octets(octets_->decoder);
  }
  /// True if the caller's arguments could not be marshalled: that is the caller's to know, even of a oneway.
  bool unmarshalled() const noexcept { return unmarshalled_; }
  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    if (octets_ == nullptr || call_.operation.oneway) return;
    const bool written = transfer(results);
    if (written) call_.decode_results(octets_->decoder);
    if (!written || !octets_->decoder.ok()) fail("results", CORBA::CompletionStatus::COMPLETED_YES);
  }
  /// Hands what the servant threw to a caller who may know it by another type. Only if it is to be thrown as it is,
  /// this returns.
  void raise_as_expected(const CORBA::UserException& exception) {
    if (octets_ == nullptr) return;
    const bool written = transfer([&](cdr::Encoder& encoder) { exception._encode(encoder); });
    if (written) corba::throw_user_exception(call_.operation, octets_->decoder);
    fail("exception", CORBA::CompletionStatus::COMPLETED_YES);
  }

 private:
  /// For octets that are written and read as the same types in one process.
  static constexpr cdr::Limits kNoLimits{.max_depth = 10 * cdr::kMaxValueNesting, .max_expansion = ~0U};

  struct Octets {
    cdr::Encoder encoder;
    base::Bytes bytes;
    cdr::Decoder decoder;
    cdr::Limits limits;
  };

  bool transfer(base::FunctionRef<void(cdr::Encoder&)> write) {
    octets_->encoder.reset({});
    write(octets_->encoder);
    if (!octets_->encoder.ok()) return false;
    octets_->bytes = octets_->encoder.to_bytes();
    octets_->decoder = cdr::Decoder(octets_->bytes, {}, octets_->limits);
    octets_->decoder.set_context(&core_);
    return true;
  }
  [[noreturn]] void fail(const char* what, CORBA::CompletionStatus completed) {
    const base::Error error = octets_->encoder.ok() ? octets_->decoder.error() : octets_->encoder.error();
    try {
      raise(error, std::string(what) + " of operation '" + std::string(operation()) + "'");
    } catch (CORBA::SystemException& exception) {
      exception.completed(completed);
      throw;
    }
  }

  const corba::Call& call_;
  Core& core_;
  std::unique_ptr<Octets> octets_;
  bool unmarshalled_ = false;
};

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
  void invoke(const corba::Call& call, const policy::ClientPolicies& calls) {
    if (policy::until(calls.request_end) == base::Duration::zero()) throw late(corba::minor::kRequestEndTimePassed);
    if (policy::until(calls.reply_end) == base::Duration::zero()) throw late(corba::minor::kReplyEndTimePassed);
    const bool told = !call.operation.oneway || calls.sync_scope == policy::SyncScope::with_target;
    const CallTrace trace(core_.log());
    if (trace.on()) return invoke_traced(call, told, trace);
    told ? carry_out(call) : invoke_oneway(call);
  }

 private:
  /// Something is installed, or the policies matter.
  [[gnu::noinline]] void invoke_unsettled(const corba::Call& call) {
    const std::uint64_t word = core_.edges().word();  // before the policies: if they change in between, it is seen
    const EffectivePtr effective = policies();
    const policy::ClientPolicies& calls = effective->calls;
    const bool in_time = calls.request_end == policy::kNever && calls.reply_end == policy::kNever;
    word_.store(in_time ? Edges::memorable(word) : Edges::kNever, std::memory_order_relaxed);
    invoke(call, calls);
  }

  static CORBA::TIMEOUT late(std::uint32_t minor) {
    return CORBA::TIMEOUT(minor, CORBA::CompletionStatus::COMPLETED_NO, "the call's time was over before it began");
  }

  /// Calls and tells about it.
  void invoke_traced(const corba::Call& call, bool told, const CallTrace& trace) try {
    told ? carry_out(call) : invoke_oneway(call);
    trace.tell(call.operation.name, object_key_, kHere, "ok");
  } catch (const CORBA::Exception& exception) {
    trace.tell(call.operation.name, object_key_, kHere, exception._rep_id());
    throw;
  }

  void carry_out(const corba::Call& call) {
    LocalCall server_call(call, core_);
    try {
      adapter().dispatch(object_key_, server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (const CORBA::SystemException&) {
      throw;
    } catch (const CORBA::UserException& exception) {
      const auto listed = server_call.raises();
      if (std::find(listed.begin(), listed.end(), exception._rep_id()) != listed.end()) {
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

  ObjectAdapter& adapter() const {
    core_.check_serves();
    return *core_.adapter();
  }

  /// A oneway has no outcome, here as over the wire, unless the caller waits for the target.
  void invoke_oneway(const corba::Call& call) {
    ObjectAdapter& target = adapter();
    LocalCall server_call(call, core_);
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
        begin_by_(Invocation::after(policies_->calls.round_trip, base::Deadline::clock_now())) {}

 private:
  bool help(base::Deadline) override { return false; }
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void finish() noexcept override {
    std::exception_ptr failure;
    try {
      if (begin_by_.expired()) {
        throw CORBA::TIMEOUT(corba::minor::kRequestEndTimePassed, CORBA::CompletionStatus::COMPLETED_NO,
                             "the call's time was over before a thread could make it");
      }
      std::exchange(target_, nullptr)
          ->invoke({call().operation(), [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); },
                    [this](cdr::Decoder& decoder) { call().decode_results(decoder); }, call().local_arguments()},
                   policies_->calls);
    } catch (...) {
      failure = std::current_exception();
    }
    complete(std::move(failure));
  }

  base::SharedPtr<LocalTarget> target_;
  const EffectivePtr policies_;
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
