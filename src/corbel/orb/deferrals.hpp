// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "corbel/base/deadline.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/connection/request_table.hpp"
#include "corbel/messaging/message.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/orb/value_memory.hpp"

namespace corbel::orb {

/// A request that waits for its answer, as Deferrals sees it.
class Deferral : public connection::RequestTable<Deferral>::Entry {
 public:
  /// Its client wants no answer any more.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 protected:
  Deferral(const connection::Connection* connection, const messaging::Origin& origin) noexcept
      : Entry(connection, origin) {}
  virtual ~Deferral() = default;
  /// Answers for a servant that has not.
  virtual void end() noexcept = 0;

 private:
  friend class Deferrals;
  std::atomic<bool> cancelled_{false};
  base::SharedPtr<Deferral> self_;  // while it is listed; guarded by the mutex of Deferrals
};

class Deferrals;

/// A request that waits before its servant is called, while this is there: on the stack of its thread.
class Pause : public connection::RequestTable<Pause>::Entry {
 public:
  /// Throws std::bad_alloc.
  Pause(Deferrals& all, const connection::Connection& connection, const messaging::Origin& origin);
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  /// Its client wants no answer any more. Any thread.
  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  friend class Deferrals;
  Deferrals& all_;
  std::atomic<bool> cancelled_{false};
};

/// The requests of one ORB that wait for their answers: a table by connection and request, of which each entry keeps
/// its request. Owned by the Core. Thread-safe.
class Deferrals {
 public:
  /// Of an ORB: where it logs, what pays for those that wait, and the adapter that is there when requests run.
  Deferrals(const base::Log& log, ValueMemory& memory, const std::atomic<ObjectAdapter*>& adapter) noexcept
      : log_(log), memory_(memory), adapter_(adapter) {}
  Deferrals(const Deferrals&) = delete;
  Deferrals& operator=(const Deferrals&) = delete;

  const base::Log& log() const noexcept { return log_; }
  ValueMemory& memory() noexcept { return memory_; }
  ObjectAdapter& adapter() const noexcept { return *adapter_.load(std::memory_order_acquire); }
  /// True in a child of the process whose ORB it is: who waits does so for the parent.
  bool left_behind() const noexcept { return process_ != base::process_generation(); }

  /// False if the end has come. Throws std::bad_alloc.
  bool add(base::SharedPtr<Deferral> deferral);
  /// It has been answered; does nothing if it is not listed.
  void remove(Deferral& deferral) noexcept;
  /// The client of that request, which may also wait before its servant is called, wants no answer any more.
  void cancel(const connection::Connection& connection, const messaging::Origin& origin) noexcept;
  std::size_t count() const;
  /// Answers for all, and lists no more. False if one of them, which another thread is just answering, has not gone by
  /// the deadline.
  bool end_all(base::Deadline deadline) noexcept;

 private:
  friend class Pause;
  const base::Log& log_;
  ValueMemory& memory_;
  const std::atomic<ObjectAdapter*>& adapter_;
  const std::uint32_t process_ = base::process_generation();
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable gone_;
  connection::RequestTable<Deferral> waiting_;
  connection::RequestTable<Pause> pauses_;
  bool ended_ = false;
};

}  // namespace corbel::orb
