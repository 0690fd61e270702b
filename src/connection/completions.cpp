// SPDX-License-Identifier: Apache-2.0
#include "connection/completions.hpp"

namespace corbel::connection {

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
  reactor_.post([this] {
    {
      const std::lock_guard lock(mutex_);
      called_ = false;
    }
    drain();
  });
}

void Completions::run(AsyncReplyList& replies) noexcept {
  bool several = false;
  {
    const std::lock_guard lock(mutex_);
    while (AsyncReply* reply = replies.pop()) add(*reply);
    several = waiting_.first() != nullptr && AsyncReplyList::after(*waiting_.first()) != nullptr;
  }
  if (several && ticks_) reactor_.start_tick();
  drain();
}

AsyncReply* Completions::next() noexcept {
  const std::lock_guard lock(mutex_);
  ++finished_;
  AsyncReply* const reply = waiting_.pop();
  if (reply != nullptr) reply->queued_ = false;
  return reply;
}

void Completions::add(AsyncReply& reply) noexcept {
  reply.queued_ = true;
  waiting_.push(reply);
}

void Completions::drain() noexcept {
  while (AsyncReply* reply = next()) reply->finish();
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
    if (std::exchange(seen_, finished_) != finished_ || std::exchange(called_, true)) return true;
  }
  call_thread();
  return true;
}

}  // namespace corbel::connection
