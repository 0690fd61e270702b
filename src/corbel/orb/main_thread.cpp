// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/main_thread.hpp"

#include <utility>

#include "corbel/base/thread_end.hpp"
#include "corbel/connection/serving_here.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/process.hpp"

namespace corbel::orb {

bool MainThread::enter() noexcept {
  const std::lock_guard lock(mutex_);
  if (owner_ != std::thread::id()) return false;
  owner_ = std::this_thread::get_id();
  return true;
}

void MainThread::leave() noexcept {
  const std::lock_guard lock(mutex_);
  owner_ = {};
}

bool MainThread::is_owner() noexcept {
  const std::lock_guard lock(mutex_);
  return owner_ == std::this_thread::get_id();
}

bool MainThread::is_here() noexcept {
  const std::lock_guard lock(mutex_);
  return owner_ == std::thread::id() ? ipc::on_first_thread() : owner_ == std::this_thread::get_id();
}

bool MainThread::pending() {
  const std::lock_guard lock(mutex_);
  return first_ != nullptr;
}

/// With the mutex: the one that has waited longest.
MainThread::Task* MainThread::take() {
  Task* task = first_;
  if (task != nullptr) first_ = task->next;
  return task;
}

/// With the mutex. False if it has been taken.
bool MainThread::remove(Task& task) noexcept {
  for (Task** link = &first_; *link != nullptr; link = &(*link)->next) {
    if (*link != &task) continue;
    *link = task.next;
    return true;
  }
  return false;
}

void MainThread::carry_out(std::unique_lock<std::mutex>& lock, Task& task) {
  lock.unlock();
  try {
    run_here(task.act);
  } catch (...) {
    task.failure = base::handled_exception();
  }
  lock.lock();
  task.done = true;
  changed_.notify_all();
}

void MainThread::serve() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (Task* task = take()) {
      carry_out(lock, *task);
    } else {
      changed_.wait(lock);  // as ORB::run does: until the ORB ends
    }
  }
}

void MainThread::await(base::Deadline until) {
  std::unique_lock lock(mutex_);
  if (first_ == nullptr && !until.expired()) changed_.wait_for(lock, until.remaining());
}

std::size_t MainThread::serve_waiting(std::size_t most) {
  std::unique_lock lock(mutex_);
  std::size_t waiting = 0;
  for (const Task* task = first_; task != nullptr && waiting < most; task = task->next) ++waiting;
  std::size_t done = 0;
  for (; done < waiting; ++done) {
    Task* const task = take();
    if (task == nullptr) break;  // its caller has given up meanwhile
    carry_out(lock, *task);
  }
  if (event_.is_open() && first_ == nullptr && !closed_) event_.clear();
  return done;
}

base::Result<int> MainThread::pollable() {
  const std::lock_guard lock(mutex_);
  if (!event_.is_open()) {
    CORBEL_TRY(event_, ipc::Event::open());
    if (first_ != nullptr || closed_) event_.set();
  }
  return event_.handle();
}

void MainThread::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  if (event_.is_open()) event_.set();
}

void MainThread::run_here(base::FunctionRef<void()> act) {
  const std::lock_guard turn(turn_);
  act();
}

void MainThread::run(base::FunctionRef<void()> act, base::Deadline begins_until, Otherwise otherwise) {
  const bool first = !wanted_.exchange(true, std::memory_order_acq_rel);
  if (is_here() || leads_()) {
    if (first) call_();  // it may serve a connection now, whose other requests are not for it
    return run_here(act);
  }
  connection::Connection* const from = connection::serving_here();
  const auto act_for_peer = [&] {
    const connection::ServingHere here(from);
    act();
  };
  Task task{.act = act_for_peer, .failure = {}};
  std::unique_lock lock(mutex_);
  if (!closed_) {
    Task** end = &first_;
    while (*end != nullptr) end = &(*end)->next;
    *end = &task;
    changed_.notify_all();
    if (event_.is_open()) event_.set();
    lock.unlock();
    try {
      call_();
    } catch (...) {  // no memory; the call works on this thread's stack if it has begun all the same
      lock.lock();
      if (remove(task)) throw;
      lock.unlock();
    }
    lock.lock();
  }
  bool waits = !closed_;
  while (waits && !task.done) {
    if (begins_until.is_none()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, begins_until.remaining());
    }
    if (task.done || !(closed_ || begins_until.expired())) continue;
    if (remove(task)) break;
    // The call has begun, and works on this thread's stack: this thread waits however long that takes.
    begins_until = base::Deadline::none();
    changed_.wait(lock, [&] { return task.done; });
  }
  const bool closed = closed_;
  lock.unlock();
  if (task.done) {
    if (task.failure != nullptr) std::rethrow_exception(task.failure);
    return;
  }
  if (otherwise == Otherwise::run_here) return run_here(act);
  if (closed) {
    corba::raise("TRANSIENT", corba::minor::kPoaDestroyed, corba::Completed::no, "the server is shutting down");
  }
  corba::raise("TRANSIENT", corba::minor::kHeldTooLong, corba::Completed::no,
               "no main thread takes requests: an adapter with MAIN_THREAD_MODEL needs one in ORB::run");
}

}  // namespace corbel::orb
