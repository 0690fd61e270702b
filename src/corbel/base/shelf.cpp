// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/shelf.hpp"

#include <new>
#include <utility>

#include "corbel/base/thread_value.hpp"

namespace corbel::base {
namespace {

constexpr std::align_val_t kAlignment{16};

/// AddressSanitizer is to see who uses a block that was given back.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

Shelf::~Shelf() {
  for (Place& place : places_) ::operator delete(place.block, kAlignment);
}

void* Shelf::take(std::size_t octets) {
  if (kKeeps && octets <= kMostOctets) {
    for (Place& place : ThreadValue<Shelf>::here().places_) {
      if (place.octets != octets) continue;
      place.octets = 0;
      return std::exchange(place.block, nullptr);
    }
  }
  return ::operator new(octets, kAlignment);
}

void Shelf::give(void* block, std::size_t octets) noexcept {
  if (kKeeps && block != nullptr && octets <= kMostOctets) {
    for (Place& place : ThreadValue<Shelf>::here().places_) {
      if (place.block != nullptr) continue;
      place = {block, octets};
      return;
    }
  }
  ::operator delete(block, kAlignment);
}

}  // namespace corbel::base
