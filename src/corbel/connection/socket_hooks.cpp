// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/socket_hooks.hpp"

#include <exception>
#include <new>
#include <utility>

#include "corbel/base/thread_end.hpp"

namespace corbel::connection {
namespace {

/// A hook that the thread is in, and those below it.
struct Within {
  const SocketHook* hook;
  const Within* below;
};
thread_local const Within* t_within = nullptr;

unsigned times_within(const SocketHook& hook) noexcept {
  unsigned times = 0;
  for (const Within* within = t_within; within != nullptr; within = within->below) times += within->hook == &hook;
  return times;
}

}  // namespace

void SocketHook::call(const NewSocket& socket, const base::Log& log) noexcept {
  if (!begin()) return;
  const Within within{this, std::exchange(t_within, &within)};
  try {
    call_back_(socket);
  } catch (const std::exception& exception) {
    CORBEL_LOG(log, connection, warning, "a call-back for sockets threw", {"what", exception.what()},
               {"peer", socket.peer});
  } catch (...) {
    base::call_off_thread_end();
    CORBEL_LOG(log, connection, warning, "a call-back for sockets threw",
               {"what", "something that is no std::exception"}, {"peer", socket.peer});
  }
  t_within = within.below;
  done();
}

bool SocketHook::begin() noexcept {
  const std::lock_guard lock(mutex_);
  if (withdrawn_) return false;
  ++running_;
  return true;
}

void SocketHook::done() noexcept {
  const std::lock_guard lock(mutex_);
  --running_;
  if (withdrawn_) changed_.notify_all();
}

void SocketHook::withdraw() noexcept {
  std::unique_lock lock(mutex_);
  withdrawn_ = true;
  const unsigned here = times_within(*this);
  while (running_ > here) changed_.wait(lock);
}

void SocketHooks::call(const NewSocket& socket) noexcept {
  std::vector<std::shared_ptr<SocketHook>> all;
  try {
    const std::lock_guard lock(mutex_);
    all = all_;
  } catch (const std::bad_alloc&) {
  }
  for (const auto& hook : all) hook->call(socket, log_);
}

void SocketHooks::add(std::shared_ptr<SocketHook> hook) {
  const std::lock_guard lock(mutex_);
  all_.push_back(std::move(hook));
  any_.store(true, std::memory_order_relaxed);
}

void SocketHooks::remove(const std::shared_ptr<SocketHook>& hook) noexcept {
  if (process_ != base::process_generation()) return;  // threads of another process may be in it
  {
    const std::lock_guard lock(mutex_);
    std::erase(all_, hook);
    any_.store(!all_.empty(), std::memory_order_relaxed);
  }
  hook->withdraw();
}

}  // namespace corbel::connection
