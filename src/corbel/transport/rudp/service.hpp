// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_set>

#include "corbel/base/condition.hpp"
#include "corbel/base/log.hpp"
#include "corbel/transport/reactor_thread.hpp"

namespace corbel::transport::rudp {

/// What uses the service's thread until it closes itself.
class Guest {
 public:
  virtual ~Guest() = default;
  /// What its peers have not acknowledged.
  struct Undelivered {
    std::size_t connections = 0;
    std::size_t octets = 0;
  };
  virtual Undelivered undelivered() = 0;
  /// To close at once. The thread has ended.
  virtual void leave() noexcept = 0;
};

/// The thread of this process that hears what peers send, and acts when the time comes. It exists as long as a carrier,
/// connector or acceptor has it; the last of them waits until what was sent has been acknowledged, but not longer than
/// kLastWords, and logs what has not been.
class Service {
 public:
  static constexpr base::Duration kLastWords = std::chrono::seconds(3);

  /// The process's, for a user and those that it gives it to. `log` outlives them. Any thread. Error: out_of_resources
  /// (stage configure).
  static base::Result<std::shared_ptr<Service>> get(const base::Log& log);
  explicit Service(std::unique_ptr<ReactorThread> thread) noexcept : thread_(std::move(thread)) {}
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  reactor::Reactor& reactor() noexcept { return thread_->reactor(); }
  /// Guests come and go; they must not outlive it otherwise. Any thread.
  void came(Guest& guest);
  void went(Guest& guest) noexcept;
  /// False in a child of a fork, whose parent has the thread.
  bool is_here() const noexcept { return thread_->is_here(); }

 private:
  void leave(const base::Log& log) noexcept;

  const std::unique_ptr<ReactorThread> thread_;
  base::Mutex mutex_;  // guards what follows
  base::Condition all_gone_;
  std::unordered_set<Guest*> guests_;
  std::size_t users_ = 0;
};

}  // namespace corbel::transport::rudp
