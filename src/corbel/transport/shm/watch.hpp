// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/reactor_thread.hpp"

namespace corbel::transport::shm {

/// The thread of this process that is told when peers die: threads that sleep on a futex are not. It exists as long as
/// any carrier has it, and sleeps until a peer goes.
class Watch {
 public:
  /// The process's. Any thread. Error: out_of_resources (stage configure).
  static base::Result<std::shared_ptr<Watch>> get();
  explicit Watch(std::unique_ptr<ReactorThread> thread) noexcept : thread_(std::move(thread)) {}

  reactor::Reactor& reactor() noexcept { return thread_->reactor(); }
  bool is_here() const noexcept { return thread_->is_here(); }

 private:
  const std::unique_ptr<ReactorThread> thread_;
};

}  // namespace corbel::transport::shm
