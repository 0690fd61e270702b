// SPDX-License-Identifier: Apache-2.0
// For the sources of EtcdStore only.
#pragma once

#include <chrono>

#include "etcd_store.hpp"

namespace corbel::naming {

// etcd takes 128 operations and 1.5 MiB in a transaction, unless told otherwise. (Base64 is for the way only.)
inline constexpr std::size_t kMostEtcdOperations = 100;
inline constexpr std::size_t kMostEtcdOctets = 1'000'000;
/// Keys that are read at a time: a reference has 64 KiB at most, unless that was raised.
inline constexpr std::size_t kEtcdPiece = 200;

/// What `look` finds in a view that is as it was at one moment.
template <class Look>
auto EtcdStore::look(Patience until, Look look) {
  for (;;) {
    try {
      return look(view(until));
    } catch (const EtcdMoved&) {
      look_up_generation(until);
    } catch (const EtcdCompacted&) {
      if (std::chrono::steady_clock::now() >= until) throw;
    }
  }
}

}  // namespace corbel::naming
