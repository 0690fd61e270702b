// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/error.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::connection {

/// A request whose caller does not wait. Keeps itself alive until finish(). What it looks like to a connection is
/// guarded by that connection's mutex while it is listed there; afterwards it belongs to whoever took it off the list.
class AsyncReply {
 public:
  AsyncReply(const AsyncReply&) = delete;
  AsyncReply& operator=(const AsyncReply&) = delete;
  virtual ~AsyncReply() = default;
  /// The reply, in place: decode it. On the thread that reads the connection, which reads nothing else meanwhile, so no
  /// code of the application may run.
  virtual void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept = 0;
  /// Now in the completion queue: whoever waits for just this one may take it from there.
  virtual void on_queued() noexcept = 0;
  /// Does what follows from the reply, or from `error`. Exactly once for each time it was started, with no lock held;
  /// may run code of the application and call anything. This may be gone afterwards.
  virtual void finish() noexcept = 0;

  std::uint32_t request_id = 0;  ///< set before Connection::start
  base::Deadline deadline = base::Deadline::none();
  base::Error error;  ///< why there is no reply

 protected:
  AsyncReply() noexcept = default;

 private:
  friend class AsyncReplies;
  friend class AsyncReplyList;
  friend class Completions;
  AsyncReply* next_ = nullptr;
  AsyncReply* previous_ = nullptr;
  AsyncReply* next_in_bucket_ = nullptr;
  bool queued_ = false;  // guarded by the mutex of Completions
};

/// A queue of replies linked through themselves.
class AsyncReplyList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  AsyncReply* first() const noexcept { return first_; }
  static AsyncReply* after(const AsyncReply& reply) noexcept { return reply.next_; }
  void push(AsyncReply& reply) noexcept {
    reply.next_ = nullptr;
    reply.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &reply;
    last_ = &reply;
  }
  void remove(AsyncReply& reply) noexcept {
    (reply.previous_ != nullptr ? reply.previous_->next_ : first_) = reply.next_;
    (reply.next_ != nullptr ? reply.next_->previous_ : last_) = reply.previous_;
    reply.next_ = reply.previous_ = nullptr;
  }
  /// The oldest, taken out; nullptr if there is none.
  AsyncReply* pop() noexcept {
    AsyncReply* reply = first_;
    if (reply != nullptr) remove(*reply);
    return reply;
  }

 private:
  AsyncReply* first_ = nullptr;
  AsyncReply* last_ = nullptr;
};

/// The asynchronous requests under way on one connection, by request id: thousands, answered in any order. Guarded by
/// the connection's mutex. Memory stays at what the most requests at a time needed.
class AsyncReplies {
 public:
  bool empty() const noexcept { return count_ == 0; }
  std::size_t count() const noexcept { return count_; }
  /// The oldest; AsyncReplyList::after leads on.
  AsyncReply* first() const noexcept { return order_.first(); }

  void add(AsyncReply& reply) {
    if (count_ >= buckets_.size()) grow();
    order_.push(reply);
    link(reply);
    ++count_;
  }
  /// Unlists the reply with this id; nullptr if there is none.
  AsyncReply* take(std::uint32_t request_id) noexcept {
    AsyncReply** const place = find(request_id);
    if (place == nullptr) return nullptr;
    AsyncReply* const found = *place;
    *place = found->next_in_bucket_;
    order_.remove(*found);
    --count_;
    return found;
  }
  bool contains(std::uint32_t request_id) noexcept { return find(request_id) != nullptr; }
  /// All of them, oldest first.
  AsyncReplyList take_all() noexcept {
    buckets_.assign(buckets_.size(), nullptr);
    count_ = 0;
    return std::exchange(order_, {});
  }

 private:
  /// Ids grow by two from request to request: their bits without the lowest spread evenly.
  AsyncReply*& bucket(std::uint32_t request_id) noexcept { return buckets_[request_id / 2 & (buckets_.size() - 1)]; }
  void link(AsyncReply& reply) noexcept {
    AsyncReply*& head = bucket(reply.request_id);
    reply.next_in_bucket_ = std::exchange(head, &reply);
  }
  AsyncReply** find(std::uint32_t request_id) noexcept {
    if (count_ == 0) return nullptr;
    for (AsyncReply** place = &bucket(request_id); *place != nullptr; place = &(*place)->next_in_bucket_) {
      if ((*place)->request_id == request_id) return place;
    }
    return nullptr;
  }
  void grow() {
    buckets_.assign(std::bit_ceil(count_ + 1) * 2, nullptr);
    for (AsyncReply* reply = order_.first(); reply != nullptr; reply = AsyncReplyList::after(*reply)) link(*reply);
  }

  AsyncReplyList order_;
  std::vector<AsyncReply*> buckets_;
  std::size_t count_ = 0;
};

}  // namespace corbel::connection
