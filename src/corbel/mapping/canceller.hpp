// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/corba/async_call.hpp"

namespace corbel::mapping {

/// Cancels an asynchronous call for whoever has no hold of its future or poller: from another thread while one waits,
/// or when the future has been given to `co_await`. Copies are for the same call; they outlive it and the ORB.
/// Thread-safe.
class Canceller {
 public:
  Canceller() noexcept = default;
  /// For Future and Messaging::Poller.
  explicit Canceller(base::IntrusivePtr<corba::AsyncCall> call) noexcept : call_(std::move(call)) {}

  /// Ends the call now, as Future::cancel(). False if it was over, or about to be, or there is none.
  bool cancel() const noexcept {
    const auto call = call_;  // what goes on then may be this one's owner
    return call != nullptr && call->cancel();
  }

 private:
  base::IntrusivePtr<corba::AsyncCall> call_;
};

}  // namespace corbel::mapping

namespace corbel {
using mapping::Canceller;
}
