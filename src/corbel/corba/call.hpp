// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/policy_core.hpp"

namespace corbel::ior {
struct Ior;
}

namespace corbel {
struct RequestPeer;
}  // namespace corbel

namespace corbel::base {
class Deadline;
}  // namespace corbel::base

namespace corbel::corba {

/// One user exception that an operation may raise, as the client sees it.
struct ExceptionType {
  std::string_view id;
  /// Reads the members (the repository id has been read) and throws; returns only if decoding failed. `self` is the
  /// entry that was found.
  void (*decode_and_throw)(cdr::Decoder& decoder, const ExceptionType& self);
  /// For that function.
  const void* data = nullptr;
};

/// What the compiler of this file makes of the standard types that arguments are mapped to.
constexpr std::uint64_t kTypesAbi = [] {
  std::uint64_t abi = 1;  // changes when the mapping lays out a type in another way
  const auto add = [&](std::uint64_t what) { abi = (abi ^ what) * 0x00000100000001b3U; };
  add(sizeof(std::string));
  add(sizeof(wchar_t));
  add(sizeof(long double));
#if defined(_GLIBCXX_USE_CXX11_ABI)
  add(_GLIBCXX_USE_CXX11_ABI + 0x100);
#endif
#if defined(_GLIBCXX_DEBUG)
  add(0x200);
#endif
#if defined(_LIBCPP_ABI_VERSION)
  add(_LIBCPP_ABI_VERSION + 0x300);
#endif
  return abi;
}();

/// Identity of the C++ types of an operation's arguments, results and exceptions. corbel-idl makes `types` of the
/// operation's name and all that its types consist of. Two operations with the same signature can work on each other's
/// arguments where they lie.
constexpr std::uint64_t signature(std::uint64_t types) noexcept {
  return (types ^ kTypesAbi) | 0x8000000000000000U;
}
/// Signatures that nothing else has: of a stub that tells nothing, of a skeleton that tells nothing, and of the
/// operations that every object has.
constexpr std::uint64_t kUnknownStub = 0, kUnknownSkeleton = 1, kSignatureOfIsA = 2, kSignatureOfNonExistent = 3,
                        kSignatureOfRepositoryId = 4;

/// What is known as Anys of a call that is put together, or served, at run time (dynamic/run_time_values.hpp).
struct RunTimeValues;

/// What a stub knows about an operation; a constant in the generated code.
struct Operation {
  std::string_view name;
  bool oneway = false;
  std::span<const ExceptionType> raises = {};
  /// Arguments or results hold values, which the two sides of a collocated call must not share.
  bool copies = false;
  /// A collocated call to a skeleton with another one is marshalled.
  std::uint64_t signature = kUnknownStub;
  const RunTimeValues* values = nullptr;  ///< of this one call; null: there are none
};

/// One invocation: lives on the caller's stack for the length of the call and knows how to marshal its arguments.
struct Call {
  const Operation& operation;
  base::FunctionRef<void(cdr::Encoder&)> encode_arguments;
  base::FunctionRef<void(cdr::Decoder&)> decode_results;
  /// For a collocated call: addresses of the result (nullptr for void) and of each parameter, in order; a
  /// skeleton with the same signature knows their types. Null if the caller has none: the call is then marshalled here,
  /// too.
  void* const* local_arguments;
};

/// Reads a user exception, its repository id first, and throws it, or UNKNOWN if the operation does not list it;
/// returns only if decoding fails.
CORBEL_API void throw_user_exception(const Operation& operation, cdr::Decoder& decoder);

class AsyncCall;
class DeferredReply;
class PolicySet;
class Target;
using TargetPtr = base::SharedPtr<Target>;

/// What a reference leads to: a remote object or one in this process. Shared by all stubs of the same reference;
/// thread-safe.
class CORBEL_API Target {
 public:
  virtual ~Target() = default;
  /// Carries out the call; returns when it is done, or throws a CORBA exception.
  virtual void invoke(const Call& call) = 0;
  /// Begins the call and returns; its outcome goes to `call`, to which the target keeps a reference meanwhile (it is a
  /// counted object: see async_call.hpp). Throws what stopped it before a request had been sent; `call` is not told
  /// then.
  virtual void invoke_async(AsyncCall& call);
  /// The reference as data.
  virtual const ior::Ior& ior() const = 0;
  /// The ORB it belongs to (not owned).
  virtual cdr::Context& context() const noexcept = 0;
  /// True if the call would not leave the process.
  virtual bool is_local() const noexcept = 0;

  // --- policies; targets that have none throw NO_IMPLEMENT ---

