// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>

#include "corbel/connection/async_reply.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/corba/async_call.hpp"

namespace corbel::orb {

/// What all asynchronous calls have in common: the reference that keeps the call alive until it is complete, and those
/// who wait for that.
class CallCarrier : public corba::AsyncCarrier, public connection::AsyncReply {
 public:
  bool wait(base::Deadline until) final;

 protected:
  CallCarrier(corba::AsyncCall& call, connection::Completions& completions) noexcept
      : completions_(completions), call_(call) {
    call_.add_reference();
  }
  ~CallCarrier() override = default;

  corba::AsyncCall& call() noexcept { return call_; }
  /// Takes part with the calling thread if there is something to do for just this call; true if finish() is up to the
  /// caller now.
  virtual bool help(base::Deadline until) = 0;
  /// Ends the call and the reference to it: this may be gone afterwards.
  void complete(std::exception_ptr failure) noexcept;
  /// The call will not be carried out after all; nobody is told.
  void withdraw() noexcept;
  void on_queued() noexcept final { change(false); }
  /// Makes those who wait look again.
  void change(bool done) noexcept;

  connection::Completions& completions_;
  std::mutex mutex_;  // guards what follows, and what derived classes say

 private:
  corba::AsyncCall& call_;
  std::condition_variable changed_;
  unsigned changes_ = 0;
  bool done_ = false;
};

}  // namespace corbel::orb
