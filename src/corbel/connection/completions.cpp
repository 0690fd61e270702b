// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/completions.hpp"

#include <new>

namespace corbel::connection {
namespace {

/// A reply that is being finished on this thread, and those below it, perhaps of other ORBs.
struct Running {
  const Completions* owner;
  const Running* below;
};
// Twice per reply; in a shared library the usual model is a function call each time.
[[gnu::tls_model("initial-exec")]] thread_local const Running* t_running = nullptr;

}  // namespace

void Completions::push(AsyncReply& reply) noexcept {
  bool call = false;
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    add(reply);
    reply.on_queued();
    closed = closed_;
    call = !closed && !std::exchange(called_, true);
  }
  if (closed) drain();
  if (call) call_thread();
}

void Completions::call_thread() noexcept {
  const auto work = [this] {
    {
      const std::lock_guard lock(mutex_);
      called_ = false;
    }
    drain();
  };
  try {
    reactor_.post(work);
  } catch (const std::bad_alloc&) {  // rather here than never
    work();
  }
}

void Completions::run(AsyncReplyList& replies) noexcept {
  AsyncReply* first = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // This thread takes the first at once; a thread that waits for another one may be sooner.
    if (waiting_.empty()) first = replies.pop();
    while (AsyncReply* reply = replies.pop()) {
      add(*reply);
      reply->on_queued();
    }
    if (first == nullptr) {
      first = begin_next();
    } else {
      ++begun_;
      begin();
    }
  }
  finish(first);
}

/// Takes one to finish, after this thread has `ended` another one.
AsyncReply* Completions::next(bool ended) noexcept {
  const std::lock_guard lock(mutex_);
  if (ended) {
    --running_;
    if (settling_ != 0) changed_.notify_all();
  }
  return begin_next();
}

/// With the mutex.
AsyncReply* Completions::begin_next() noexcept {
  ++begun_;
  AsyncReply* const reply = waiting_.pop();
  if (reply == nullptr) return nullptr;
  reply->queued_ = false;
  begin();
  return reply;
}

/// With the mutex. While the one is being finished, which may take for ever, the tick looks after those that remain.
void Completions::begin() noexcept {
  ++running_;
  if (ticks_ && !waiting_.empty()) reactor_.start_tick();
}

void Completions::add(AsyncReply& reply) noexcept {
  reply.queued_ = true;
  waiting_.push(reply);
}

void Completions::drain() noexcept {
  finish(next(false));
}

/// Finishes this one, unless it is null, and all that wait.
void Completions::finish(AsyncReply* reply) noexcept {
  if (reply == nullptr) return;
  const Running running{this, t_running};
  do {
    t_running = &running;
    reply->finish();
    t_running = running.below;
    reply = next(true);
  } while (reply != nullptr);
}

unsigned Completions::running_here() const noexcept {
  unsigned count = 0;
  for (const Running* running = t_running; running != nullptr; running = running->below)
    count += running->owner == this;
  return count;
}

bool Completions::settle(base::Deadline deadline) noexcept {
  drain();
  std::unique_lock lock(mutex_);
  const unsigned here = running_here();
  ++settling_;
  while (running_ > here && !deadline.expired()) changed_.wait(lock, deadline);
  --settling_;
  return running_ <= here;
}

bool Completions::take(AsyncReply& reply) noexcept {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(reply.queued_, false)) return false;
  waiting_.remove(reply);
  return true;
}

void Completions::close() noexcept {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  drain();
}

bool Completions::look() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return false;
    if (std::exchange(seen_, begun_) != begun_ || std::exchange(called_, true)) return true;
  }
  call_thread();
  return true;
}

}  // namespace corbel::connection
