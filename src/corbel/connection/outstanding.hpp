// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "corbel/messaging/message.hpp"

namespace corbel::connection {

/// A request whose reply has not come, whether its caller waits or not. Guarded by the connection's mutex while it is
/// listed in Outstanding; afterwards it belongs to the thread that took it off.
class UnderWay {
 public:
  enum class Kind : std::uint8_t {
    caller,        ///< a thread waits for it
    asynchronous,  ///< threads of the reactor read for it
    asked,         ///< no thread waits yet, but one is probably going to ask: until then nobody reads just for it
  };

  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  Kind kind() const noexcept { return kind_; }

  messaging::Token token = 0;  ///< set before it is listed

 protected:
  explicit UnderWay(Kind kind) noexcept : kind_(kind) {}
  /// While it is not listed.
  void set_kind(Kind kind) noexcept { kind_ = kind; }
  ~UnderWay() = default;

 private:
  friend class Outstanding;
  friend class UnderWayList;
  UnderWay* next_ = nullptr;
  UnderWay* previous_ = nullptr;
  UnderWay* next_in_bucket_ = nullptr;
  Kind kind_;
};

/// A queue of requests linked through themselves.
class UnderWayList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  UnderWay* first() const noexcept { return first_; }
  static UnderWay* after(const UnderWay& request) noexcept { return request.next_; }
  void push(UnderWay& request) noexcept {
    request.next_ = nullptr;
    request.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &request;
    last_ = &request;
  }
  void remove(UnderWay& request) noexcept {
    (request.previous_ != nullptr ? request.previous_->next_ : first_) = request.next_;
    (request.next_ != nullptr ? request.next_->previous_ : last_) = request.previous_;
    request.next_ = request.previous_ = nullptr;
  }
  /// The oldest, taken out; nullptr if there is none.
  UnderWay* pop() noexcept {
    UnderWay* request = first_;
    if (request != nullptr) remove(*request);
    return request;
  }

 private:
  UnderWay* first_ = nullptr;
  UnderWay* last_ = nullptr;
};

/// The requests under way on one connection, by their tokens: few that callers wait for, or thousands that no caller
/// waits for, answered in any order. A caller that is alone on its connection is not listed. Guarded by the
/// connection's mutex. Memory stays at what the most requests at a time needed; without memory it gets slow, and
/// nothing fails.
class Outstanding {
 public:
  Outstanding() noexcept = default;
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;

  bool empty() const noexcept { return count_ == 0; }
  std::size_t count() const noexcept { return count_; }
  /// How many of them threads of the reactor read for.
  std::size_t asynchronous() const noexcept { return asynchronous_; }
  /// The oldest; UnderWayList::after leads on.
  UnderWay* first() const noexcept { return order_.first(); }

  void add(UnderWay& request) noexcept {
    if (count_ >= buckets_.size()) [[unlikely]]
      grow();
    order_.push(request);
    link(request);
    ++count_;
    asynchronous_ += request.kind() == UnderWay::Kind::asynchronous ? 1 : 0;
  }
  /// Nobody is going to ask for this one.
  void attend(UnderWay& request) noexcept {
    if (request.kind() != UnderWay::Kind::asked) return;
    request.kind_ = UnderWay::Kind::asynchronous;
    ++asynchronous_;
  }
  /// The request with this id; nullptr if there is none.
  UnderWay* find(messaging::Token token) noexcept {
    UnderWay** const place = place_of(token);
    return place != nullptr ? *place : nullptr;
  }
  /// Takes the request with this id off the list; nullptr if there is none.
  UnderWay* take(messaging::Token token) noexcept {
    UnderWay** const place = place_of(token);
    if (place == nullptr) return nullptr;
    UnderWay* const found = *place;
    *place = found->next_in_bucket_;
    order_.remove(*found);
    --count_;
    asynchronous_ -= found->kind() == UnderWay::Kind::asynchronous ? 1 : 0;
    return found;
  }
  /// All of them, oldest first.
  UnderWayList take_all() noexcept;

 private:
  static constexpr std::size_t kFirstBuckets = 16;

  /// Ids grow by two from request to request: their bits without the lowest spread evenly.
  UnderWay*& bucket(messaging::Token token) noexcept { return buckets_[token / 2 & (buckets_.size() - 1)]; }
  UnderWay** place_of(messaging::Token token) noexcept {
    for (UnderWay** place = &bucket(token); *place != nullptr; place = &(*place)->next_in_bucket_) {
      if ((*place)->token == token) return place;
    }
    return nullptr;
  }
  void link(UnderWay& request) noexcept {
    UnderWay*& head = bucket(request.token);
    request.next_in_bucket_ = head;
    head = &request;
  }
  void grow() noexcept;

  UnderWayList order_;
  UnderWay* lone_ = nullptr;                  // the bucket of connections over which there is one request at a time
  std::unique_ptr<UnderWay*[]> many_;         // the buckets of others
  std::span<UnderWay*> buckets_{&lone_, 1U};  // a power of two of them
  std::uint32_t count_ = 0;
  std::uint32_t asynchronous_ = 0;
};

}  // namespace corbel::connection
