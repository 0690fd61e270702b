// SPDX-License-Identifier: Apache-2.0
#include "allocated.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t octets = 0;

}  // namespace

// Kept out of line: otherwise the compiler sees malloc and free where it expects new and delete to pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  octets += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// With its kin: what one of them gives is given back to the one below, and address sanitizers look whether they match.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  octets += size;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace corbel::dynamic {

std::size_t allocated() noexcept {
  return octets;
}

}  // namespace corbel::dynamic