  /// Those of this reference alone; null if it has none.
  virtual base::SharedPtr<const PolicySet> overrides() const;
  /// The same object under other policies.
  virtual TargetPtr with_overrides(base::SharedPtr<const PolicySet> overrides) const;
  /// The policy of a type (CORBA::PolicyType) that a call from this thread would obey; null if there is none.
  virtual PolicyCorePtr policy(std::uint32_t type);
  /// Makes sure that there is an object to call, wherever the reference led before. Throws as a call.
  virtual void rebind();
  /// After rebind() has thrown INV_POLICY: policies of a call from this thread that leave it no way, which need not be
  /// all of them; empty if none is known.
  virtual std::vector<PolicyCorePtr> unfit_policies() { return {}; }
  /// The same object called without a connection, if it is in this process and the options say otherwise; else null.
  virtual base::SharedPtr<Target> called_directly() { return nullptr; }
};

/// One request being served. Lives on the stack of the dispatching thread.
class CORBEL_API ServerCall {
 public:
  /// The operation name as it came.
  std::string_view operation() const noexcept { return operation_; }
  /// To be called once the operation is known: says with which types it will be served. If the caller's differ, or the
  /// two sides must not share values, the call goes on with octets.
  void match(std::uint64_t signature) {
    if (local_arguments_ != nullptr && signature != signature_) [[unlikely]]
      use_octets(signature);
  }
  /// Of a collocated call: with which types its arguments were made; kUnknownStub if they must not be shared.
  std::uint64_t signature() const noexcept { return signature_; }
  /// After match(): addresses of the caller's result and parameters when the call is collocated, else nullptr.
  void* const* local_arguments() const noexcept { return local_arguments_; }
  /// The arguments of a remote call, positioned at the first.
  cdr::Decoder& arguments() noexcept { return *arguments_; }
  /// Throws MARSHAL or its like, COMPLETED_NO if the arguments could not be decoded. Call between decoding and the
  /// upcall.
  void check_arguments() const {
    if (!arguments_->ok()) [[unlikely]]
      throw_bad_arguments();
  }
  /// From a handler of what was thrown while the arguments were decoded: by a value factory, or by the application's
  /// code for a value. Throws what the caller is told, COMPLETED_NO: the servant has not run.
  [[noreturn]] virtual void refuse_arguments() { throw; }
  /// Repository ids of the user exceptions that the operation may raise; others become UNKNOWN.
  std::span<const std::string_view> raises() const noexcept { return raises_; }
  /// True if that exception is one of them.
  bool lists(std::string_view repository_id) const noexcept;
  void set_raises(std::span<const std::string_view> raises) noexcept { raises_ = raises; }
  /// For servants that do not know the types of the operation: from now on arguments() and reply() serve a collocated
  /// call as well, and local_arguments() is null. Unless `served` is the caller's signature, what is read has the
  /// limits of what comes from outside. Throws MARSHAL if the caller's arguments cannot be marshalled.
  virtual void use_octets([[maybe_unused]] std::uint64_t served = kUnknownSkeleton) {}
  /// Sends the results of a remote call (nothing for a oneway). Everything that `results` refers to need only live
  /// until this returns. At most once.
  virtual void reply(base::FunctionRef<void(cdr::Encoder&)> results) = 0;
  /// From a handler of what the servant threw: answers with it while the request still counts as running. False if the
  /// exception is to go on to the caller.
  virtual bool reply_exception() noexcept { return false; }
  /// Before reply(): for whoever looks at calls.
  virtual void show_values(base::SharedPtr<const RunTimeValues>) noexcept {}
  /// For servants that answer later, instead of reply(): after arguments() have been read, which `octets` of memory
  /// came of beyond those of the message. From now on this has nothing to answer, and what it was told by
  /// set_raises() goes along. Throws what refuses the request, COMPLETED_NO; it is answered with that. Null if nobody
  /// is ever told of an answer. (corba/deferred_reply.hpp)
  virtual base::SharedPtr<DeferredReply> defer(std::span<const std::string_view> raises, std::size_t octets);
  /// Shows `to` who has sent it (orb/peer.hpp). By default nothing happens: it comes from this process.
  virtual void show_sender([[maybe_unused]] base::FunctionRef<void(const RequestPeer&)> to) {}
  /// When its caller's time for it to begin is over, as far as that is known here. For adapters that make it wait.
  virtual base::Deadline begin_by();
  /// Throws TIMEOUT, COMPLETED_NO, if that time has come: the servant is not to run any more.
  void check_in_time();

 protected:
  /// `signature`: of the arguments at those addresses; kUnknownStub if they must not be shared.
  ServerCall(std::string_view operation, cdr::Decoder* arguments, void* const* local_arguments,
             std::uint64_t signature = kUnknownStub) noexcept
      : operation_(operation), arguments_(arguments), local_arguments_(local_arguments), signature_(signature) {}
  ~ServerCall() = default;
  void set_octets(cdr::Decoder& arguments) noexcept {
    arguments_ = &arguments;
    local_arguments_ = nullptr;
  }

 private:
  [[noreturn]] CORBEL_API void throw_bad_arguments() const;

  std::string_view operation_;
  cdr::Decoder* arguments_;
  void* const* local_arguments_;
  const std::uint64_t signature_;
  std::span<const std::string_view> raises_;
};

}  // namespace corbel::corba
