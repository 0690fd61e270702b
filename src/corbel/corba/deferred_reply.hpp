// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/call.hpp"

namespace corbel::corba {

/// The answer to a request whose servant has returned, or may return, without it (ServerCall::defer). Owned by whoever
/// is to give it; the request counts as running on its object, its adapter and its connection until it has been
/// answered. Thread-safe. After the end of its ORB it answers nobody.
class CORBEL_API DeferredReply {
 public:
  virtual ~DeferredReply();
  DeferredReply(const DeferredReply&) = delete;
  DeferredReply& operator=(const DeferredReply&) = delete;

  /// Answers with what `results` writes, on the calling thread, or drops that if nobody waits for it any more. What
  /// cannot be marshalled becomes an exception at the client. Throws BAD_INV_ORDER, COMPLETED_NO, if it has been
  /// answered before.
  void reply(base::FunctionRef<void(cdr::Encoder&)> results);
  /// Answers with an exception, as if the servant had thrown it. The same for what is no exception of CORBA's. Throws
  /// as reply(); null: BAD_PARAM.
  void raise(std::exception_ptr exception);
  /// As raise(), of what the servant has thrown; after an answer the log is told.
  void raise_thrown(std::exception_ptr exception) noexcept;
  /// There will be no answer of the servant's: one that waits is told NO_RESPONSE, COMPLETED_MAYBE. Does nothing after
  /// an answer.
  void abandon() noexcept;
  /// As far as is known: the request has not been answered, its client is there, has not cancelled it, and the time for
  /// it (RequestEndTime) is not over.
  bool waiting() const noexcept { return !answered_.load(std::memory_order_acquire) && is_awaited(); }
  /// For skeletons: the servant has returned. Throws what makes the caller wait, if that is on this thread.
  virtual void returned() {}

 protected:
  DeferredReply() noexcept = default;
  /// True for the first: it has to answer.
  bool claim() noexcept { return !answered_.exchange(true, std::memory_order_acq_rel); }

  virtual bool is_awaited() const noexcept = 0;
  // At most one of these is called, once, by who has claimed it.
  virtual void answer(base::FunctionRef<void(cdr::Encoder&)> results) = 0;
  virtual void answer(std::exception_ptr exception) noexcept = 0;
  virtual void give_up() noexcept = 0;
  /// An exception came after the answer.
  virtual void tell_lost(const std::exception_ptr& exception) noexcept = 0;

 private:
  void claim_or_throw();

  std::atomic<bool> answered_{false};
};

using DeferredReplyPtr = base::SharedPtr<DeferredReply>;

}  // namespace corbel::corba
