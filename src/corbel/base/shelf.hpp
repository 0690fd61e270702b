// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "corbel/base/export.hpp"

namespace corbel::base {

/// Memory of a few KiB that is wanted for something short and then again for the next: the blocks that a thread gave
/// last stay with it, so that who takes one of the same size allocates nothing. Any thread may give what another one
/// took. A thread keeps at most kPlaces blocks of kMostOctets each until it ends.
class CORBEL_API Shelf {
 public:
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::size_t kMostOctets = 4096;

  Shelf() noexcept = default;
  ~Shelf();
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// Aligned to 16. Throws std::bad_alloc.
  static void* take(std::size_t octets);
  /// `octets`: what it was taken with. Null is allowed.
  static void give(void* block, std::size_t octets) noexcept;

 private:
  struct Place {
    void* block = nullptr;
    std::size_t octets = 0;
  };

  Place places_[kPlaces];
};

}  // namespace corbel::base
