// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "corbel/base/deadline.hpp"
#include "corbel/base/result.hpp"
#include "corbel/connection/token.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::connection {

/// The asynchronous request of a connection that is being sent from where its data lie. Its results may be
/// the very values that are still on their way, so that its reply is not decoded before it has left. There is one at
/// most: the thread that sends it has the writer token.
class Leaving {
 public:
  /// With the writer token.
  void begin(messaging::Token request) noexcept { request_.store(request, std::memory_order_release); }
  /// What the request refers to may change from now on. Nothing happens if it is another that leaves.
  void end(messaging::Token request) noexcept {
    if (request_.load(std::memory_order_relaxed) != request) return;
    request_.compare_exchange_strong(request, 0, std::memory_order_release, std::memory_order_relaxed);
  }
  bool is(messaging::Token request) const noexcept { return request_.load(std::memory_order_acquire) == request; }
  /// For the thread that has read a reply to it: waits until it has left, as far as this thread knows. An honest peer
  /// has all of it, so that the sender is about to say so. With a dishonest one it fails after kMost: unknown_reply.
  /// `writer`: the writer token of the connection. It is not waited for: the next sender may have it already, and need
  /// this thread to read.
  base::Status await_end(messaging::Token request, Token& writer) const noexcept;

 private:
  static constexpr base::Duration kMost = std::chrono::milliseconds(250);

  std::atomic<messaging::Token> request_{0};
};

}  // namespace corbel::connection
