// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
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
  bool waiting() const noexcept { return state_.load(std::memory_order_acquire) == State::waiting && is_awaited(); }
  /// For skeletons: the servant has returned. Throws what makes the caller wait, if that is on this thread.
  virtual void returned() {}

 protected:
  DeferredReply() noexcept = default;
  /// True for the first: it has to answer. `by_end`: for the ORB that ends; whoever answers later then does it for
  /// nobody, and is told nothing.
  bool claim(bool by_end = false) noexcept {
    auto waiting = State::waiting;
    return state_.compare_exchange_strong(waiting, by_end ? State::ended : State::answered, std::memory_order_acq_rel);
  }

  virtual bool is_awaited() const noexcept = 0;
  // At most one of these is called, once, by who has claimed it.
  virtual void answer(base::FunctionRef<void(cdr::Encoder&)> results) = 0;
  virtual void answer(std::exception_ptr exception) noexcept = 0;
  virtual void give_up() noexcept = 0;
  /// An exception came after the answer.
  virtual void tell_lost(const std::exception_ptr& exception) noexcept = 0;

 private:
  enum class State : std::uint8_t { waiting, answered, ended };

  bool claim_or_throw();

  std::atomic<State> state_{State::waiting};
};

using DeferredReplyPtr = base::SharedPtr<DeferredReply>;

}  // namespace corbel::corba
