// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_set>

#include "corbel/base/condition.hpp"
#include "corbel/base/result.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::transport::rudp {

/// What uses the service's thread until it closes itself.
class Guest {
 public:
  virtual ~Guest() = default;
  /// To close at once. The thread has ended.
  virtual void leave() noexcept = 0;
};

/// The thread of this process that hears what peers send, and acts when the time comes. It exists as long as a carrier,
/// connector or acceptor has it; the last of them waits until what was sent has been acknowledged, but not longer than
/// kLastWords.
class Service {
 public:
  static constexpr base::Duration kLastWords = std::chrono::seconds(3);

  /// The process's. Any thread. Error: out_of_resources (stage configure).
  static base::Result<std::shared_ptr<Service>> get();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  reactor::Reactor& reactor() noexcept { return *reactor_; }
  /// Guests come and go; they must not outlive it otherwise. Any thread.
  void came(Guest& guest);
  void went(Guest& guest) noexcept;
  /// False in a child of a fork, whose parent has the thread.
  bool is_here() const noexcept;

 private:
  explicit Service(std::unique_ptr<reactor::Reactor> reactor) noexcept;
  base::Status start();

  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<std::thread> thread_;
  const std::uint32_t generation_;
  base::Mutex mutex_;
  base::Condition all_gone_;
  std::unordered_set<Guest*> guests_;  // guarded by the mutex
};

}  // namespace corbel::transport::rudp
