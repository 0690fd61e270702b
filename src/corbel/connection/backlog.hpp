// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

  bool empty() const noexcept { return begin_ == octets_.size(); }
  /// Octets that wait.
  std::size_t size() const noexcept { return octets_.size() - begin_; }
  /// Before anything is appended: says that the carrier keeps messages.
  void keep_messages() noexcept { keeps_messages_ = true; }
  /// Appends what follows the first `skip` octets of `data`, which `budget`, the same each time, pays for. Fails with
  /// too_large, and nothing is appended, if it cannot; with out_of_resources if there is no memory: all is forgotten.
  base::Status append(std::span<const cdr::Segment> data, std::size_t skip, Budget& budget) noexcept;
  /// What is to be sent next.
  base::ConstByteSpan octets() const noexcept {
    return base::ConstByteSpan(octets_).subspan(begin_, keeps_messages_ && !sizes_.empty() ? sizes_.front() : size());
  }
  /// So many of them have been sent.
  void taken(std::size_t count) noexcept;
  /// Forgets everything.
  void clear() noexcept;

 private:
  base::Bytes octets_;
  std::size_t begin_ = 0;
  Budget* budget_ = nullptr;
  std::size_t paid_ = 0;
  bool keeps_messages_ = false;
  std::vector<std::size_t> sizes_;  // of the messages that wait, if they are kept
};

/// Octets in all.
inline std::size_t total_size(std::span<const cdr::Segment> data) noexcept {
  std::size_t total = 0;
  for (const cdr::Segment& segment : data) total += segment.size;
  return total;
}

}  // namespace corbel::connection
