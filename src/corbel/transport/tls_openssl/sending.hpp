// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace corbel::transport::tls {

/// Keeps shutdown() from speaking in the middle of what this thread sends.
class Sending {
 public:
  explicit Sending(std::atomic<bool>& sending) noexcept
      : sending_(sending), mine_(!sending.exchange(true, std::memory_order_acquire)) {}
  ~Sending() {
    if (mine_) sending_.store(false, std::memory_order_release);
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  /// False if the carrier was shut down: there is only one thread that sends.
  explicit operator bool() const noexcept { return mine_; }

 private:
  std::atomic<bool>& sending_;
  const bool mine_;
};

}  // namespace corbel::transport::tls
