// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/swap.hpp"

#include <cstring>

#include "corbel/cdr/byte_swap.hpp"

namespace corbel::cdr {
namespace {

// Kept this plain so that the compiler turns it into vector instructions.
template <class T>
void swap_run(std::uint8_t* __restrict to, const std::uint8_t* __restrict from, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    value = byte_swap(value);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void swap_copy(std::uint8_t* to, const std::uint8_t* from, std::size_t count, std::size_t width) noexcept {
  switch (width) {
    case 2:
      return swap_run<std::uint16_t>(to, from, count);
    case 4:
      return swap_run<std::uint32_t>(to, from, count);
    default:
      return swap_run<std::uint64_t>(to, from, count);
  }
}

}  // namespace corbel::cdr
