// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "corbel/base/fork.hpp"
#include "corbel/corba/poll_signal.hpp"
#include "corbel/corba/pollable_call.hpp"

namespace corbel::corba {

/// The requests of the dynamic invocation interface that were sent deferred and whose responses nobody has taken, and
/// the calls that stand for whichever of them completes first (CORBA 3.3 part 1, 7.4.3.1). One per ORB, shared with its
/// requests. Takes the locks of calls while it holds its own. Thread-safe.
class CORBEL_API DiiRequests : public base::SharedFromThis {
 public:
  DiiRequests() = default;
  DiiRequests(const DiiRequests&) = delete;
  DiiRequests& operator=(const DiiRequests&) = delete;

  /// A call that is ready while one of the requests is, and after end(), and pending otherwise. Throws std::bad_alloc.
  base::IntrusivePtr<PollableCall> any();

  /// A request that has been sent; its owner removes it before letting go of it. Throws std::bad_alloc.
  void add(PollableCall& request);
  /// Its response has come.
  void over(PollableCall& request) noexcept;
  /// Its response has been taken, or nobody wants it.
  void remove(PollableCall& request) noexcept;
  /// The ORB has ended: what is pending is over, or will be soon, and there will be no more.
  void end() noexcept;
  /// For who waited for any(): true if that is ready for no other reason than the end.
  bool is_over() noexcept;

 private:
  class Any;

  void note_ready(PollableCall& request) noexcept;
  base::IntrusivePtr<PollableCall> next_pending() noexcept;
  bool attended() noexcept;

  PollSignal changed_;     // a request was added, or the first has completed
  base::ForkMutex mutex_;  // guards what follows
  std::set<PollableCall*> pending_;
  std::set<PollableCall*> ready_;
  std::set<Any*> any_;
  PollableCall* last_seen_ = nullptr;  // of those that are pending
  bool ended_ = false;
};

}  // namespace corbel::corba
