// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/light_deadline.hpp"
#include "corbel/corba/call.hpp"

namespace corbel::corba {

/// What carries an asynchronous call for the target it was given to; lives inside the call.
class AsyncCarrier {
 public:
  virtual ~AsyncCarrier() = default;
  virtual bool wait(base::Deadline deadline) = 0;
  /// See AsyncCall::poll.
  virtual bool poll() = 0;
  /// See AsyncCall::attended.
  virtual bool attended() const noexcept = 0;
  /// See AsyncCall::attend.
  virtual void attend() noexcept {}
  /// See AsyncCall::cancel.
  virtual bool cancel() noexcept { return false; }
  /// See AsyncCall::let_cancel.
  virtual void let_cancel() noexcept {}
  /// See AsyncCall::may_take_long.
  virtual void may_take_long() noexcept = 0;
  /// See AsyncCall::report_thrown.
  virtual void report_thrown() noexcept = 0;
};

/// One invocation whose caller does not wait (Target::invoke_async). Derive from it to say how arguments and results
/// are marshalled and what happens in the end; the arguments live here, since the request may have to be sent again.
/// Counted; the ORB keeps a reference until complete() has returned. For one invocation.
class CORBEL_API AsyncCall : public base::RefCounted {
 public:
  /// `operation` outlives the call.
  explicit AsyncCall(const Operation& operation) noexcept : operation_(operation) {}
  virtual ~AsyncCall();
  /// A call is made by one thread and usually ends on another (corbel/base/call_memory.hpp).
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  /// For those whose result is asked for when it has been given away. Throws BAD_INV_ORDER (OMG minor code 12).
  [[noreturn]] static void raise_taken();

  const Operation& operation() const noexcept { return operation_; }
  /// Writes the arguments; again for every attempt.
  virtual void encode_arguments(cdr::Encoder& encoder) = 0;
  /// Reads the results, in place, while nothing else can be received from the same peer: short.
  virtual void decode_results(cdr::Decoder& decoder) = 0;
  /// As Call::local_arguments, valid until complete().
  virtual void* const* local_arguments() noexcept = 0;
  /// The call has ended: well, or with `failure` (a CORBA exception). Once, on a thread of the ORB or one that waits
  /// for this call, with no lock held.
  virtual void complete(std::exception_ptr failure) noexcept = 0;
  /// As complete() without a failure, if that runs no code of the application: else nothing, and false. May be called
  /// while the connection is read. Only asked if completes_at_once().
  virtual bool complete_quietly() noexcept { return false; }
  /// As complete_quietly(), with what cancel() ends the call with, which is taken then; asked of every call.
  virtual bool fail_quietly(std::exception_ptr& failure) noexcept { return (void)failure, false; }
  /// True if complete() takes no time, or says may_take_long() before it does: it then need not have a thread to
  /// itself.
  virtual bool completes_at_once() const noexcept { return false; }

  /// True if a thread is probably going to wait for the call, or to poll: the ORB's threads then do not look for the
  /// reply for a while, unless attend() is called.
  virtual bool expects_asker() const noexcept { return false; }

  /// Waits until complete() has returned; false if the deadline comes first. Only after invoke_async has succeeded. The
  /// calling thread reads the reply itself if no other thread does. Any number of threads may wait.
  bool wait(base::Deadline deadline = base::Deadline::none()) { return carrier_->wait(deadline); }
  /// True if the call is over. Does not wait, but the calling thread sees to what has come for the call if no other
  /// thread does: whoever only polls sees the end too. As wait() otherwise.
  bool poll() { return carrier_->poll(); }
  /// Threads of the ORB see to the call's end from now on, for one whose end no thread asks for after all.
  void attend() const noexcept {
    if (carrier_ != nullptr) carrier_->attend();
  }
  /// Ends the call now, unless it has ended or is about to: false then. It fails with TRANSIENT (OMG minor code 3),
  /// COMPLETED_NO if nothing of it has left, else COMPLETED_MAYBE; its peer is told, and a reply that comes
  /// nevertheless is dropped. complete() runs before this returns if it runs no code of the application
  /// (fail_quietly()), else on a thread of the ORB. Only after invoke_async has returned or thrown; any thread.
  bool cancel() noexcept { return carrier_ != nullptr && carrier_->cancel(); }
  /// While no thread waits for it: another one may cancel the call from now on while one does. Threads of the ORB, if
  /// there are some, see to its end: one that read for it could not be woken.
  void let_cancel() const noexcept {
    if (carrier_ != nullptr) carrier_->let_cancel();
  }
  /// True if threads of the ORB see to the call's end even if nobody waits for it, unless servants keep all of them.
  bool attended() const noexcept { return carrier_->attended(); }

  /// Throws NO_MEMORY, COMPLETED_NO: the call could not even be made.
  [[noreturn]] static void refuse_for_memory();

  /// For targets: makes the carrier, in place.
  template <class C, class... Arguments>
  C& emplace_carrier(Arguments&&... arguments) {
    static_assert(sizeof(C) <= kCarrierSize && alignof(C) <= alignof(std::max_align_t));
    C* carrier = ::new (static_cast<void*>(storage_)) C(std::forward<Arguments>(arguments)...);
    carrier_ = carrier;
    return *carrier;
  }

 protected:
  /// For complete(), before code of the application runs: other threads see to what else arrives.
  void may_take_long() noexcept {
    if (carrier_ != nullptr) carrier_->may_take_long();
  }
  /// For complete(), in a handler: the application's code threw, and there is nobody but the log to be told.
  void report_thrown() noexcept {
    if (carrier_ != nullptr) carrier_->report_thrown();
  }

 private:
  static constexpr std::size_t kCarrierSize = 448;

  const Operation& operation_;
  AsyncCarrier* carrier_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[kCarrierSize];
};

}  // namespace corbel::corba
