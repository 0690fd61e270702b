// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/deferred_reply.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/orb/call_limits.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/orb/local_deferral.hpp"
#include "corbel/orb/no_memory.hpp"

namespace corbel::orb {

/// A request that never was a message: the skeleton works on the caller's own arguments and results, unless one of them
/// needs octets, both sides need values of their own, or one side's types are not the other's (a reference that came
/// from outside names whatever object its sender liked).
class LocalCall : public corba::ServerCall {
 public:
  void use_octets(std::uint64_t served) override { to_octets(served); }

  void to_octets(std::uint64_t served) try {
    if (octets_ != nullptr) return;
    octets_ = std::make_unique<Octets>();
    octets_->limits = served == call_.operation.signature ? kNoLimits : core_.limits();
    unmarshalled_ = true;
    if (!transfer(call_.encode_arguments)) fail("arguments", kNo);
    unmarshalled_ = false;
    set_octets(octets_->decoder);
  } catch (const std::bad_alloc&) {
    raise_no_memory_for_arguments();
  }
  /// To callers in the same process this is the same as arguments that cannot be marshalled.
  [[noreturn]] void refuse_arguments() override {
    unmarshalled_ = true;
    try {
      corba::rethrow_with(kNo);
    } catch (const std::bad_alloc&) {
      raise_no_memory_for_arguments();
    }
  }
  /// True if the caller's arguments could not be marshalled: the caller is told that, even of a oneway.
  bool unmarshalled() const noexcept { return unmarshalled_; }
  /// True of a call that failed if the adapter had begun to serve it: something of the application may have run.
  bool was_begun() const noexcept { return was_begun_; }
  /// Adapters ask once they have begun.
  bool reply_exception() noexcept override {
    was_begun_ = true;
    return false;
  }
  corba::DeferredReplyPtr defer(std::span<const std::string_view> raises, std::size_t octets) override {
    const std::size_t came = octets_ == nullptr ? 0 : octets_->bytes.size();
    return LocalDeferral::make(core_.deferrals(), call_.operation.name, !call_.operation.oneway, raises, octets + came);
  }
  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override try {
    if (octets_ == nullptr || call_.operation.oneway) return;
    const bool written = transfer_after(results);
    if (written) call_.decode_results(octets_->decoder);
    if (!written || !octets_->decoder.ok()) fail("results", corba::Completed::yes);
  } catch (const std::bad_alloc&) {
    raise_no_memory_for_results();
  }
  /// Throws what the servant threw to a caller that may know it by another type. Returns if it is to be thrown as it
  /// is.
  void raise_as_expected(const corba::UserExceptionCore& exception) try {
    if (octets_ == nullptr) return;
    const bool written = transfer_after([&](cdr::Encoder& encoder) { exception._encode(encoder); });
    if (written) corba::throw_user_exception(call_.operation, octets_->decoder);
    fail("exception", corba::Completed::yes);
  } catch (const std::bad_alloc&) {
    raise_no_memory_for_results();
  }

 protected:
  LocalCall(const corba::Call& call, Core& core)
      : ServerCall(call.operation.name, nullptr, call.local_arguments,
                   call.operation.copies ? corba::kUnknownStub : call.operation.signature),
        call_(call),
        core_(core) {
    if (call.local_arguments == nullptr) to_octets(corba::kUnknownSkeleton);
  }
  /// Where the arguments are is hidden until the operation is known.
  LocalCall(const corba::Call& call, Core& core, void* const* hidden)
      : ServerCall(call.operation.name, nullptr, hidden, corba::kUnknownStub), call_(call), core_(core) {}
  ~LocalCall() = default;

  const corba::Call& call() const noexcept { return call_; }
  Core& core() const noexcept { return core_; }

 private:
  /// For octets that are written and read as the same types in one process.
  static constexpr cdr::Limits kNoLimits{.max_depth = 10 * cdr::kMaxValueNesting, .max_expansion = ~0U};

  struct Octets {
    cdr::Encoder encoder;
    base::Bytes bytes;
    cdr::Decoder decoder;
    cdr::Limits limits;
    base::SharedPtr<cdr::Attachment> arguments = {};  // of the decoder that read them
  };

  bool transfer(base::FunctionRef<void(cdr::Encoder&)> write) {
    octets_->encoder.reset({});
    write(octets_->encoder);
    if (!octets_->encoder.ok()) return false;
    octets_->bytes = octets_->encoder.to_bytes();
    // What frees circles of values looks at them when the skeleton, which calls this with results, has let go of them.
    if (octets_->arguments == nullptr) octets_->arguments = octets_->decoder.attachment();
    octets_->decoder = cdr::Decoder(octets_->bytes, {}, octets_->limits);
    octets_->decoder.set_context(&core_.context());
    return true;
  }
  /// The same, of what the servant has left. What throws there says nothing about what the servant has done.
  bool transfer_after(base::FunctionRef<void(cdr::Encoder&)> write) {
    try {
      return transfer(write);
    } catch (...) {
      corba::rethrow_with(corba::Completed::yes);
    }
  }
  [[noreturn]] void fail(const char* what, corba::Completed completed) {
    const base::Error error = octets_->encoder.ok() ? octets_->decoder.error() : octets_->encoder.error();
    auto failure = failure_of(error, std::string(what) + " of operation '" + std::string(operation()) + "'");
    failure.completed = completed;
    corba::raise(std::move(failure));
  }

  const corba::Call& call_;
  Core& core_;
  std::unique_ptr<Octets> octets_;
  bool unmarshalled_ = false;
  bool was_begun_ = false;
};

/// A call that nothing else looks at.
class UnseenLocalCall final : public LocalCall {
 public:
  /// `limits`: outlive it.
  UnseenLocalCall(const corba::Call& call, Core& core, const CallLimits& limits)
      : LocalCall(call, core), limits_(limits) {}
  base::Deadline begin_by() override { return limits_.begin_by(); }

 private:
  const CallLimits& limits_;
};

/// A call whose arrival hooks see.
class SeenLocalCall final : public LocalCall {
 public:
  /// `limits`: outlive it.
  SeenLocalCall(const corba::Call& call, Core& core, const CallLimits& limits, ServerRequest& seen)
      : LocalCall(call, core, call.local_arguments == nullptr ? &kNothing : call.local_arguments),
        limits_(limits),
        seen_(seen) {}
  base::Deadline begin_by() override { return limits_.begin_by(); }

  void use_octets(std::uint64_t served) override {
    const corba::Operation& operation = call().operation;
    if (!std::exchange(told_, true)) {
      seen_.located = core().adapter()->describe(seen_.object);
      core().hooks()->before_upcall(seen_);
      throw_outcome(seen_);
    }
    const bool shares = call().local_arguments != nullptr && !operation.copies && served == operation.signature;
    if (!shares) to_octets(served);
  }
  void show_values(base::SharedPtr<const corba::RunTimeValues> values) noexcept override {
    seen_.values = std::move(values);
  }

 private:
  static constexpr void* kNothing = nullptr;
  const CallLimits& limits_;
  ServerRequest& seen_;
  bool told_ = false;
};

}  // namespace corbel::orb
