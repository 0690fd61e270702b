// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "corbel/base/result.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::transport::shm {

/// The thread of this process that is told when peers die: threads that sleep on a futex are not. It exists as long as
/// any carrier has it, and sleeps until a peer goes.
class Watch {
 public:
  /// The process's. Any thread. Error: out_of_resources (stage configure).
  static base::Result<std::shared_ptr<Watch>> get();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  reactor::Reactor& reactor() noexcept { return *reactor_; }

 private:
  explicit Watch(std::unique_ptr<reactor::Reactor> reactor) noexcept;
  base::Status start();

  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<std::thread> thread_;
  const std::uint32_t generation_;
};

}  // namespace corbel::transport::shm
