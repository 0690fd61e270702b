// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "corbel/base/deadline.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/event.hpp"

namespace corbel::orb {

/// The one thread on which adapters with MAIN_THREAD_MODEL call the application (CORBA 3.3 part 1, 15.3.8.1): the first
/// of those in ORB::run, or the one in ORB::perform_work. While there is none, the thread that the process began with
/// is it, for the calls that it makes itself. Thread-safe.
class MainThread {
 public:
  /// `call`: makes the thread in ORB::run look at wanted() or call serve_waiting(). `leads`: true if the calling thread
  /// is the only one that serves, so that `call` would call this one.
  MainThread(std::function<void()> call, std::function<bool()> leads)
      : call_(std::move(call)), leads_(std::move(leads)) {}

  /// The calling thread becomes the main thread until leave(); false if another one is.
  bool enter() noexcept;
  void leave() noexcept;
  /// True if the calling thread has entered.
  bool is_owner() noexcept;
  /// True once a thread has asked for the main thread, which should then serve() and do nothing else.
  bool wanted() const noexcept { return wanted_.load(std::memory_order_acquire); }
  /// True if something waits for it.
  bool pending();
  /// Runs what comes until close(). By the main thread.
  void serve();
  /// Waits for something for the main thread, close() if that is still to come, or the deadline.
  void await(base::Deadline until);
  /// Runs what waits now, no more than `most`, and not what comes meanwhile; how many. By the main thread.
  std::size_t serve_waiting(std::size_t most = SIZE_MAX);
  /// A handle that is readable while something waits for the main thread, and after close(). It belongs to this. Error:
  /// out_of_resources (stage configure).
  base::Result<int> pollable();

  /// What happens if no main thread takes the call up in time, or none will any more.
  enum class Otherwise { refuse, run_here };
  /// Runs `act` on the main thread, returns when that is done and passes on what it throws. At once, if the calling
  /// thread is it. Refusing means TRANSIENT, COMPLETED_NO.
  void run(base::FunctionRef<void()> act, base::Deadline begins_until, Otherwise otherwise);
  /// The ORB ends: what has not begun never will.
  void close();

 private:
  struct Task {
    base::FunctionRef<void()> act;
    std::exception_ptr failure;
    bool done = false;
    Task* next = nullptr;
  };

  bool is_here() noexcept;
  Task* take();
  bool remove(Task& task) noexcept;
  void carry_out(std::unique_lock<std::mutex>& lock, Task& task);
  void run_here(base::FunctionRef<void()> act);

  const std::function<void()> call_;
  const std::function<bool()> leads_;
  std::atomic<bool> wanted_{false};
  std::recursive_mutex turn_;  // held while one of these runs, wherever and however long; taken without mutex_
  std::mutex mutex_;           // guards what follows
  std::condition_variable changed_;
  Task* first_ = nullptr;
  std::thread::id owner_;
  ipc::Event event_;  // once pollable() was called
  bool closed_ = false;
};

}  // namespace corbel::orb
