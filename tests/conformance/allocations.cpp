// SPDX-License-Identifier: Apache-2.0
#include "conformance/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t counted_allocations = 0;

}  // namespace

// Kept out of line: otherwise the compiler sees malloc and free where it expects new and delete to pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++counted_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// What does not throw is of the same kin: stable_sort and the encoder use it.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++counted_allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace corbel::test {

std::size_t allocations() noexcept {
  return counted_allocations;
}

}  // namespace corbel::test
