// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/hub.hpp"

#include <array>
#include <random>

#include "corbel/base/bytes.hpp"
#include "corbel/base/cancellation.hpp"
#include "corbel/transport/inproc/ring.hpp"

namespace corbel::transport::inproc {
namespace {

using base::Code;
using base::Stage;

std::string random_id() {
  std::random_device source;
  base::Bytes octets;
  for (int i = 0; i < 8; ++i) octets.push_back(static_cast<base::Octet>(source()));
  return base::to_hex(octets);
}

}  // namespace

base::Status Listener::push(std::unique_ptr<Transport> transport, base::Deadline deadline) {
  const base::Cancellation::Wait waiting(
      [](void* self) noexcept {
        auto& listener = *static_cast<Listener*>(self);
        const std::lock_guard lock(listener.mutex_);
        listener.room_.notify_all();
      },
      this);
  std::unique_lock lock(mutex_);
  const bool ready =
      wait_until(room_, lock, deadline, [&] { return closed_ || queue_.size() < backlog_ || waiting.cancelled(); });
  if (closed_) return base::error(Stage::connect, Code::refused);
  if (waiting.cancelled()) {
    room_.notify_one();  // it may have been told of room that it does not take
    return base::error(Stage::connect, Code::cancelled);
  }
  if (!ready) return base::error(Stage::connect, deadline.is_now() ? Code::would_block : Code::timed_out);
  queue_.push_back(std::move(transport));
  if (queue_.size() == 1) waiting_.set();
  return {};
}

base::Result<std::unique_ptr<Transport>> Listener::pop() {
  const std::lock_guard lock(mutex_);
  if (closed_) return base::error(Stage::accept, Code::cancelled);
  if (queue_.empty()) return base::error(Stage::accept, Code::would_block);
  auto transport = std::move(queue_.front());
  queue_.pop_front();
  if (queue_.empty()) waiting_.clear();
  room_.notify_one();
  return transport;
}

void Listener::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  queue_.clear();
  room_.notify_all();
}

Hub::Hub() : process_(base::process_generation()), id_(random_id()) {}

/// With the mutex.
void Hub::renew() {
  if (process_ == base::process_generation()) return;
  id_ = random_id();
  // Their acceptors keep them, and a thread of the parent's may have been anywhere in them.
  listeners_.clear();
  process_ = base::process_generation();
}

std::string Hub::id() {
  const std::lock_guard lock(mutex_);
  renew();
  return id_;
}

std::string Hub::unused_name() {
  return "anonymous-" + std::to_string(next_number());
}

base::Status Hub::add(const std::string& name, std::shared_ptr<Listener> listener) {
  const std::lock_guard lock(mutex_);
  renew();
  if (!listeners_.emplace(name, std::move(listener)).second) return base::error(Stage::listen, Code::address_in_use);
  return {};
}

void Hub::remove(const std::string& name, const Listener& listener) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(name);
  if (found != listeners_.end() && found->second.get() == &listener) listeners_.erase(found);
}

std::shared_ptr<Listener> Hub::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  renew();
  const auto found = listeners_.find(name);
  return found == listeners_.end() ? nullptr : found->second;
}

std::uint64_t Hub::next_number() {
  const std::lock_guard lock(mutex_);
  return ++numbers_;
}

}  // namespace corbel::transport::inproc
