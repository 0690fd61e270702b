// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "corbel/base/mutex.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/format.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::orb {
class Core;
}

namespace corbel::bridge {

/// How the bodies of a conversation are written, as far as the other side has to write them so, too.
struct Manner {
  std::uint8_t minor = 2;
  cdr::CodeSet char_set = cdr::CodeSet::utf_8;
  cdr::CodeSet wchar_set = cdr::CodeSet::none;
  bool told = false;  ///< the client has said so, and the server is to be told
  friend bool operator==(const Manner&, const Manner&) = default;
};

/// An object behind the bridge, and the ways to it. Thread-safe.
class Target {
 public:
  using Routes = std::vector<routing::Route>;
  using RoutesPtr = std::shared_ptr<const Routes>;

  explicit Target(ior::Ior ior) : ior_(std::move(ior)) {}

  const ior::Ior& ior() const noexcept { return ior_; }
  /// The ways over which bodies written in that manner can go as they are, as far as the protocols let them: the
  /// version and the code sets of the connections are those. Fails with no_profile if the reference leads nowhere, or
  /// only to this ORB.
  base::Result<RoutesPtr> routes(orb::Core& core, const Manner& manner);

  /// When it was used last, for the table.
  std::atomic<std::uint64_t> used{0};
  /// Threads that are sending something to it, or making a connection.
  std::atomic<std::uint32_t> senders{0};
  /// Requests to it that are under way and that no thread waits for.
  std::atomic<std::uint32_t> left{0};

 private:
  struct Known {
    Manner manner;
    RoutesPtr routes;
  };

  const ior::Ior ior_;
  base::Mutex mutex_;  // guards what follows
  RoutesPtr all_;
  std::vector<Known> known_;  // there are few manners
};
using TargetPtr = std::shared_ptr<Target>;

}  // namespace corbel::bridge
