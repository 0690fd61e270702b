// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "corbel/connection/connection.hpp"
#include "corbel/orb/lent.hpp"

namespace corbel::orb {

class Core;

/// Bidirectional GIOP of one ORB (CORBA 3.3 part 2, 9.8), in both roles: what its connections offer to servers, and
/// what its clients offer. Thread-safe.
class Bidirectional {
 public:
  explicit Bidirectional(Core& core) noexcept : core_(core) {}

  /// There is an adapter with BOTH: from now on connections to servers are offered, and those of clients accepted.
  void serve();
  /// The ORB's own BidirectionalPolicy; nothing if it has none.
  void set_policy(std::optional<bool> both);
  /// The ORB listens at other endpoints than before. Not to be called with the lock of what it listens at.
  void note_endpoints() noexcept;
  /// The context for references in the request, if the client lends the connection; else null. Takes what the request
  /// says about that.
  LentPtr lent(connection::Connection& connection, const messaging::IncomingRequest& request);
  /// True if connections that clients lend are used.
  bool accepts() const noexcept { return accepts_.load(std::memory_order_relaxed); }

 private:
  using Contexts = std::map<std::string, base::Bytes, std::less<>>;

  void warn_if_single() const;
  void renew();
  void offer(bool allowed);
  Contexts contexts() const;
  void take_points(base::ConstByteSpan context, connection::Connection& connection, Lent& lent) const;

  Core& core_;
  std::atomic<bool> accepts_{false};
  std::mutex mutex_;                                      // guards what follows
  void (Bidirectional::*offer_)(bool allowed) = nullptr;  // null until serve(): clients are linked without it
  std::optional<bool> policy_;
  std::uint64_t generation_ = 0;
  Contexts offered_;
};

}  // namespace corbel::orb
