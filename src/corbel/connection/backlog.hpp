// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/connection/budget.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::connection {

/// Replies, or their ends, that a peer has not taken yet, in order. Their octets are copied, because the servant's
/// results go. What waits for a byte stream is one piece; for a carrier that keeps messages each reply remains one.
/// Guarded by the connection's writer token.
class Backlog {
 public:
  Backlog() noexcept = default;
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;
  ~Backlog() { clear(); }

  bool empty() const noexcept { return waiting_ == nullptr; }
  /// Octets that wait.
  std::size_t size() const noexcept { return empty() ? 0 : waiting_->octets.size() - waiting_->begin; }
  /// Before anything is appended: says that the carrier keeps messages.
  void keep_messages() noexcept { keeps_messages_ = true; }
  /// Appends what follows the first `skip` octets of `data`, which `budget`, the same each time, pays for. Fails with
  /// too_large, and nothing is appended, if it cannot; with out_of_resources if there is no memory: all is forgotten.
  base::Status append(std::span<const cdr::Segment> data, std::size_t skip, Budget& budget) noexcept;
  /// What is to be sent next; if it is not empty.
  base::ConstByteSpan octets() const noexcept {
    const auto& sizes = waiting_->sizes;
    return base::ConstByteSpan(waiting_->octets).subspan(waiting_->begin, sizes.empty() ? size() : sizes.front());
  }
  /// So many of them have been sent.
  void taken(std::size_t count) noexcept;
  /// Forgets everything.
  void clear() noexcept;

 private:
  struct Waiting {
    Budget& budget;
    base::Bytes octets;
    std::size_t begin = 0;
    std::size_t paid = 0;
    std::vector<std::size_t> sizes;  // of the messages, if they are kept
  };

  std::unique_ptr<Waiting> waiting_;  // there while something waits: most peers take their replies at once
  bool keeps_messages_ = false;
};

/// Octets in all.
inline std::size_t total_size(std::span<const cdr::Segment> data) noexcept {
  std::size_t total = 0;
  for (const cdr::Segment& segment : data) total += segment.size;
  return total;
}

}  // namespace corbel::connection
