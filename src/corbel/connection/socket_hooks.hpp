// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "corbel/base/condition.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/new_socket.hpp"

namespace corbel::connection {

/// One call-back of an application that sees new sockets, on the threads that make them. Thread-safe.
class SocketHook {
 public:
  using CallBack = std::function<void(const NewSocket&)>;

  explicit SocketHook(CallBack call_back) : call_back_(std::move(call_back)) {}

  /// Unless withdraw() has begun. What the call-back throws is logged.
  void call(const NewSocket& socket, const base::Log& log) noexcept;
  /// Nothing is called any more. When this returns, the call-back has returned on all threads but this one.
  void withdraw() noexcept;

 private:
  bool begin() noexcept;
  void done() noexcept;

  const CallBack call_back_;
  base::Mutex mutex_;  // guards what follows
  base::Condition changed_;
  unsigned running_ = 0;
  bool withdrawn_ = false;
};

/// Those of an ORB. As long as there are none a new connection looks at one flag. Thread-safe; does nothing in a child
/// of the process.
class SocketHooks {
 public:
  explicit SocketHooks(const base::Log& log) noexcept : log_(log) {}

  bool any() const noexcept { return any_.load(std::memory_order_relaxed) && process_ == base::process_generation(); }
  /// Calls all, in the order in which they were added. Without memory, none.
  void call(const NewSocket& socket) noexcept;
  void add(std::shared_ptr<SocketHook> hook);
  void remove(const std::shared_ptr<SocketHook>& hook) noexcept;

 private:
  const base::Log& log_;
  const std::uint32_t process_ = base::process_generation();
  std::atomic<bool> any_{false};
  base::ForkMutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<SocketHook>> all_;
};

}  // namespace corbel::connection
