// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/watchers.hpp"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "corbel/base/thread_end.hpp"

namespace corbel::connection {

using base::Deadline;

namespace {

constexpr base::Duration kLastPatience = std::chrono::seconds(1);

}  // namespace

void Watcher::start(const std::shared_ptr<Watcher>& self) {
  sigset_t all, before;  // signals are the application's business, on its own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    const std::lock_guard lock(self->mutex_);  // so that the thread finds itself there
    self->thread_ = std::thread([self] { self->serve(); });
    self->id_ = self->thread_.get_id();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watcher::push(const ConnectionEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_ || withdrawn_) return;
  try {
    if (waiting_.size() < kMostWaiting) {
      waiting_.push_back(event);
      waiting_.back().missed = std::exchange(missed_, 0);
      changed_.notify_all();
      return;
    }
  } catch (const std::bad_alloc&) {  // left out, too
  }
  if (missed_++ != 0) return;
  CORBEL_LOG(*log_, connection, warning, "a call-back for connections is too slow, events left out",
             {"waiting", waiting_.size()});
}

void Watcher::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !withdrawn_ && !closed_) changed_.wait(lock);
    if (withdrawn_ || waiting_.empty()) break;
    const ConnectionEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    call(event);
    lock.lock();
  }
  waiting_.clear();
  lock.unlock();
  call_back_ = nullptr;  // what it holds goes here, not where connections are told of
  lock.lock();
  done_ = true;
  changed_.notify_all();
}

void Watcher::call(const ConnectionEvent& event) noexcept {
  const auto tell = [&](std::string_view what) {
    const std::lock_guard lock(mutex_);
    CORBEL_LOG(*log_, connection, warning, "a call-back for connections threw", {"what", what}, {"peer", event.peer});
  };
  try {
    call_back_(event);
  } catch (const std::exception& exception) {
    tell(exception.what());
  } catch (...) {
    base::call_off_thread_end();
    tell("something that is no std::exception");
  }
}

void Watcher::withdraw() noexcept {
  bool from_within = false;
  {
    const std::lock_guard lock(mutex_);
    from_within = std::this_thread::get_id() == id_;
    if (from_within) log_ = &base::Log::none();  // the ORB may go before the call-back returns
    withdrawn_ = true;
    changed_.notify_all();
  }
  if (from_within) return thread_.detach();
  thread_.join();
}

void Watcher::end(Deadline deadline) noexcept {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  const bool from_within = std::this_thread::get_id() == id_;
  while (!done_ && !from_within && !deadline.expired()) changed_.wait(lock, deadline);
  log_ = &base::Log::none();
}

void Watchers::tell(ConnectionEvent event) noexcept {
  if (!any() || left_behind()) return;
  event.time = std::chrono::system_clock::now();
  const std::lock_guard lock(mutex_);
  for (const auto& watcher : all_) watcher->push(event);
}

std::shared_ptr<Watcher> Watchers::add(Watcher::CallBack call_back) {
  auto watcher = std::make_shared<Watcher>(std::move(call_back), log_);
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return nullptr;
    all_.reserve(all_.size() + 1);
    Watcher::start(watcher);
    all_.push_back(watcher);
    any_.store(true, std::memory_order_relaxed);
  }
  return watcher;
}

void Watchers::remove(const std::shared_ptr<Watcher>& watcher) noexcept {
  // The watcher's thread is in another process; here its watcher is kept for ever.
  if (left_behind()) return;
  {
    const std::lock_guard lock(mutex_);
    std::erase(all_, watcher);
    any_.store(!all_.empty(), std::memory_order_relaxed);
  }
  watcher->withdraw();
}

void Watchers::await() noexcept {
  if (left_behind()) return;
  const std::lock_guard lock(ends_mutex_);
  ++awaited_;
}

void Watchers::awaited() noexcept {
  if (left_behind()) return;
  const std::lock_guard lock(ends_mutex_);
  if (--awaited_ == 0) none_awaited_.notify_all();
}

void Watchers::end() noexcept {
  if (left_behind()) return;
  if (any()) {
    std::unique_lock lock(ends_mutex_);
    (void)none_awaited_.wait(lock, Deadline::after(kLastPatience), [this] { return awaited_ == 0; });
  }
  std::vector<std::shared_ptr<Watcher>> all;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    all.swap(all_);
    any_.store(false, std::memory_order_relaxed);
  }
  const Deadline deadline = Deadline::after(kLastPatience);
  for (const auto& watcher : all) watcher->end(deadline);
}

}  // namespace corbel::connection
