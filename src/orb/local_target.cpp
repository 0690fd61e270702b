// SPDX-License-Identifier: Apache-2.0
#include "orb/local_target.hpp"

#include <algorithm>
#include <utility>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/orb.hpp"
#include "orb/core.hpp"
#include "orb/error_map.hpp"

namespace corbel::orb {
namespace {

constexpr auto kMaybe = CORBA::CompletionStatus::COMPLETED_MAYBE;

/// A request that never was a message: the skeleton works on the caller's own arguments and results.
class LocalCall final : public corba::ServerCall {
 public:
  explicit LocalCall(const corba::Call& call) noexcept
      : ServerCall(call.operation.name, nullptr, call.local_arguments) {}
  void reply(base::FunctionRef<void(cdr::Encoder&)>) override {}
};

/// A request that goes through memory as it would through a connection, so that both sides have values of their own.
/// Written and read by one ORB in one process, it is not subject to limits.
class CopiedCall final : public corba::ServerCall {
 public:
  CopiedCall(const corba::Call& call, cdr::Context& context) : CopiedCall(call, context, encoded(call)) {}

  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    cdr::Encoder encoder;
    results(encoder);
    if (!encoder.ok()) raise(encoder.error(), "the results of a call inside this process");
    results_ = encoder.to_bytes();
    replied_ = true;
  }
  /// Nothing if somebody else has answered (the request was forwarded).
  void decode_results(const corba::Call& call) {
    if (!replied_) return;
    cdr::Decoder decoder(results_, {}, kNoLimits);
    decoder.set_context(decoder_.context());
    call.decode_results(decoder);
    if (!decoder.ok()) raise(decoder.error(), "the results of a call inside this process");
  }

 private:
  static constexpr cdr::Limits kNoLimits{.max_depth = 10 * cdr::kMaxValueNesting, .max_expansion = ~0U};

  CopiedCall(const corba::Call& call, cdr::Context& context, base::Bytes arguments)
      : ServerCall(call.operation.name, &decoder_, nullptr),
        arguments_(std::move(arguments)),
        decoder_(arguments_, {}, kNoLimits) {
    decoder_.set_context(&context);
  }
  static base::Bytes encoded(const corba::Call& call) {
    cdr::Encoder encoder;
    call.encode_arguments(encoder);
    if (!encoder.ok()) raise(encoder.error(), "the arguments of a call inside this process");
    return encoder.to_bytes();
  }

  const base::Bytes arguments_;
  cdr::Decoder decoder_;
  base::Bytes results_;
  bool replied_ = false;
};

class LocalTarget final : public corba::Target {
 public:
  LocalTarget(Core& core, ior::Ior ior, base::Bytes object_key)
      : core_(core), orb_(core.orb()), ior_(std::move(ior)), object_key_(std::move(object_key)) {}

  void invoke(const corba::Call& call) override {
    if (call.operation.oneway && core_.options().sync_scope != policy::SyncScope::with_target) {
      return invoke_oneway(call);
    }
    if (call.operation.copies) {
      CopiedCall copied(call, core_);
      serve(copied, call);
      copied.decode_results(call);
    } else {
      LocalCall local(call);
      serve(local, call);
    }
  }

  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override { return core_; }
  bool is_local() const noexcept override { return true; }

 private:
  void serve(corba::ServerCall& server_call, const corba::Call& call) {
    try {
      adapter().dispatch(object_key_, server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (const CORBA::SystemException&) {
      throw;
    } catch (const CORBA::UserException& exception) {
      const auto listed = server_call.raises();
      if (std::find(listed.begin(), listed.end(), exception._rep_id()) != listed.end()) throw;
      throw CORBA::UNKNOWN(corba::minor::kUnlistedUserException, kMaybe,
                           std::string("the operation does not declare ") + exception._rep_id());
    } catch (const std::exception& exception) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, kMaybe,
                           std::string("the servant threw ") + exception.what());
    } catch (...) {
      throw CORBA::UNKNOWN(corba::minor::kForeignException, kMaybe, "the servant threw a foreign exception");
    }
  }

  ObjectAdapter& adapter() const {
    if (core_.is_shut_down()) {
      throw CORBA::BAD_INV_ORDER(corba::minor::kOrbShutDown, CORBA::CompletionStatus::COMPLETED_NO,
                                 "the ORB of this reference has shut down");
    }
    return *core_.adapter();
  }

  /// A oneway has no outcome, here as over the wire, unless the caller waits for the target.
  void invoke_oneway(const corba::Call& call) {
    ObjectAdapter& target = adapter();
    if (call.operation.copies) {
      CopiedCall copied(call, core_);
      return deliver(target, copied, call);
    }
    LocalCall local(call);
    deliver(target, local, call);
  }
  void deliver(ObjectAdapter& target, corba::ServerCall& server_call, const corba::Call& call) {
    try {
      target.dispatch(object_key_, server_call);
    } catch (const LocationForward& forward) {
      follow(forward, call);
    } catch (...) {  // NOLINT: nobody waits for the outcome
    }
  }

  void follow(const LocationForward& forward, const corba::Call& call) {
    thread_local unsigned depth = 0;
    struct Guard {
      Guard() { ++depth; }
      ~Guard() { --depth; }
    } guard;
    if (depth > core_.options().forward_limit) {
      raise(base::error(base::Stage::wait, base::Code::forward_loop),
            "forwarded " + std::to_string(depth) + " times inside this process");
    }
    const auto object = core_.make_object(forward.ior);
    if (object == nullptr) {
      throw CORBA::OBJECT_NOT_EXIST(corba::minor::kObjectNotActive, CORBA::CompletionStatus::COMPLETED_NO,
                                    "forwarded to a nil reference");
    }
    object->_target()->invoke(call);
  }

  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps core_ alive
  const ior::Ior ior_;
  const base::Bytes object_key_;
};

}  // namespace

corba::TargetPtr make_local_target(Core& core, ior::Ior ior, base::Bytes object_key) {
  return base::make_shared<LocalTarget>(core, std::move(ior), std::move(object_key));
}

}  // namespace corbel::orb
