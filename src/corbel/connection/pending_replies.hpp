// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <optional>
#include <vector>

#include "corbel/connection/framer.hpp"

namespace corbel::connection {

/// One caller waiting for the reply to its request. Lives on the caller's stack; guarded by the connection's mutex
/// while it is listed.
struct PendingReply {
  std::uint32_t request_id = 0;
  PendingReply* next = nullptr;
  bool reading = false;  ///< this caller reads the connection
  bool waiting = false;  ///< this caller sleeps until `changed`
  bool done = false;     ///< somebody else read the reply, or the connection failed; no longer listed
  base::Error error;     ///< why it failed, if it did

  /// What only those need that are listed; who is alone on the connection should not pay for it.
  struct Shared {
    std::condition_variable changed;
    messaging::FrameHeader frame;
    base::Bytes octets;  ///< the reply, copied by the reader
    std::vector<std::size_t> joints;
  };
  std::optional<Shared> shared;  ///< there if it is listed, or was
};

/// The callers waiting on one connection, in no particular order; few, so a list is searched. Guarded by the
/// connection's mutex.
class PendingReplies {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void add(PendingReply& reply) noexcept {
    reply.next = first_;
    first_ = &reply;
  }
  /// Unlists the reply with this id; nullptr if there is none.
  PendingReply* take(std::uint32_t request_id) noexcept {
    for (PendingReply** link = &first_; *link != nullptr; link = &(*link)->next) {
      if ((*link)->request_id != request_id) continue;
      PendingReply* found = *link;
      *link = found->next;
      return found;
    }
    return nullptr;
  }
  /// Unlists just this one; nothing if it is not listed. (Those that help one asynchronous request share its id.)
  void remove(const PendingReply& reply) noexcept {
    for (PendingReply** link = &first_; *link != nullptr; link = &(*link)->next) {
      if (*link != &reply) continue;
      *link = reply.next;
      return;
    }
  }
  bool contains(std::uint32_t request_id) const noexcept {
    const PendingReply* reply = first_;
    while (reply != nullptr && reply->request_id != request_id) reply = reply->next;
    return reply != nullptr;
  }
  PendingReply* first() const noexcept { return first_; }
  std::size_t count() const noexcept {
    std::size_t n = 0;
    for (const PendingReply* reply = first_; reply != nullptr; reply = reply->next) ++n;
    return n;
  }

 private:
  PendingReply* first_ = nullptr;
};

}  // namespace corbel::connection
